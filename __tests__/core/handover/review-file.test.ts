import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StopReason } from '../../../src/core/agent/event.ts';
import { type Finding, suppress } from '../../../src/core/findings/finding.ts';
import { parseReviewFile } from '../../../src/core/handover/review-file.ts';
import { inEnglish } from '../../../src/core/messages/languages.ts';
import { type Message, verbatim } from '../../../src/core/messages/message.ts';
import { renderReport } from '../../../src/core/report/json.ts';
import type { ReviewDraft, StoppedDraft } from '../../../src/core/review/draft.ts';
import { context, coverageOf, finding, linesAt } from '../../fakes/review-record.ts';
import { batchWith, origin, reviewedDraft, reviewFileText, richRecord, stoppedDraft } from '../../fakes/rich-record.ts';
import { findingSaying } from '../../fakes/saying.ts';

function handedOver(draft: ReviewDraft): ReviewDraft {
  const parsed = parseReviewFile(reviewFileText(draft));
  if (!parsed.ok) throw new Error(parsed.problems.join());
  return parsed.value.draft;
}

const onRemovedLines = finding({ id: 'f2', anchor: linesAt([3, 4], 'one\n\ttwo', 'LEFT'), suggestion: null });
const note = { paths: ['src/cart.ts'], changes: 'Reads one item more.', checked: 'The index: beyond the end.' };
const aside = { alsoAt: ['src/a.ts:12'], verification: 'confirmed' } as const;
const unplaced = { quote: 'x();', reason: { code: 'unplaced.not-in', path: 'src/cart.ts' } } as const;
const onFile = finding({ anchor: { kind: 'file' }, suggestion: null, unplaced, ...aside });
const ofRule = finding({ id: 'f3', source: 'rule', ruleId: 'no-debugger', sameAs: 'p-3f09ab12' });
const disproved = suppress(finding({ id: 'f4', title: 'Disproved' }), {
  reason: verbatim('It is checked.'),
  by: 'verification',
  proof: { path: 'src/guard.ts', quote: 'if (!user) return;' },
});
const ignored = suppress(finding({ id: 'f5', title: 'Ignored', source: 'rule' }), {
  by: 'rule-comment',
  reason: verbatim('a comment says so'),
});
const counts = { confirmed: 1, removed: 0, added: 2, extraTokens: 900 };
const followUp = { file: 'src/a.ts', lines: '1-2', refused: null, ...counts };

