import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseReviewFile, renderReviewFile } from '../../../src/core/handover/review-file.ts';
import { finding } from '../../fakes/review-record.ts';
import { batchWith, origin, reviewedDraft } from '../../fakes/rich-record.ts';

const stopped = JSON.stringify({
  stop: { reason: 'cancelled', message: '', hint: '' },
  skipped: [],
  milliseconds: 0,
  limits: {
    profile: '',
    model: null,
    maxIterations: 0,
    maxTotalTokens: 0,
    timeoutMinutes: 0,
    maxComments: 0,
    maxCost: null,
  },
  notes: [],
});

const draft = reviewedDraft({ ruleFindings: [finding({ id: 'f2', source: 'rule' })] });
const honest = renderReviewFile(draft, { ...origin, redact: (text) => text });

/** The honest file with one piece of its text replaced. */
function tampered(piece: string, by: string): string {
  if (!honest.includes(piece)) throw new Error(`The file does not hold ${piece}.`);
  return honest.replace(piece, () => by);
}

function problemsOf(text: string): readonly string[] {
  const parsed = parseReviewFile(text);
  return parsed.ok ? [] : parsed.problems;
}

describe('a file that somebody made', () => {
  it.each([
    ['is no JSON', 'not JSON', 'it is not JSON'],
    ['is null', 'null', 'the value must be object'],
    ['is nested without end', `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`, 'the value must be object'],
    ['is too large in characters', ' '.repeat(5_000_001), 'it is larger than 5 MB'],
    ['is too large in bytes', JSON.stringify('ü'.repeat(2_500_001)), 'it is larger than 5 MB'],
    ['is of another version', tampered('"schema_version":1', '"schema_version":2'), 'schema_version must be one of 1'],
    ['has a key too many', tampered('{', '{"event":"APPROVE",'), 'the value has an unknown property "event"'],
    ['has a prototype', tampered('{', '{"__proto__":{"draft":1},'), 'the value has an unknown property "__proto__"'],
    ['lacks a key', tampered('"ruleFindings"', '"rules"'), "reviewed must have required property 'ruleFindings'"],
    ['names no repository', tampered('acme/shop', 'acme shop'), 'repository must match pattern'],
    ['names no commit', tampered(origin.head, 'HEAD'), 'head must match pattern'],
    ['holds two drafts', tampered('"stopped":null', `"stopped":${stopped}`), 'it must hold either a review or'],
    [
      'holds no draft',
      `${honest.split('"reviewed":')[0]}"reviewed":null,"stopped":null}`,
      'it must hold either a review',
    ],
    ['counts to infinity', tampered('"modelCalls":3', '"modelCalls":1e999'), 'metrics.modelCalls must be <='],
    ['begins with line 0', tampered('"startLine":12', '"startLine":0'), 'lines.startLine must be >= 1'],
    ['invents a severity', tampered('"severity":"critical"', '"severity":"fatal"'), 'severity must be one of'],
    ['hides calls in a prototype', tampered('"name":"read_file"', '"name":"__proto__"'), 'name must match pattern'],
    ['talks too long', tampered('The last price', 'x'.repeat(20_001)), 'must NOT have more than 20000 characters'],
  ])('is refused when it %s', (_, text, problem) => {
    const problems = problemsOf(text);
    expect(problems.join()).toContain(problem);
    expect(problems).toHaveLength(1);
    expect(problems.join().length).toBeLessThan(400);
  });

  it('is refused when it holds more findings than a review may have, wherever they stand', () => {
    const findings = Array.from({ length: 600 }, (_, index) => finding({ id: `f${index}` }));
    const text = renderReviewFile(reviewedDraft({ batches: [batchWith(findings)] }), {
      ...origin,
      redact: (value) => value,
    });
    const batches = /"batches":\[(.*)\],"ruleFindings"/s.exec(text)?.[1] ?? '';
    expect(problemsOf(text.replace(batches, () => `${batches},${batches}`))).toEqual(['it has 1200 findings']);
  });

  it('never throws, and never pollutes a prototype', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), (json, at) => {
        parseReviewFile(json);
        parseReviewFile(`${honest.slice(0, at % honest.length)}${json}`);
      }),
    );
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it('is refused or still a draft, whatever value stands somewhere in it', () => {
    const leaves = [...honest.matchAll(/(?<=":)(?:"[^"]*"|\d+|true|false|null)/g)];
    fc.assert(
      fc.property(fc.nat(leaves.length - 1), fc.jsonValue(), (index, value) => {
        const leaf = leaves[index];
        if (leaf === undefined) return;
        const text = `${honest.slice(0, leaf.index)}${JSON.stringify(value)}${honest.slice(leaf.index + leaf[0].length)}`;
        const parsed = parseReviewFile(text);
        // What was taken can be written again, so it is a draft of the form that all others have.
        if (parsed.ok) renderReviewFile(parsed.value.draft, { ...origin, redact: (written) => written });
      }),
    );
  });
});
