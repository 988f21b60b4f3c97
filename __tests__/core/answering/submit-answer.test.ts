import { describe, expect, it } from 'vitest';
import { formOf } from '../../../src/core/answering/answer-prompt.ts';
import { submitAnswer } from '../../../src/core/answering/submit-answer.ts';
import type { PriorFinding } from '../../../src/core/history/memory.ts';
import { asking, inThread } from '../../fakes/asking.ts';
import { prior } from '../../fakes/earlier-rounds.ts';
import { finding, linesAt, ownRemark, thread } from '../../fakes/review-record.ts';
import { changedFile, hunk, sources } from '../findings/make.ts';

const cart = [
  'export function last(items) {',
  '  // never empty',
  '  return items[items.length].price;',
  '}',
  'const empty = [];',
].join('\n');
const guard = 'if (items.length === 0) throw new Error();\n// The caller checks it.\ncheck(items);\n';
const world = sources(
  [changedFile('src/cart.ts', { hunks: [hunk({ old: 1, new: 1 }, '+export function last(items) {')] })],
  {
    head: { 'src/cart.ts': cart, 'src/guard.ts': guard, 'src/twice.ts': 'run(items);\nend();\nrun(items);\n' },
  },
);
const wrong = '  return items[items.length].price;';
const here = finding({ anchor: linesAt([3, 3], wrong) });
const open = thread({ line: 3, comments: [ownRemark('The words.')] });
const held = { in: 'thread', thread: open, comment: ownRemark('The words.') } as const;
/** As a mark keeps it: without a quote of its lines. */
const unquoted = { kind: 'here', path: 'src/cart.ts', anchor: linesAt([3, 3], '') } as const;
const about = prior(here, { held, present: unquoted });
/** Its line was changed, and a check came above it. */
const pushed = prior(here, {
  held,
  change: {
    kind: 'changed',
    isIntact: false,
    hunks: [hunk({ old: 3, new: 3 }, '-  return items[0].price;', `+${wrong}`)],
  },
});

type Given = { readonly [name: string]: unknown };

/** What becomes of these submissions, one after the other, of an answer to the command. */
async function submitted(verb: string, given: readonly (Given | string)[], finding: PriorFinding | null = about) {
  const { tool, submitted } = submitAnswer(formOf(asking(verb === 'reply' ? 'Why?' : `/postil ${verb}`, inThread)), {
    finding,
    sources: world,
  });
  const ends = [];
  for (const one of given)
    ends.push(typeof one === 'string' ? await tool.takeText?.(one) : await tool.finish({ answer: 'Words.', ...one }));
  return {
    ends: ends.map((end) => (end === null || end === undefined ? null : end.done || end.text)),
    answer: submitted(),
  };
}

const guards = { verdict: 'excluded', proof: { path: 'src/guard.ts', quote: 'check(items);' } };
const unsettled =
  'I found no line of source that settles this, so the finding stands as it is. Who may write can decline it with `/postil dismiss REASON`.';
const shows = [{ path: 'src/cart.ts', lines: '3', shows: 'the index' }];

