import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkEvidence, checkPlaces, readEvidence, readPlaces } from '../../../src/core/findings/citations.ts';
import { normaliseItem } from '../../../src/core/findings/read-submission.ts';
import { type SubmitReview, submitReview } from '../../../src/core/findings/submit-review.ts';
import type { Citation } from '../../../src/core/findings/words.ts';
import { changedFile, inWords, sources as sourcesOf, submitted } from './make.ts';

const file = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');
const sources = sourcesOf(
  [
    changedFile('src/a.ts'),
    changedFile('src/new.ts', { status: 'renamed', oldPath: 'src/old.ts' }),
    changedFile('gone.ts', { status: 'deleted' }),
    changedFile('logo.png', { kind: 'binary' }),
  ],
  {
    head: { 'src/a.ts': file(20), 'src/new.ts': file(9), 'src/far.ts': file(5), 'src/long.ts': file(300) },
    base: { 'src/a.ts': file(30), 'src/old.ts': file(8), 'gone.ts': file(4) },
  },
);

function cite(path: string, lines: string | null, side: Citation['side'] = 'RIGHT'): Citation {
  return { path, side, lines, shows: 'It is so' };
}

describe('evidence', () => {
  it.each<[string, unknown, readonly Citation[]]>([
    ['a list', [cite('src/a.ts', '1-2')], [cite('src/a.ts', '1-2')]],
    ['one place', cite('src/a.ts', '3'), [cite('src/a.ts', '3')]],
    ['a list as text', JSON.stringify([cite('src/a.ts', null)]), [cite('src/a.ts', null)]],
    ['a place in its path', [{ path: 'src/a.ts:4-5', shows: 'It is so' }], [cite('src/a.ts', '4-5')]],
    [
      'a number and a side in other words',
      [{ file: 'src/a.ts', line: 7, side: 'old', shows: 'It is so' }],
      [cite('src/a.ts', '7', 'LEFT')],
    ],
    [
      'several ranges',
      [cite('src/a.ts', '3, 9-12')],
      [cite('src/a.ts', '3'), { ...cite('src/a.ts', '9-12'), shows: '' }],
    ],
    ['words', 'Traced it.', inWords('Traced it.')],
    [
      'words with whole places',
      '(`src/a.ts:12-14`, a.ts lines 3)',
      [...inWords('(`src/a.ts:12-14`, a.ts lines 3)'), { ...cite('src/a.ts', '12-14'), shows: '' }],
    ],
    ['nothing', null, []],
  ])('is read from %s', (_what, given, expected) => {
    expect(readEvidence(given)).toEqual(expected);
  });

  it('is kept with the places that are there, by their paths in the diff, and tells of the others', async () => {
    const given = [
      cite('./src/a.ts', '12-20'),
      cite('src/old.ts', '8', 'LEFT'),
      cite('gone.ts', '4'),
      cite('src/far.ts', '5', 'LEFT'),
      cite('logo.png', null),
      ...inWords('Traced it.'),
      cite('src/a.ts', '20-21'),
      cite('src/none.ts', null),
      cite('src/a.ts', 'somewhere'),
      ...readEvidence('see src/none.ts:1'),
    ];
    expect(await checkEvidence(given, sources)).toEqual({
      citations: [
        cite('src/a.ts', '12-20'),
        cite('src/new.ts', '8', 'LEFT'),
        cite('gone.ts', '4', 'LEFT'),
        cite('src/far.ts', '5'),
        cite('logo.png', null),
      ],
      evidence:
        'It is so (src/a.ts:12-20); It is so (src/new.ts:8 before the change); It is so (gone.ts:4 before the change); It is so (src/far.ts:5); It is so (logo.png); Traced it.; It is so; It is so; It is so; see src/none.ts:1',
      problems: [
        'evidence 7: src/a.ts has 20 lines on side RIGHT',
        'evidence 8: there is no text file src/none.ts on side RIGHT',
        'evidence 9: lines is "somewhere": write one line from 1 such as "42", or one range such as "10-25"',
      ],
    });
  });
});

