import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { looksUnfinished, parseFinalText, readAccepted } from '../../../src/core/findings/accepted-formats.ts';
import { completeItems, parseRepairedJson } from '../../../src/core/findings/loose-json.ts';
import { normaliseSubmission } from '../../../src/core/findings/read-submission.ts';
import { submissionSchema } from '../../../src/core/findings/submission.ts';
import { readContextRequest } from '../../../src/core/findings/words.ts';
import { parserFor } from '../../../src/core/schema.ts';
import { submitted } from './make.ts';

const approval = { approved: false, rationale: 'x', action: 'COMMENT' };
const own = JSON.stringify({ files_review: [submitted()], non_specific_review: null, approval });

function itemsOf(text: string) {
  const final = parseFinalText(text);
  return final.kind === 'submission'
    ? final.submission.items.map((item) => (item.ok ? item.item : item.problem))
    : final.kind;
}

describe("Postil's own object as final text", () => {
  it.each([
    ['fenced', `\`\`\`json\n${own}\n\`\`\``],
    ['with prose around it', `I read {src/a.ts} and "it".\n\n${own}\n\nThat is all.`],
    ['with a trailing comma and a comment', own.replace(/}$/, ', } // done')],
    ['wrapped as a call', `{"name": "submit_review", "arguments": ${own}}`],
    ['as a bare list', JSON.stringify([submitted()])],
  ])('is accepted %s', (_, text) => {
    expect(itemsOf(text)).toEqual([submitted()]);
  });

  const empty = JSON.stringify({ files_review: [] });
  it.each([
    ['first', `First ${empty}\nNo, better:\n${own}`],
    ['last', `${own}\nWithout findings it would be ${empty}`],
    ['last, as a list', `${own}\nOther findings: []`],
  ])('counts whole beside an empty one that comes %s', (_, text) => {
    expect(itemsOf(text)).toEqual([submitted()]);
  });
});