describe('an answer', () => {
  it('keeps of what it cites the three first places that are there', async () => {
    const cite = (path: string, lines: string | null) => ({ path, lines, shows: 'x' });
    const listed = [
      cite('src/cart.ts', '2-3'),
      cite('src/cart.ts', '90'),
      cite('gone.ts', '1'),
      cite('src/guard.ts', null),
      ...['1', '2', '3', '4'].map((line) => cite('src/cart.ts', line)),
    ];
    const { answer, ends } = await submitted('ask x', [{ sources: listed, not_found: ' A caller. ' }]);
    const places = [
      [2, 3],
      [1, 1],
      [2, 2],
    ].map(([startLine, endLine]) => ({ path: 'src/cart.ts', startLine, endLine }));
    expect([ends, answer]).toEqual([[true], { text: 'Words.', notFound: 'A caller.', places, suggestion: null }]);
  });

  it.each<[string, string, readonly (Given | string)[], readonly unknown[], string | undefined]>([
    [
      'without words is given back once',
      'ask x',
      [{ answer: ' ' }, { answer: '' }],
      ['`answer` is empty. Submit it again.', true],
      '',
    ],
    ['in words alone is taken where nothing is judged', 'ask x', ['', 'Because.'], [null, true], 'Because.'],
    ['in words alone judges nothing', 'recheck', ['It is fine.'], ['Call submit_answer with your answer.'], undefined],
    ['in words alone is no change', 'fix', ['Add a check.'], ['Call submit_answer with your answer.'], undefined],
    [
      'that is no object holds nothing',
      'ask x',
      [{ answer: 7, sources: 'none', not_found: [] }],
      ['`answer` is empty. Submit it again.'],
      '',
    ],
  ])('%s', async (_, verb, given, ends, text) => {
    const found = await submitted(verb, given);
    expect([found.ends, found.answer?.text]).toEqual([ends, text]);
  });
});

describe('a verdict', () => {
  const place = (path: string, line: number) => ({ path, startLine: line, endLine: line });
  it.each<[string, Given, PriorFinding, object]>([
    ['withdraws by a line of code elsewhere', guards, about, { verdict: 'withdrawn', proof: place('src/guard.ts', 3) }],
    [
      'withdraws by another line of its file',
      { ...guards, proof: { path: 'src/cart.ts', quote: 'const empty = [];' } },
      about,
      { verdict: 'withdrawn', proof: place('src/cart.ts', 5) },
    ],
    [
      'withdraws by the copy of a line that is not its own',
      { ...guards, proof: { path: 'src/twice.ts', quote: 'run(items);' } },
      prior(finding({ path: 'src/twice.ts', anchor: linesAt([1, 1], '') })),
      { verdict: 'withdrawn', proof: place('src/twice.ts', 3) },
    ],
    [
      'is fixed by new code',
      { verdict: 'Fixed', proof: { path: 'src/cart.ts', quote: wrong } },
      pushed,
      { verdict: 'fixed', proof: place('src/cart.ts', 3) },
    ],
    [
      'stands by a line that shows it',
      { verdict: 'stands', sources: shows },
      about,
      { verdict: 'stands', proof: place('src/cart.ts', 3) },
    ],
    ['is none where nobody disputes', { verdict: 'none' }, about, {}],
    ['is none in a word that nobody knows', { verdict: 'approve' }, about, {}],
  ])('%s', async (_, given, one, verdict) => {
    const { ends, answer } = await submitted('recheck', [given], one);
    const { verdict: word, proof } = answer ?? {};
    expect([ends, answer?.text, { ...(word && { verdict: word }), ...(proof && { proof }) }]).toEqual([
      [true],
      'Words.',
      verdict,
    ]);
  });

  const retry = 'Quote in `proof` a line of code at head, or say stands. Submit it again.';
  it.each<[string, Given, PriorFinding, string]>([
    ['without proof', { verdict: 'excluded', proof: null }, about, `Not taken: there is no \`proof\`. ${retry}`],
    [
      'by a comment',
      { ...guards, proof: { path: 'src/guard.ts', quote: '// The caller checks it.' } },
      about,
      `Not taken: the quote is no code. ${retry}`,
    ],
    [
      'by the lines of the finding',
      { ...guards, proof: { path: 'src/cart.ts', quote: wrong } },
      about,
      `Not taken: the quote is what the finding is about, and nothing else. ${retry}`,
    ],
    [
      'by a line that is not there',
      { ...guards, proof: { path: 'src/guard.ts', quote: 'assert(items);' } },
      about,
      `Not taken: the quote is not in "src/guard.ts". ${retry}`,
    ],
    [
      'by a file that is not there',
      { ...guards, proof: { path: '../secrets', quote: 'check(items);' } },
      about,
      `Not taken: the quote is not in "../secrets". ${retry}`,
    ],
    [
      'that it is fixed where nothing changed',
      { ...guards, verdict: 'fixed' },
      about,
      `Not taken: nothing changed there since the finding was made, so nothing was fixed. ${retry}`,
    ],
    [
      'that it is fixed by an old line',
      { verdict: 'fixed', proof: { path: 'src/cart.ts', quote: '}' } },
      pushed,
      `Not taken: the quote is no new code in the file of the finding. ${retry}`,
    ],
    [
      'that it stands without a source',
      { verdict: 'stands', sources: [] },
      about,
      'Name in `sources` a line that shows the case. Submit it again.',
    ],
    [
      'that it stands by a source that is not there',
      { verdict: 'stands', sources: [{ path: 'src/cart.ts', lines: '90', shows: 'x' }] },
      about,
      'Name in `sources` a line that shows the case. Submit it again.',
    ],
  ])('%s is given back once, and then settles nothing', async (_, given, one, problem) => {
    const { ends, answer } = await submitted('reply', [given, given], one);
    expect([ends, answer]).toMatchObject([[problem, true], { text: unsettled, places: expect.anything() }]);
    expect([answer?.verdict, answer?.proof]).toEqual([undefined, undefined]);
  });

  it('counts when it is proven at the second time', async () => {
    const { ends, answer } = await submitted('reply', [{ verdict: 'excluded' }, guards]);
    expect([ends.at(-1), answer?.verdict, answer?.text]).toEqual([true, 'withdrawn', 'Words.']);
  });

  it.each(['ask x', 'explain', 'fix'])('is none in an answer to /postil %s', async (verb) => {
    expect((await submitted(verb, [guards])).answer?.verdict).toBeUndefined();
  });

  it('is none without a finding', async () => {
    expect((await submitted('recheck', [guards], null)).answer?.verdict).toBeUndefined();
  });
});

