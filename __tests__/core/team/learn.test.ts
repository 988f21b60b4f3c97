import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writeMark } from '../../../src/core/history/mark.ts';
import type { Said as Discussion } from '../../../src/core/history/signed-marks.ts';
import type { KnownFinding } from '../../../src/core/history/state.ts';
import { parseMarkdown } from '../../../src/core/markdown.ts';
import type { Comment, ReviewThread } from '../../../src/core/pull-request/pull-request.ts';
import { type Lesson, proposeAnswers, readLessons, renderAnswer } from '../../../src/core/team/learn.ts';
import { knownFinding, stateMark } from '../../fakes/earlier-rounds.ts';
import { finding, marked, ownRemark, postedReview, remark, thread } from '../../fakes/review-record.ts';

const body = `Words.\n\n${writeMark(marked(finding({ ruleId: 'no-x' })))}`;
// A person on a laptop is not the one who posted.
const posted = ownRemark(body, { isSelf: false, date: '2026-11-01T10:00:00Z', url: 'https://x.example/r1' });
const reply = remark({
  author: 'grace',
  body: 'By design. The caller checks it.',
  date: '2026-11-02T10:00:00Z',
  url: 'https://x.example/r2',
});

function readFrom(discussion: Partial<Discussion>) {
  return readLessons(
    { conversation: [], reviews: [], threads: [], ...discussion },
    { author: 'GitHub-Actions[bot]', canWrite: async (login) => ['grace', 'linus'].includes(login) },
  );
}

async function lessonFrom(comments: readonly Comment[], more: Partial<ReviewThread> = {}) {
  const { lessons } = await readFrom({ threads: [thread({ comments, ...more })] });
  return lessons[0] ?? null;
}

describe('a lesson from a thread', () => {
  it('is the finding, and who declined it, when and why', async () => {
    expect(await lessonFrom([posted, reply], { path: 'src/basket.ts' })).toEqual({
      path: 'src/basket.ts',
      title: finding().title,
      ruleId: 'no-x',
      by: 'grace',
      words: reply.body,
      date: reply.date,
      url: reply.url,
    });
  });

  it('is a 👎 without a reason, and a reply of the person who runs the command', async () => {
    const voted = await lessonFrom([{ ...posted, thumbsDown: ['eve', 'grace'] }]);
    expect(voted).toMatchObject({ by: 'grace', words: '', date: posted.date, url: posted.url });
    expect(await lessonFrom([posted, { ...reply, isSelf: true }])).toMatchObject({ words: reply.body });
  });

  it('has the reason of somebody who gave one, and of whoever dismissed it', async () => {
    const dismissal = { ...reply, author: 'linus', body: '/postil dismiss A demo.', date: '2026-11-01T12:00:00Z' };
    const voted = { ...posted, thumbsDown: ['grace'], thumbsDownDates: ['2026-11-05T10:00:00Z'] };
    expect(await lessonFrom([voted, dismissal])).toMatchObject({ by: 'linus', words: 'A demo.' });
  });

  it('holds no part of a secret, however long the reason is', async () => {
    const body = `By design. ${'x'.repeat(70)} ${token}`;
    expect((await lessonFrom([posted, { ...reply, body }]))?.words).not.toContain(token.slice(0, 8));
  });

  it.each<[string, readonly Comment[], Partial<ReviewThread>]>([
    ['nobody answered', [posted], {}],
    ['it was resolved: fixed findings are resolved too', [posted], { isResolved: true, resolvedBy: 'grace' }],
    ['somebody declined it who may not write', [posted, { ...reply, author: 'eve' }], {}],
    ['somebody else opened the thread', [remark({ body, author: 'eve' }), reply], {}],
    ['the place is another than its mark says', [posted, reply], { originalLine: 99 }],
    ['there is no mark in it', [{ ...posted, body: 'Words.' }, reply], {}],
  ])('is none where %s', async (_, comments, more) => {
    expect(await lessonFrom(comments, more)).toBeNull();
  });
});

/** The summary comment of a run that knows these. */
function summary(...findings: readonly KnownFinding[]) {
  return ownRemark(`Words.\n\n${writeMark(stateMark({ findings }))}`, { isSelf: false });
}

const mark = marked(finding({ title: 'Low' }), { id: 'p-aaaaaaaa' });
const below = summary({ ...knownFinding(mark), quiet: true });
const ended = summary(knownFinding(mark, { life: 'fixed' }));
const open = summary(knownFinding(mark));
const inReview = postedReview({ body: `Words.\n\n${writeMark(mark)}`, isSelf: false });
const opening = ownRemark(`Words.\n\n${writeMark(mark)}`, { isSelf: false });
const dismissal = { ...reply, body: '/postil dismiss p-aaaaaaaa A demo.' };
const undismissal = { ...reply, body: '/postil undismiss p-aaaaaaaa', date: '2026-11-04T10:00:00Z' };