describe("OwlSight's format", () => {
  const said = { severity: 'Critical', title: 'T', description: 'D', suggestion: 'Do X.', ruleId: 'r1' };
  const owl = { file: 'src/a.ts', line: 7, ...said };
  const read = { severity: 'critical', title: 'T', review: 'D\n\nSuggestion: Do X.', rule_id: 'r1' } as const;
  const item = submitted({ lines: '7', ...read, evidence: [], category: 'other', confidence: 0.5 });

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
    const taken = submitted({ title: 'T', category: 'security', confidence: 0.5, evidence: [] });
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
    'The loop looks wrong. Now, let me look at the callers:',
    "I'll now search for other uses.",
    '**Next, I am going to continue examining the tests.**',
  ])('announces work and is no review: %s', (text) => {
    expect([looksUnfinished(text), parseFinalText(text).kind]).toEqual([true, 'announcement']);
  });

  it.each([
    'Let me check the file.\n\nThe index is off by one in src/a.ts:12.',
    'Let me know if you want more.',
    'No problems were found.',
    '',
  ])('is an answer: %s', (text) => {
    expect([looksUnfinished(text), parseFinalText(text).kind]).toEqual([false, 'free-text']);
  });

  it('is read in bounded time when it is hostile', () => {
    const repeated = ['{"', 'let me ', 'to x ', '[['].map((text) => text.repeat(50_000));
    const hostile = [...repeated, `x${' '.repeat(500_000)}y`, `{"a":"${'\\"'.repeat(100_000)}`];
    expect(hostile.map((text) => parseFinalText(text).kind)).toEqual(Array(6).fill('free-text'));
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

describe('JSON as models write it', () => {
  it.each([
    ['a raw line break in a string', '{"a": "one\n\ttwo"}', { a: 'one\n\ttwo' }],
    ['comments and commas inside strings', '{"a": "// no, /* comment */ ,}",}', { a: '// no, /* comment */ ,}' }],
    ['an escaped quote', String.raw`["a \", ]",]`, ['a ", ]']],
  ])('is fixed: %s', (_, text, value) => {
    expect(parseRepairedJson(text)).toEqual({ ok: true, value });
  });

  it.each(['{"a": }', '[1,,2]', '{a: 1}', '', '{"a": 1'])('is not guessed at: %s', (text) => {
    expect(parseRepairedJson(text).ok).toBe(false);
  });

  it('keeps the value of all valid JSON', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(parseRepairedJson(text)).toEqual({ ok: true, value: JSON.parse(text) });
      }),
    );
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

const broken = submitted({ title: 'It breaks' });
const ofCora = { file: 'a.ts', line: 4, title: 'It breaks', body: 'When empty.', severity: 'high' };
const guarded = { finding: '2', reason: 'Guarded.' };
const request = { file: 'a.ts', line_start: 1, line_end: 2, reason: '' };
const noReasons = [{ finding: 1 }, { finding: 2, reason: ' ' }, { reason: 'x' }];

const [titles, dismissed] = [['It breaks'], [{ finding: 2, reason: 'Guarded.' }]];
const whole = { files_review: [broken], confirmed: [1], dismissed, approval };
const judged = { confirmed: [], dismissed: [] };
const second = { requests: true, verdicts: true };

describe('the answer of a second call', () => {
  it.each<[string, object, object | null, readonly string[]]>([
    ['in the words of the schema', whole, { confirmed: [1], dismissed }, titles],
    ['as confirmed and added', { confirmed: ['#1'], added: [broken] }, { ...judged, confirmed: [1] }, titles],
    ["with what is added in Cora's words", { dismissed: [guarded], added: [ofCora] }, { ...judged, dismissed }, titles],
    ['as the list once more', { issues: [ofCora] }, null, titles],
    ['as a request for more lines, which is not answered', { issues: [], context_request: request }, null, []],
    ['with dismissals that give no reason: they are none', { confirmed: [], dismissed: noReasons }, judged, []],
  ])('is read %s', (_, value, verdicts, found) => {
    const text = `I looked.\n\`\`\`json\n${JSON.stringify(value)}\n\`\`\`\nDone.`;
    const answer = parseFinalText(text, second);
    const read = 'submission' in answer ? answer.submission : null;
    expect(read?.items.map((item) => (item.ok ? item.item.title : item.problem))).toEqual(found);
    expect(read?.verdicts).toEqual(verdicts);
  });

  it.each([[null], ['fine'], [{}], [{ verdict: 'ok' }]])('%j says nothing', (value) => {
    expect(readAccepted(value, second)).toBeNull();
  });

  it('is no review in a first one, which has nothing to judge yet', () => {
    expect(readAccepted({ confirmed: [1], dismissed: [] }, { requests: true })).toBeNull();
  });

  it('never makes the reader throw', () => {
    const parts = fc.constantFrom('confirmed', 'dismissed', 'added', 'files_review', 'issues', 'approval');
    fc.assert(
      fc.property(fc.dictionary(parts, fc.anything()), (value) => {
        const read = readAccepted(value, second)?.submission.verdicts ?? null;
        return read === null || read.dismissed.every(({ finding, reason }) => finding >= 1 && reason !== '');
      }),
    );
  });
});

describe('a request for lines', () => {
  const noRange = 'it gives no range of lines: line_start and line_end must be lines from 1';

  it.each([
    [{ file: 'a.ts', line_start: 3, line_end: 9, reason: 'why' }, '3-9'],
    [{ file: ' a.ts ', line_start: '3', line_end: '9' }, '3-9'],
    [{ path: 'a.ts', start_line: 3, end_line: 3 }, '3-3'],
    [{ file: 'a.ts', line_start: 0, line_end: 2 }, noRange],
    [{ file: 'a.ts', line_start: 9, line_end: 3 }, 'line 9 comes after line 3'],
    [{ line_start: 1, line_end: 2 }, 'it names no file'],
  ])('%j is read as %s', (value, expected) => {
    const read = readContextRequest(value);
    expect(read?.ok === true ? `${read.request.lineStart}-${read.request.lineEnd}` : read?.problem).toBe(expected);
  });

  it.each([[null], [undefined], ['lines please'], [[]], [7]])('%j is none', (value) => {
    expect(readContextRequest(value)).toBeNull();
  });

  it('never throws, and what it accepts is a range', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), fc.anything(), (file, line_start, line_end) => {
        const read = readContextRequest({ file, line_start, line_end });
        if (read?.ok !== true) return true;
        const { lineStart, lineEnd } = read.request;
        return lineStart >= 1 && lineStart <= lineEnd && Number.isSafeInteger(lineEnd);
      }),
    );
  });
});

const names = 'files_review approval path quote lines title severity findings issues file line'.split(' ');
const key = fc.oneof(fc.constantFrom(...names), fc.string());
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true, 0, -1, 1e300, '', '10-20', 'high', '{"files_review": []}', '__proto__'),
    fc.string(),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 5 }),
  ),
})).value;

describe('whatever a model sends', () => {
  it('is normalised without an exception, and what is valid is valid by the schema', () => {
    fc.assert(
      fc.property(json, (value) => {
        const { items, walkthrough, approval } = normaliseSubmission(value);
        const valid = items.flatMap((item) => (item.ok ? [item.item] : []));
        const whole = { walkthrough, files_review: valid, non_specific_review: null, approval };
        expect(parserFor(submissionSchema)(whole)).toMatchObject({ ok: true });
      }),
    );
  });

  it('is read as final text without an exception', () => {
    const text = fc.oneof(
      json.map((value) => JSON.stringify(value)),
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom(...'{}[]",:/*\\ \n`a1') }),
    );
    fc.assert(
      fc.property(fc.array(text, { maxLength: 3 }), (texts) => {
        expect(['submission', 'free-text', 'announcement']).toContain(parseFinalText(texts.join('\n')).kind);
      }),
    );
  });
});