describe('a suggestion', () => {
  const code = '  return items[items.length - 1].price;';
  const at = (changes: object) => ({ ...held, thread: { ...open, ...changes } });
  it.each<[string, string, unknown, PriorFinding, object | null]>([
    ['is a click where the thread is on its lines', 'fix', code, about, { code, applies: true }],
    [
      'is shown where the thread is on other lines',
      'fix',
      code,
      { ...about, held: at({ line: 4 }) },
      { code, applies: false },
    ],
    [
      'is shown where the thread begins elsewhere',
      'fix',
      code,
      { ...about, held: at({ startLine: 2 }) },
      { code, applies: false },
    ],
    [
      'is shown where the thread is outdated',
      'fix',
      code,
      { ...about, held: at({ isOutdated: true }) },
      { code, applies: false },
    ],
    ['is shown where no thread holds the finding', 'fix', code, prior(here), { code, applies: false }],
    ['is none that changes nothing', 'fix', wrong, about, null],
    ['is none for lines that are gone', 'fix', code, { ...about, present: { kind: 'gone' } }, null],
    ['is none for a whole file', 'fix', code, prior(finding({ anchor: { kind: 'file' } })), null],
    [
      'is none for lines behind the end of the file',
      'fix',
      code,
      prior(finding({ anchor: linesAt([40, 41], 'x') })),
      null,
    ],
    [
      'is none for what the change removed',
      'fix',
      code,
      prior(finding({ anchor: linesAt([3, 3], wrong, 'LEFT') })),
      null,
    ],
    ['is none of what was hidden', 'fix', "const key = '[redacted: secret]';", about, null],
    ['is none where the model gives none', 'fix', null, about, null],
    ['is none where nobody asks for it', 'explain', code, about, null],
  ])('%s', async (_, verb, suggestion, one, expected) => {
    expect((await submitted(verb, [{ suggestion }], one)).answer?.suggestion).toEqual(expected);
  });
});