it('other places are those that are there, each once, and of no more lines than a quote', async () => {
  const given = [
    'src/a.ts:3',
    './src/a.ts:3',
    { path: 'src/far.ts', lines: '2-1' },
    'src/a.ts',
    'src/a.ts:21',
    'x:1',
    7,
    'src/long.ts:1-200',
    'src/long.ts:1-201',
  ];
  const there = ['src/a.ts:3', 'src/far.ts:1-2', 'src/long.ts:1-200'];
  expect(await checkPlaces(readPlaces(given), sources)).toEqual(there);
});

describe('a submission with citations', () => {
  const none = inWords('Traced it.');
  const wrong = [cite('src/a.ts', '99')];
  const right = [cite('src/a.ts', '9')];
  const start = () => {
    let count = 0;
    return submitReview({ ...sources, nextId: () => `f${++count}` });
  };
  const send = ({ tool }: SubmitReview, ...items: readonly object[]) => tool.finish({ files_review: items });
  const quoted = submitted({ quote: 'line 3', evidence: wrong });
  const whole = submitted({ title: 'The file is never closed', evidence: wrong });
  const lost = submitted({ title: 'Nobody reads it', quote: 'no such line', evidence: none });
  const cites = ({ result }: SubmitReview) => result().findings.map(({ title, citations }) => [title, citations]);

  it('costs no turn where a finding has a quote', async () => {
    const review = start();
    expect([(await send(review, quoted)).done, cites(review)]).toEqual([true, [[quoted.title, undefined]]]);
  });

  it('is asked once for a place that nothing else proves, and keeps the finding whatever comes', async () => {
    const review = start();
    const answers = [await send(review, whole), await send(review, whole)];
    expect(answers.map(({ done, text }) => [done, /^#1, if.*$/m.exec(text)?.[0]])).toEqual([
      [false, '#1, if you can cite it right: evidence 1: src/a.ts has 20 lines on side RIGHT'],
      [true, undefined],
    ]);
    expect(cites(review)).toEqual([[whole.title, undefined]]);
  });

  it('takes the right place of a finding that was accepted before', async () => {
    const review = start();
    await send(review, whole);
    const { done } = await send(review, { ...whole, evidence: right });
    expect([done, cites(review)]).toEqual([true, [[whole.title, right]]]);
  });

  it('names wrong places together with a lost quote, and loses neither', async () => {
    const review = start();
    const { text } = await send(review, quoted, lost);
    await send(review, { ...quoted, evidence: right });
    expect(text).toMatch(/^Accepted #1\.\nResubmit #2: .*\n#1, if you can cite it right: .*\n/);
    expect(cites(review)).toEqual([
      [quoted.title, right],
      [lost.title, undefined],
    ]);
  });
});

const anyEvidence = fc.oneof(
  fc.anything(),
  fc.string(),
  fc.array(
    fc.record({
      path: fc.constantFrom('src/a.ts', 'src/new.ts', 'src/none.ts', '../x', '__proto__', ''),
      side: fc.constantFrom('RIGHT', 'LEFT', 7),
      lines: fc.oneof(fc.constantFrom('1', '2-9', '9-2', '0', '999', 'x', ''), fc.anything()),
      shows: fc.oneof(fc.string(), fc.anything()),
    }),
  ),
);

it('whatever evidence and places hold, nothing throws, the finding is kept, and what it cites is there', async () => {
  await fc.assert(
    fc.asyncProperty(anyEvidence, fc.anything(), async (evidence, alsoAt) => {
      const given = { ...submitted({ quote: 'line 3' }), evidence, also_at: alsoAt };
      expect(normaliseItem(given, 1).ok).toBe(true);
      const review = submitReview({ ...sources, nextId: () => 'f1' });
      await review.tool.finish({ files_review: [given] });
      const { findings } = review.result();
      const places = findings.flatMap((one) => [...(one.citations ?? []), ...readEvidence(one.alsoAt.join(' '))]);
      const { problems } = await checkEvidence(places, sources);
      expect([findings.length, findings[0]?.unplaced, problems]).toEqual([1, undefined, []]);
    }),
  );
});