describe('a draft that one job hands to another', () => {
  it('comes out as it went in', () => {
    const draft = reviewedDraft({
      scope: { kind: 'incremental', since: 'd'.repeat(40) },
      ruleFindings: [ofRule],
      batches: [
        batchWith([onFile], { gap: { code: 'stop.time' }, walkthrough: [note], nonSpecificReview: 'Too large.' }),
        {
          ...batchWith([onRemovedLines], { name: '2 src', approval: null, rawFreeText: 'Hm.', followUp }),
          disproved: [disproved],
        },
      ],
      ignored: [ignored],
      coverage: coverageOf({
        reviewed: ['src/cart.ts'],
        skipped: [{ path: 'yarn.lock', reason: { code: 'file.lock' } }],
        unreviewed: [{ path: 'src/b.ts', reason: verbatim('time') }],
        earlier: ['src/c.ts'],
        missing: [verbatim('2 files were not listed.')],
      }),
      incomplete: [verbatim('The diff of a.ts is incomplete: too large.')],
      notes: [verbatim('A note.')],
    });
    expect(handedOver(draft)).toEqual(draft);
  });

  it('is made of the findings of its own run, not of those that the report knows of earlier ones', () => {
    const text = reviewFileText(reviewedDraft({ batches: [batchWith([onFile, ofRule])] }));
    const parsed = parseReviewFile(text.replace('"found":["f1","f3"]', '"found":["f1"]'));
    expect(parsed.ok && parsed.value.draft).toEqual(reviewedDraft({ batches: [batchWith([onFile])] }));
  });

  const limits = ['iterations', 'tokens', 'time', 'tool-calls'] as const;
  it.each<StopReason>([
    ...(['submitted', 'answered', 'repeated-calls', 'empty-answers'] as const).map((reason) => ({ reason })),
    ...limits.map((limit) => ({ reason: 'limit', limit }) as const),
    { reason: 'refused', by: 'model' },
    { reason: 'refused', by: 'content-filter' },
    { reason: 'truncated' },
    { reason: 'truncated', by: 'reasoning' },
    { reason: 'context-overflow' },
    { reason: 'cancelled' },
    { reason: 'model-failed', message: 'No quota left. Add credit.', hint: '' },
    { reason: 'limit', limit: 'cost', lastCall: { reason: 'cancelled' } },
  ])('keeps why a batch stopped: %o', (stop) => {
    const draft = reviewedDraft({ batches: [batchWith([], { stop })] });
    expect(handedOver(draft)).toEqual(draft);
  });

  it.each<StoppedDraft['stop']>([
    { reason: 'skipped', why: verbatim('The pull request is a draft.') },
    { reason: 'skipped', why: verbatim('The pull request changes no files.'), nothing: true },
    { reason: 'failed', message: 'No key. Set one.', hint: '' },
    { reason: 'cancelled' },
  ])('keeps why nothing was reviewed: %o', (stop) => {
    expect(handedOver(stoppedDraft(stop))).toEqual(stoppedDraft(stop));
  });

  it('leaves behind its secrets, the lines around its findings and what the model asked for', () => {
    const word = 'hunter2hunter2';
    const draft = reviewedDraft({
      batches: [
        batchWith([findingSaying(word), finding()], {
          name: word,
          paths: [word],
          stop: { reason: 'model-failed', message: word, hint: word },
          gap: verbatim(word),
          approval: { approved: false, rationale: word, action: 'COMMENT' },
          nonSpecificReview: word,
          rawFreeText: word,
          followUp: { ...followUp, file: word, lines: word, refused: verbatim(word) },
        }),
      ],
      incomplete: [verbatim(word)],
      limits: { ...reviewedDraft().limits, model: word },
      notes: [verbatim(word)],
    });
    expect(reviewFileText(draft)).not.toContain('hunter2');
    const { timeline, deliveries, files_review: found } = JSON.parse(reviewFileText(draft));
    expect([timeline, deliveries, found.length]).toEqual([[], [], 2]);
    expect(found.filter((one: object) => 'hunk' in one)).toEqual([]);
  });
});

