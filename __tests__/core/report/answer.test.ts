import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readWrittenMarks, withoutMarks } from '../../../src/core/history/mark.ts';
import { answerCharacters, renderAnswer } from '../../../src/core/report/answer.ts';
import { type Answer, plainAnswer, type SourcePlace } from '../../../src/core/review/review.ts';
import { asking, inThread } from '../../fakes/asking.ts';
import { context, keys, pullRequest, reviewer } from '../../fakes/review-record.ts';
import { actingParts, hostileText } from './hostile-text.ts';

type Form = Parameters<typeof renderAnswer>[1];
const head = pullRequest.head.sha;
const form: Form = {
  context: { ...context, keys },
  identity: reviewer,
  head,
  movedTo: null,
  at: '2026-11-26T10:00:00Z',
  gate: null,
};
const to = asking('/postil ask Why?');

const rendered = (changes: Partial<Answer>, more: Partial<Form> = {}) =>
  renderAnswer({ ...plainAnswer, asked: to, text: 'Because.', ...changes }, { ...form, ...more });
/** What people see of it, below the line that tells whom it answers. */
const seen = (...of: Parameters<typeof rendered>) =>
  withoutMarks(rendered(...of))
    .split('\n\n')
    .slice(1)
    .join('\n\n');

const place: SourcePlace = { path: 'src/a.ts', startLine: 3, endLine: 4 };
const root = 'https://github.com/acme/shop';
const at = `${root}/blob/${head}/src/a.ts#L3-L4`;
const code = 'return 1;';

