import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { looksUnfinished, parseFinalText } from '../../../src/core/findings/accepted-formats.ts';
import { completeItems, parseRepairedJson } from '../../../src/core/findings/loose-json.ts';
import { submitReview } from '../../../src/core/findings/submit-review.ts';
import { changedFile, sources, submitted } from './make.ts';

const approval = { approved: false, rationale: 'x', action: 'COMMENT' };
const json = JSON.stringify({ files_review: [submitted()], non_specific_review: null, approval });

function itemsOf(text: string) {
  const final = parseFinalText(text);
  return final.kind === 'submission'
    ? final.submission.items.map((item) => (item.ok ? item.item : item.problem))
    : final.kind;
}

describe("Postil's own object as final text", () => {
  it.each([
    ['raw', json],
    ['fenced', `\`\`\`json\n${json}\n\`\`\``],
    ['with prose around it', `I read {src/a.ts} and "it".\n\n${json}\n\nThat is all.`],
    ['with a trailing comma and a comment', json.replace(/}$/, ', } // done')],
    ['wrapped as a call', `{"name": "submit_review", "arguments": ${json}}`],
    ['as a bare list', JSON.stringify([submitted()])],
  ])('is accepted %s', (_, text) => {
    expect(itemsOf(text)).toEqual([submitted()]);
  });

  it('counts as it was corrected: the last one in the text', () => {
    const draft = JSON.stringify({ files_review: [] });
    expect(itemsOf(`First ${draft}\nNo, better:\n${json}`)).toEqual([submitted()]);
  });
});

describe("OwlSight's format", () => {
  const said = { severity: 'Critical', title: 'T', description: 'D', suggestion: 'Do X.', ruleId: 'r1' };
  const owl = { file: 'src/a.ts', line: 7, ...said };
  const read = { severity: 'critical', title: 'T', review: 'D\n\nSuggestion: Do X.', rule_id: 'r1' } as const;
  const item = submitted({ lines: '7', ...read, evidence: '', category: 'other', confidence: 0.5 });

  it('is accepted as an object and as a bare list', () => {
    expect(itemsOf(JSON.stringify({ findings: [owl] }))).toEqual([item]);
    expect(itemsOf(`Here: ${JSON.stringify([owl])}`)).toEqual([item]);
  });

  it('takes a finding without a line as one about the whole file', () => {
    expect(itemsOf(JSON.stringify([{ ...owl, line: null }]))).toEqual([{ ...item, lines: null }]);
  });

  it('is empty as an empty list at the end only', () => {
    expect(itemsOf('```json\n[]\n```')).toEqual([]);
    expect(itemsOf('No findings.\n[]')).toEqual([]);
    expect(itemsOf('The list `[]` is never filled, which loses orders.')).toBe('free-text');
  });
});

describe("Cora's format", () => {
  const words = { severity: 'high', title: 'T', body: 'B', issue_type: 'security' };
  const issue = { file: 'src/a.ts', line_start: 4, line_end: 6, ...words, suggested_fix: 'x\ny' };

  it('is accepted with a range or a line', () => {
    const taken = submitted({ title: 'T', category: 'security', confidence: 0.5, evidence: '' });
    const onLine = { ...issue, line_start: null, line_end: null, line: 9, suggested_fix: null };
    expect(itemsOf(JSON.stringify({ issues: [issue, onLine] }))).toEqual([
      { ...taken, lines: '4-6', review: 'B\n\nSuggestion:\n\n```\nx\ny\n```' },
      { ...taken, lines: '9', review: 'B' },
    ]);
  });

  it('is a request when it asks for more context instead', () => {
    const request = { file: 'src/b.ts', line_start: 1, line_end: 9 };
    expect(parseFinalText(JSON.stringify({ issues: [], context_request: request }))).toMatchObject({
      kind: 'context-request',
      submission: { contextRequest: { ok: true, request: { file: 'src/b.ts', lineStart: 1, lineEnd: 9 } } },
    });
    expect(itemsOf(JSON.stringify({ issues: [], context_request: null }))).toEqual([]);
    expect(itemsOf(JSON.stringify({ issues: [issue], context_request: request }))).toHaveLength(1);
  });
});