describe('a draft that is too large for a file', () => {
  const many = (count: number, review: string) =>
    Array.from({ length: count }, (_, index) =>
      finding({ id: `f${index + 1}`, title: `${index}`, review, severity: index === 0 ? 'nitpick' : 'warning' }),
    );

  function left(findings: readonly Finding[]) {
    const draft = { ...reviewedDraft(), ...handedOver(reviewedDraft({ batches: [batchWith(findings)] })) };
    return { findings: draft.batches[0]?.findings ?? [], missing: draft.coverage.missing };
  }

  it('has its texts cut', () => {
    const { findings } = left(many(900, 'x'.repeat(9_000)));
    expect([findings.length, findings[0]?.review.length, findings[0]?.review.at(-1)]).toEqual([900, 1_000, '…']);
  });

  it('loses the findings of least weight, and says how many', () => {
    const { findings, missing } = left(many(1_003, 'Short.'));
    expect([findings.length, findings.some(({ severity }) => severity === 'nitpick')]).toEqual([1_000, false]);
    expect(missing).toEqual([{ code: 'missing.file-room', placed: 1_000, count: 1_003 }]);
  });

  it('loses what is beyond a thousand sentences', () => {
    const sentences = Array.from({ length: 1_200 }, (_, index) => `Note ${index}.`);
    const messages = sentences.map(verbatim);
    const coverage = coverageOf({ missing: messages, reviewed: sentences });
    const draft = handedOver(reviewedDraft({ notes: messages, coverage }));
    const left = { ...reviewedDraft(), ...draft };
    const lists = [left.notes, left.coverage.missing, left.coverage.reviewed];
    expect(lists.map(({ length }) => length)).toEqual([1_000, 1_000, 1_200]);
  });

  it('keeps every file that nobody read, also as the reason why the run stopped', () => {
    const unread = Array.from({ length: 1_200 }, (_, index) => ({
      path: `${index}.bin`,
      reason: { code: 'file.binary' } as const,
      code: false,
    }));
    const approval = { approved: true, rationale: '', action: 'APPROVE' } as const;
    const draft = reviewedDraft({ batches: [batchWith([], { approval })], coverage: coverageOf({ unread }) });
    expect(JSON.parse(reviewFileText(draft)).stop.files).toHaveLength(1_200);
    expect(handedOver(draft)).toEqual(draft);
  });

  it('is an error of the person who can narrow it when even that is not enough', () => {
    const reviewed = Array.from({ length: 60_000 }, (_, index) => `${index}/`.padEnd(100, 'x'));
    expect(() => reviewFileText(reviewedDraft({ coverage: coverageOf({ reviewed }) }))).toThrow(
      'The review does not fit into a review file: it is larger than 5 MB.',
    );
  });
});

const honest = reviewFileText(reviewedDraft({ ruleFindings: [finding({ id: 'f2', source: 'rule' })] }));

/** The honest file with one piece of its text replaced. */
function tampered(piece: string, by: string): string {
  if (!honest.includes(piece)) throw new Error(`The file does not hold ${piece}.`);
  return honest.replace(piece, () => by);
}

/** A message of so many levels. */
function nested(levels: number): Message {
  return Array.from({ length: levels - 1 }).reduce<Message>((what) => ({ code: 'sentence', what }), verbatim('x'));
}

function problemsOf(text: string): readonly string[] {
  const parsed = parseReviewFile(text);
  return parsed.ok ? [] : parsed.problems;
}