describe('an answer', () => {
  it('says whom it answers, and for which commit', () => {
    const moved = { movedTo: 'd'.repeat(40) };
    const opening = (asked: Answer['asked'], more = {}) => rendered({ asked }, more).split('\n')[0];
    const commit = (sha: string) => `[\`${sha.slice(0, 7)}\`](${root}/commit/${sha})`;
    const link = `(${root}/pull/7#issuecomment-50)`;
    expect([
      opening(to),
      opening(to, moved),
      opening(asking('Why?', inThread)),
      opening(asking('/postil x', {}, { comment: null })),
    ]).toEqual([
      `<sub>Answer to [\`/postil ask\`]${link} of \`grace\`, for ${commit(head)}</sub>`,
      `<sub>Answer to [\`/postil ask\`]${link} of \`grace\`, for ${commit(head)}; since then the head moved to ${commit(moved.movedTo)}</sub>`,
      `<sub>Answer to [a reply](${root}/pull/7#discussion_r50) of \`grace\`, for ${commit(head)}</sub>`,
      `<sub>Answer to a comment of \`grace\`, for ${commit(head)}</sub>`,
    ]);
  });

  it.each<[string, Partial<Answer>, Partial<Form>, string]>([
    ['its text alone', {}, {}, 'Because.'],
    ['what it did not find', { notFound: 'A caller.' }, {}, 'Because.\n\n**Not found:** A caller.'],
    ['each place once, on a line of its own', { places: [place, place] }, {}, `Because.\n\n${at}`],
    ['no links on a laptop', { places: [place] }, { context: { ...context, repository: null } }, 'Because.'],
    [
      'a change that a click applies',
      { suggestion: { code, applies: true } },
      {},
      'Because.\n\n```suggestion\nreturn 1;\n```',
    ],
    [
      'a change that removes lines by a click',
      { suggestion: { code: '', applies: true } },
      {},
      'Because.\n\n```suggestion\n```',
    ],
    [
      'a change that no click applies',
      { suggestion: { code, applies: false } },
      {},
      'Because.\n\nIn place of these lines:\n\n```\nreturn 1;\n```',
    ],
    [
      'a change for lines of an older head',
      { suggestion: { code, applies: true } },
      { movedTo: 'd'.repeat(40) },
      'Because.\n\nIn place of these lines:\n\n```\nreturn 1;\n```',
    ],
    [
      'no change with a secret that a click applies',
      { suggestion: { code: 'hunter2hunter2', applies: true } },
      {},
      'Because.\n\nIn place of these lines:\n\n```\n[redacted: secret]\n```',
    ],
    [
      'that a change is too long',
      { suggestion: { code: 'x'.repeat(901), applies: true } },
      {},
      'Because.\n\nThe change was too long to show here.',
    ],
    [
      'that the finding stands',
      { verdict: 'stands', proof: place },
      {},
      `Because.\n\n**The finding stands:** [\`src/a.ts:3\`](${at}).`,
    ],
    [
      'that it is fixed, and what the check does',
      { verdict: 'fixed', proof: place },
      { gate: { url: 'https://x', runsAgain: true } },
      `Because.\n\n**Fixed:** [\`src/a.ts:3\`](${at}).\n\nThe [check](https://x) of the pull request runs again.`,
    ],
    [
      'that it is withdrawn, and how to take that back',
      { verdict: 'withdrawn', proof: place },
      { gate: { url: 'https://x', runsAgain: false } },
      `Because.\n\n**Withdrawn by evidence:** [\`src/a.ts:3\`](${at}). This no longer counts for as long as that line stands; \`/postil undismiss\` takes it back.\n\nThe [check](https://x) of the pull request does not know this yet: run it again.`,
    ],
  ])('shows %s', (_, answer, more, expected) => {
    expect(seen(answer, more)).toBe(expected);
  });

  it('leaves room for all of an ordinary long one, and cuts its text', () => {
    const places = [1, 2, 3, 4].map((line) => ({
      path: `src/${'folder/'.repeat(8)}a.ts`,
      startLine: line,
      endLine: line,
    }));
    const shown = seen({
      text: 'Because. '.repeat(900),
      notFound: 'x'.repeat(300),
      places,
      suggestion: { code: 'y'.repeat(600), applies: true },
    });
    expect([
      shown.match(/#L\d$/gm)?.length,
      /x{300}/.test(shown),
      /y{600}/.test(shown),
      shown.includes('… (cut: too long)'),
    ]).toEqual([4, true, true, true]);
  });

  it('is signed for the thread that it stands in, and says when it was given', () => {
    const places = [null, 1, 2].map((thread) => ({ in: 'answer', thread }) as const);
    const signed = (asked: Answer['asked']) => {
      const [mark] = readWrittenMarks(rendered({ asked }));
      return places.map((place) => mark !== undefined && keys.accepts(mark, place));
    };
    const byHand = asking('/postil help', {}, { comment: null });
    expect([to, byHand, asking('Why?', inThread), asking('Why?', { ...inThread, thread: 2 })].map(signed)).toEqual([
      [true, false, false],
      [true, false, false],
      [false, true, false],
      [false, false, true],
    ]);
    expect(readWrittenMarks(rendered({}))[0]?.mark).toMatchObject({ at: form.at, commit: head, to: 'IC_50' });
  });

  it('is signed for what it says, and for nothing else', () => {
    const [mark] = readWrittenMarks(rendered({}));
    if (mark === undefined) throw new Error('There is no mark.');
    const other = { ...mark, content: mark.content.replace('"ask"', '"fix"') };
    expect([
      keys.accepts(mark, { in: 'answer', thread: null }),
      keys.accepts(other, { in: 'answer', thread: null }),
    ]).toEqual([true, false]);
  });
});

const text = fc
  .tuple(hostileText, fc.constantFrom(0, 300, 5_000))
  .map(([unit, length]) => unit.repeat(Math.max(1, Math.ceil(length / Math.max(1, unit.length)))));
const path = fc
  .tuple(hostileText, fc.constantFrom(1, 4, 400))
  .map(([part, times]) => `src/${part.repeat(times)}`.slice(0, 4_000));
const places = fc.record({ path, startLine: fc.constantFrom(1, 123_456), endLine: fc.constant(123_460) });
const answers: fc.Arbitrary<Answer> = fc.record({
  ...{ asked: fc.constantFrom(to, asking('Why?', inThread)), isDone: fc.constant(true), movesGate: fc.constant(true) },
  ...{ text, notFound: fc.option(text), places: fc.array(places, { maxLength: 4 }), about: fc.option(text) },
  ...{ verdict: fc.constantFrom('stands', 'withdrawn', 'fixed'), proof: places },
  suggestion: fc.option(fc.record({ code: text, applies: fc.constant(false) })),
});

describe('whatever a model writes in an answer', () => {
  // What is ours: the line above, the label of what is missing, and links.
  const ours = /<\/?sub>/g;
  it('does nothing, is short, and says of itself what it is', () => {
    fc.assert(
      fc.property(answers, fc.constantFrom(null, 'd'.repeat(40)), (answer, movedTo) => {
        const gate = { url: `${root}/actions/runs/123456789`, runsAgain: false };
        const body = renderAnswer(answer, { ...form, movedTo, gate });
        const shown = withoutMarks(body);
        const acting = actingParts(shown.replace(ours, ' ')).filter((part) => !part.startsWith(`${root}/`));
        const [mark, ...others] = readWrittenMarks(body);
        expect([acting, others, mark?.mark]).toMatchObject([
          [],
          [],
          { kind: 'answer', to: answer.asked.comment?.id, verdict: answer.verdict },
        ]);
        expect(shown.length).toBeLessThanOrEqual(answerCharacters);
        expect(renderAnswer(answer, { ...form, movedTo, gate })).toBe(body);
      }),
      { numRuns: 100 },
    );
  });
});