describe('other text', () => {
  it('is free text, whatever JSON it shows', () => {
    const text = 'The config `{"findings": "on"}` is ignored: {"a": [1, {"b": 2}]}.';
    expect(parseFinalText(text)).toEqual({ kind: 'free-text', text });
  });

  it.each([
    'Let me check the file src/a.ts…',
    'The loop looks wrong. Now, let me look at the callers:',
    "I'll now search for other uses.",
    'I need to verify how `save` is called.',
    'Before I report this, I will read src/b.ts.',
    'Checking src/core/a.ts…',
    '**Next, I am going to continue examining the tests.**',
  ])('announces work and is no review: %s', (text) => {
    expect([looksUnfinished(text), parseFinalText(text).kind]).toEqual([true, 'announcement']);
  });

  it.each([
    'Let me check the file.\n\nThe index is off by one in src/a.ts:12.',
    'Let me know if you want more.',
    'You need to check the return value of read().',
    'No problems were found.',
    'Reading the file twice is slow.',
    '',
  ])('is an answer: %s', (text) => {
    expect([looksUnfinished(text), parseFinalText(text).kind]).toEqual([false, 'free-text']);
  });

  it('is read in bounded time when it is hostile', () => {
    const hostile = [
      `${'{"'.repeat(50_000)}`,
      'let me '.repeat(50_000),
      `${'to x '.repeat(20_000)}`,
      '[['.repeat(50_000),
      `x${' '.repeat(500_000)}y`,
      `{"a":"${'\\"'.repeat(100_000)}`,
    ];
    expect(hostile.map((text) => parseFinalText(text).kind)).toEqual(Array(6).fill('free-text'));
  });
});

const text = 'one();\ntwo();\nthree();\n';
const first = submitted({ quote: 'one();' });
const second = submitted({ quote: 'two();', title: 'Second is dropped' });

function open() {
  let count = 0;
  const world = sources([changedFile('src/a.ts')], { head: { 'src/a.ts': text } });
  return submitReview({ ...world, nextId: () => `f${++count}` });
}

describe('a submission that is cut at the output limit', () => {
  const whole = JSON.stringify({ files_review: [first, second], approval });

  it('keeps its complete findings, and is asked for the rest and the approval', async () => {
    const review = open();
    const answer = await review.tool.takeCut?.(whole.slice(0, whole.indexOf('Second')));
    expect(answer).toMatch(
      /^Your call was cut at the output limit\. Taken are: ".*"\. Call submit_review again with the rest only/,
    );
    expect([review.result().findings.length, review.result().submitted]).toEqual([1, false]);
    expect((await review.tool.finish({ files_review: [second], approval })).done).toBe(true);
    expect(review.result()).toMatchObject({
      submitted: true,
      findings: [{ id: 'f1' }, { title: 'Second is dropped' }],
    });
  });

  it('does not double what comes again with the rest', async () => {
    const review = open();
    await review.tool.takeCut?.(whole.slice(0, whole.indexOf('Second')));
    await review.tool.finish({ files_review: [first, second], approval });
    expect(review.result().findings).toHaveLength(2);
  });

  it('without a complete finding is nothing', async () => {
    expect(await open().tool.takeCut?.(whole.slice(0, 40))).toBe(null);
  });
});

it('wherever a submission is cut, the items before the cut are read and nothing else', () => {
  const items = fc.array(fc.record({ title: fc.string({ unit: 'grapheme' }), nested: fc.array(fc.string()) }), {
    maxLength: 5,
  });
  fc.assert(
    fc.property(items, fc.double({ min: 0, max: 1, noNaN: true }), (given, share) => {
      const json = JSON.stringify({ files_review: given, approval });
      const read = completeItems(json.slice(0, Math.floor(json.length * share)));
      expect(read).toEqual(given.slice(0, read.length));
      expect(completeItems(json)).toEqual(given);
    }),
  );
});

it('never throws', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (rest) => {
      expect(Array.isArray(completeItems(`{"files_review":[${rest}`))).toBe(true);
    }),
  );
});

describe('JSON as models write it', () => {
  it.each([
    ['a trailing comma', '{"a": [1, 2,], }', { a: [1, 2] }],
    ['a comma before a comment before a bracket', '[1, // last\n /* really */ ]', [1]],
    ['comments', '{ // one\n "a": /* two */ 1 }', { a: 1 }],
    ['a raw line break in a string', '{"a": "one\n\ttwo"}', { a: 'one\n\ttwo' }],
    ['comments and commas inside strings', '{"a": "// no, /* comment */ ,}",}', { a: '// no, /* comment */ ,}' }],
    ['an escaped quote', String.raw`["a \", ]",]`, ['a ", ]']],
  ])('is fixed: %s', (_, text, value) => {
    expect(parseRepairedJson(text)).toEqual({ ok: true, value });
  });

  it.each(['{"a": }', '[1,,2]', '{a: 1}', '', '{"a": 1'])('is not guessed at: %s', (text) => {
    expect(parseRepairedJson(text).ok).toBe(false);
  });

  it('gives the same value with commas and comments added where they mean nothing', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (strings) => {
        const text = `[${strings.map((string) => `${JSON.stringify(string)}, // ,]\n`).join('')} /* } */ ]`;
        expect(parseRepairedJson(text)).toEqual({ ok: true, value: strings });
      }),
    );
  });
});