describe('a lesson from a dismissal by id', () => {
  const earlier = thread({ comments: [opening, { ...reply, date: '' }] });
  const foreign = thread({ comments: [remark(), dismissal] });

  it.each<[string, Partial<Discussion>]>([
    ['the summary comment', { conversation: [below, dismissal] }],
    ['the summary comment, as one that ended', { conversation: [ended, dismissal] }],
    ['a comment that was deleted', { conversation: [open, dismissal] }],
    ['a review', { conversation: [dismissal], reviews: [inReview] }],
    ['two places', { conversation: [below, dismissal], reviews: [inReview] }],
    ['a thread with an earlier decline', { conversation: [open, dismissal], threads: [earlier] }],
    ['the summary, said in the thread of somebody else', { conversation: [below], threads: [foreign] }],
  ])('is one where the finding is in %s', async (_, discussion) => {
    const { path, title, ruleId } = mark;
    const lesson = { path, title, ruleId, by: 'grace', words: 'A demo.', date: reply.date, url: reply.url };
    expect(await readFrom(discussion)).toEqual({ lessons: [lesson], findings: 1 });
  });

  it.each<[string, readonly Comment[]]>([
    ['by somebody who may not write', [below, { ...dismissal, author: 'eve' }]],
    ['by Postil itself', [below, { ...dismissal, author: 'github-actions[bot]' }]],
    ['of what a stranger says was found', [{ ...below, author: 'eve' }, dismissal]],
    ['that was taken back', [below, dismissal, undismissal]],
  ])('is none %s', async (_, conversation) => {
    expect((await readFrom({ conversation })).lessons).toEqual([]);
  });

  it('is none where a thread declines it and another comment takes that back, also where two threads hold it', async () => {
    const threads = Array(2).fill(thread({ comments: [opening, reply] }));
    const count = async (conversation: readonly Comment[]) =>
      (await readFrom({ conversation, threads })).lessons.length;
    expect([await count([]), await count([undismissal])]).toEqual([2, 0]);
  });

  it('is one by the name of the reviewer, and by the address of a comment', async () => {
    const bodies = ['@review dismiss p-aaaaaaaa A demo.', `/postil dismiss ${opening.url} A demo.`];
    const words = bodies.map(async (body) => {
      const conversation = [{ ...reply, body }];
      return (await readFrom({ threads: [thread({ comments: [opening] })], conversation })).lessons[0]?.words;
    });
    expect(await Promise.all(words)).toEqual(['A demo.', 'A demo.']);
  });

  it('is one for each finding that a comment names, in the file as it is called at the end', async () => {
    const moved = marked(finding({ path: 'src/new.ts' }), { id: 'p-cccccccc' });
    const both = summary(knownFinding({ ...mark, path: 'src/b.ts' }), knownFinding(moved, { life: 'gone' }));
    const two = { ...dismissal, body: `${dismissal.body}\n/postil dismiss p-cccccccc` };
    const { lessons } = await readFrom({ conversation: [both, two], reviews: [inReview] });
    expect(lessons.map(({ path, words }) => [path, words])).toEqual([
      ['src/b.ts', 'A demo.'],
      ['src/new.ts', ''],
    ]);
  });
});

const lesson: Lesson = {
  path: 'src/cart.ts',
  title: 'The total may be NaN',
  ruleId: null,
  by: 'grace',
  words: 'By design: the demo shop has no prices.',
  date: '2026-11-02T10:00:00Z',
  url: 'https://github.com/acme/shop/pull/7#discussion_r12',
};
const token = ['ghp', 'A1b2C3d4E5'.repeat(4)].join('_');

/** Types of the nodes in a line of Markdown, from the outside in. */
function nodesIn(markdown: string): readonly string[] {
  const types: string[] = [];
  const visit = (node: { type: string; children?: readonly { type: string }[] }) => {
    types.push(node.type);
    for (const child of node.children ?? []) visit(child);
  };
  visit(parseMarkdown(markdown));
  return [...new Set(types)];
}