describe('a file that somebody made', () => {
  it.each([
    ['is no JSON', 'not JSON', 'it is not JSON'],
    ['is null', 'null', 'the value must be object'],
    ['is a report of a user', JSON.stringify(renderReport(richRecord(), context)), 'a report without the `origin`'],
    ['is of the form of before', '{"schema_version":1,"reviewed":null,"stopped":{}}', 'another version of Postil'],
    ['is nested without end', `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`, 'it is not JSON'],
    ['is too large in characters', ' '.repeat(5_000_001), 'it is larger than 5 MB'],
    ['is too large in bytes', JSON.stringify('ü'.repeat(2_500_001)), 'it is larger than 5 MB'],
    ['is of another version', tampered('"schema_version":4', '"schema_version":3'), 'its schema_version is not 4'],
    ['has a key too many', tampered('{', '{"event":"APPROVE",'), 'the value has an unknown property "event"'],
    ['has a prototype', tampered('{', '{"__proto__":{"draft":1},'), 'the value has an unknown property "__proto__"'],
    ['lacks a key', tampered('"found"', '"all"'), "origin must have required property 'found'"],
    ['names no repository', tampered('"acme/shop"', '"acme shop"'), 'repository must match pattern'],
    ['names no pull request', tampered('"number":7', '"number":null'), 'it names no pull request'],
    ['names no commit', tampered(origin.head, 'HEAD'), 'head must match pattern'],
    ['hides a name of the code', tampered('"run_url"', '"runUrl"'), "must have required property 'run_url'"],
    ['stops for no reason', tampered('"stop":{"reason":"submitted"}', '"stop":{"reason":"x"}'), 'stop value of tag'],
    ['holds no draft', honest.replace(/"scope":\{[^}]*\}/, '"scope":null'), 'it must hold either a review'],
    ['counts to infinity', tampered('"model_calls":3', '"model_calls":1e999'), 'metrics.model_calls must be <='],
    ['begins with line 0', tampered('"start_line":12', '"start_line":0'), 'start_line must be >= 1'],
    ['invents a severity', tampered('"severity":"critical"', '"severity":"fatal"'), 'severity must be one of'],
    ['hides calls in a prototype', tampered('"read_file"', '"__proto__"'), 'tools must match pattern'],
    [
      'has too many notes',
      tampered('"notes":[]', `"notes":[${Array(1_001).fill('{"code":"x"}')}]`),
      'NOT have more than 1000',
    ],
    ['talks too long', tampered('The last price', 'x'.repeat(20_001)), 'must NOT have more than 20000 characters'],
  ])('is refused when it %s', (_, text, problem) => {
    const problems = problemsOf(text);
    expect(problems.join()).toContain(problem);
    expect(problems).toHaveLength(1);
    expect(problems.join().length).toBeLessThan(400);
  });

  it.each<[string, unknown]>([
    ['has more levels than any of ours', nested(7)],
    ['has a hundred levels', nested(100)],
    ['has a text that is too long', verbatim('x'.repeat(20_001))],
    ['has a list that is too long', { code: 'list', of: Array(1_001).fill({ code: 'new' }) }],
    ['has a list of a hundred thousand', { code: 'x', y: Array(100_000).fill({ code: 'x' }) }],
    ['lacks a parameter', { code: 'skip.author' }],
    ['has a parameter too many', { code: 'skip.closed', text: 'x' }],
    ['has a text where a number stands', { code: 'files.count', count: '1' }],
    ['has a message where a number stands', { code: 'files.count', count: { code: 'new' } }],
    ['has a text where a list stands', { code: 'sentences', of: 'x' }],
    ['has a list of texts', { code: 'sentences', of: ['x'] }],
    ['has a message where a text stands', { code: 'text', text: verbatim('x') }],
    ['has null where a message stands', { code: 'sentence', what: null }],
    ['has a prototype for a code', { code: { toString: 'x' } }],
    ['has no code', {}],
  ])('is refused when a message of it %s', (_, message) => {
    const problem = 'notes.0 is not of the form that this version of Postil writes';
    expect(problemsOf(tampered('"notes":[]', `"notes":[${JSON.stringify(message)}]`))).toEqual([problem]);
  });

  it.each([
    ['a code', '"notes":[{"__proto__":"text","text":"x"}]'],
    ['a parameter', '"notes":[{"code":"text","__proto__":"x"}]'],
    ['a number', '"notes":[{"code":"files.count","count":1e999}]'],
  ])('is refused when a message of it hides %s', (_, notes) => {
    expect(problemsOf(tampered('"notes":[]', notes)).join()).toMatch(/^notes\.0 is not of the form/);
  });

  it('may have a message of another version, which prints nothing, and one with as many levels as ours have', () => {
    const messages = [{ code: 'skip.moon', phase: 'full' }, { code: 'constructor' }, nested(6)];
    const parsed = parseReviewFile(tampered('"notes":[]', `"notes":${JSON.stringify(messages)}`));
    expect(parsed.ok && parsed.value.draft.notes.map(inEnglish)).toEqual(['', '', 'x.....']);
  });

  it('is refused when it holds more findings than a review may have, wherever they stand', () => {
    const findings = Array.from({ length: 600 }, (_, index) => finding({ id: `f${index}` }));
    const text = reviewFileText(reviewedDraft({ batches: [batchWith(findings)] }));
    const listed = /"files_review":\[(.*)\],"non_specific_review"/s.exec(text)?.[1] ?? '';
    expect(problemsOf(text.replace(listed, () => `${listed},${listed}`))).toEqual([
      'files_review must NOT have more than 1000 items',
    ]);
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
        if (parsed.ok) reviewFileText(parsed.value.draft);
      }),
    );
  });
});