describe('a standing answer', () => {
  it('is one line', () => {
    expect([renderAnswer(lesson), renderAnswer({ ...lesson, ruleId: 'no-nan', words: '' })]).toEqual([
      '- `src/cart.ts`: do not report `The total may be NaN` again. grace: `By design: the demo shop has no prices.` (2026-11-02, https://github.com/acme/shop/pull/7#discussion_r12)',
      '- `src/cart.ts`: do not report `The total may be NaN` (rule `no-nan`) again. grace: no reason given (2026-11-02, https://github.com/acme/shop/pull/7#discussion_r12)',
    ]);
  });

  it('hides nothing, ends no code span and keeps no secret', () => {
    const words = `It's \`fine\`.\u200B\n<!-- and\nnot --> ${token}`;
    expect(renderAnswer({ ...lesson, words, url: 'javascript:alert(1)', date: '](x)', by: '![x](y)' })).toMatch(
      /again\. xy: `It's 'fine'\.\\u\{200B\} <!-- and not --> \[redacted: [^\]]*\]` \(\)$/,
    );
  });

  it('has an end', () => {
    const long = 'x'.repeat(100_000);
    const endless = { ...lesson, path: long, title: long, ruleId: long, words: long };
    expect(renderAnswer(endless).length).toBeLessThan(900);
  });

  it('is a list item of text and code, and is found again in the file, whatever its texts are', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.constantFrom('<details>', '<!-- ', '`', '``` ', '\n- x', '\n\n# y', '![i](https://x.example)', '\\', ' '),
    );
    const text = fc.array(piece, { minLength: 1, maxLength: 5 }).map((pieces) => `a${pieces.join('')}`);
    fc.assert(
      fc.property(text, text, fc.option(text), fc.option(text), (path, title, ruleId, words) => {
        const given = { ...lesson, path, title, ruleId, words: words ?? '', url: '' };
        const line = renderAnswer(given);
        expect(nodesIn(line)).toEqual(['root', 'list', 'listItem', 'paragraph', 'inlineCode', 'text']);
        expect(proposeAnswers([given], line)).toEqual([]);
      }),
    );
  });
});

describe('what is proposed', () => {
  it('is one line per matter, with the reason of the last decline, the newest at the end', () => {
    const again = { title: 'The total may be NaN in the cart', words: 'Still no.', url: `${lesson.url}9` };
    const later = { ...lesson, ...again, date: '2026-11-05T10:00:00Z' };
    const other = { ...lesson, path: 'src/b.ts', date: '2026-11-03T10:00:00Z', url: `${lesson.url}3` };
    expect(proposeAnswers([later, lesson, other], '')).toEqual([renderAnswer(other), renderAnswer(later)]);
  });

  it('is one line per rule and file, and one per title where not both have a rule', () => {
    const matters = [
      ['A', 'r', 'a.ts'],
      ['B', 'r', 'a.ts'],
      ['C', 'r', 'b.ts'],
      ['C', 's', 'b.ts'],
      ['C', null, 'b.ts'],
      ['c', null, 'b.ts'],
    ] as const;
    const lessons = matters.map(([title, ruleId, path], index) => ({
      ...lesson,
      title,
      ruleId,
      path,
      url: `${index}`,
    }));
    expect(proposeAnswers(lessons, '')).toHaveLength(3);
  });

  it.each([
    ['its line', `Team's own.\r\n${renderAnswer({ ...lesson, url: '' })}\r\n`],
    ['its link, in whatever words', `- We accept this (see ${lesson.url}).\n`],
  ])('leaves out what the file has already: %s', (_, memory) => {
    expect(proposeAnswers([lesson], memory)).toEqual([]);
  });

  it('does not take a link for another that begins alike', () => {
    expect(proposeAnswers([lesson], `- See ${lesson.url}3\n`)).toHaveLength(1);
  });

  it('is fifty lines, the newest, and the others after those', () => {
    const day = (index: number) => new Date(Date.UTC(2026, 0, 1 + index)).toISOString();
    const lessons = Array.from({ length: 60 }, (_, index) => {
      return { ...lesson, path: `${index}.ts`, url: `${index}`, date: day(index) };
    });
    const first = proposeAnswers(lessons, '');
    const second = proposeAnswers(lessons, first.join('\n'));
    expect([first.length, first.at(-1), second]).toEqual([
      50,
      renderAnswer({ ...lesson, path: '59.ts', url: '', date: day(59) }),
      lessons.slice(0, 10).map(renderAnswer),
    ]);
  });

  it('is never proposed twice', () => {
    const words = fc.constantFrom(
      'A',
      'a',
      'B"`',
      'C\n',
      '\u202E',
      '<!-- x -->',
      'x'.repeat(400),
      'x y z',
      'x y z w v',
    );
    const texts = { path: words, title: words, ruleId: fc.option(words), words };
    fc.assert(
      fc.property(fc.array(fc.record(texts), { maxLength: 8 }), fc.string(), (given, memory) => {
        const lessons = given.map((texts, index) => ({
          ...lesson,
          ...texts,
          url: index % 2 === 0 ? `https://${index}` : '',
        }));
        const lines = proposeAnswers(lessons, memory);
        expect(proposeAnswers(lessons, [memory, ...lines].join('\n'))).toEqual([]);
      }),
    );
  });
});
