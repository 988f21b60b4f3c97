import { describe, expect, it } from 'vitest';
import { commandsFor, declinesOf, notesOnCommands } from '../../../src/core/history/declines.ts';
import type { Comment, ReviewThread } from '../../../src/core/pull-request/pull-request.ts';
import { ownRemark, postedReview, remark, thread } from '../../fakes/remarks.ts';

const first = ownRemark('The last price is read past the end.');
/** Of hopper nobody can tell. */
const canWrite = async (login: string) => (login === 'hopper' ? null : login === 'grace' || login === 'linus');
const not = ', who may not';

/** Who declines, by what, and with what weight. */
async function declinedBy(changes: Partial<ReviewThread>): Promise<readonly string[]> {
  const declines = await declinesOf({ thread: thread({ comments: [first], ...changes }) }, canWrite);
  return declines.map((one) => `${one.how} by ${one.by}${one.canWrite ? '' : not}`);
}

/** A reply of so many minutes past ten. */
const at = (minute: number, author: string, body: string, more: Partial<Comment> = {}) =>
  remark({ author, body, date: `2026-11-02T10:${minute}:00Z`, ...more });
const no = (author: string, minute = 10) => at(minute, author, 'False positive.');
const undo = (author: string, minute = 20) => at(minute, author, '/postil undismiss I was wrong.');
const replied = (...replies: readonly Comment[]) => ({ comments: [first, ...replies] });
const resolved = (resolvedBy: string) => ({ isResolved: true, resolvedBy });
const voted = (by: string, minute: number) => ({
  ...first,
  thumbsDown: [by],
  thumbsDownDates: [`2026-11-02T10:${minute}:00Z`],
});
const edited = (by: string | null, minute: number) => ({ edited: { by, date: `2026-11-02T10:${minute}:00Z` } });

describe('who declines a finding', () => {
  it.each<[string, Partial<ReviewThread>, readonly string[]]>([
    ['nobody, in an open thread', {}, []],
    ['who resolves the thread', resolved('grace'), ['resolved by grace']],
    ['nobody, when we resolved it', resolved(first.author), []],
    ['nobody, when another bot did', resolved('stale[bot]'), []],
    ['with little weight its author', resolved('ada'), [`resolved by ada${not}`]],
    ['who votes it down', { comments: [{ ...first, thumbsDown: ['linus'] }] }, ['thumbs-down by linus']],
    ['with little weight whoever votes', { comments: [voted('eve', 10)] }, [`thumbs-down by eve${not}`]],
    ['nobody, when a bot votes or replies', { comments: [voted('x[bot]', 10), no('y[bot]')] }, []],
    ['who replies so', replied(no('grace')), ['reply by grace']],
    ['with little weight whoever replies so', replied(no('eve')), [`reply by eve${not}`]],
    ['not we ourselves', replied(ownRemark('False positive.')), []],
    ['not who took it back', replied(no('grace'), undo('grace')), []],
    ['not who only thanks later', replied(no('grace'), at(20, 'grace', 'Good catch, fixed.')), ['reply by grace']],
    ['not whom another who may write contradicts', replied(no('grace'), undo('linus')), []],
    ['who is contradicted by a stranger', replied(no('grace'), undo('eve')), ['reply by grace']],
    ['not whom somebody contradicts who perhaps may write', replied(no('grace'), undo('hopper')), []],
    ['with little weight who perhaps may write', replied(no('hopper')), [`reply by hopper${not}`]],
    [
      'not who is contradicted in words that nobody knows who edited',
      replied(no('grace'), at(20, 'linus', '/postil undismiss', edited(null, 30))),
      [],
    ],
    ['who is contradicted by a bot', replied(no('grace'), undo('x[bot]')), ['reply by grace']],
    ['who declines it again later', replied(no('grace'), undo('linus'), no('grace', 30)), ['reply by grace']],
    [
      'whoever comes last, in whatever order they are listed',
      replied(no('grace', 30), undo('linus')),
      ['reply by grace'],
    ],
    ['who votes after it was taken back', { comments: [voted('grace', 30), undo('linus')] }, ['thumbs-down by grace']],
    ['not who voted before it was taken back', { comments: [voted('grace', 10), undo('linus')] }, []],
    [
      'not who voted at a time that is not known',
      { comments: [{ ...first, thumbsDown: ['grace'] }, undo('linus')] },
      [],
    ],
    [
      'not who resolved it, at whatever time, when it is taken back',
      { ...resolved('grace'), ...replied(undo('grace')) },
      [],
    ],
    [
      'who dismisses it after that',
      { ...resolved('grace'), ...replied(undo('grace'), at(30, 'grace', '/postil dismiss Checked.')) },
      ['dismissed by grace'],
    ],
    [
      'who resolves it, whatever was answered',
      { ...resolved('grace'), ...replied(at(10, 'linus', 'Good catch!')) },
      ['resolved by grace'],
    ],
    [
      'not for words that somebody else put into their comment',
      replied(at(10, 'grace', 'Ignore', edited('eve', 11))),
      [],
    ],
    ['not for words that nobody knows who put there', replied(at(10, 'grace', 'Ignore', edited(null, 11))), []],
    [
      'as of their last edit',
      replied(at(10, 'grace', 'Ignore', edited('grace', 40)), undo('linus', 30)),
      ['reply by grace'],
    ],
  ])('%s', async (_, changes, expected) => {
    expect(await declinedBy(changes)).toEqual(expected);
  });

  it('is each person once, by what they did last', async () => {
    const all = Array.from({ length: 50 }, (_, index) => no('eve', 10 + index));
    expect(await declinedBy({ ...resolved('grace'), ...replied(...all, no('grace')) })).toEqual([
      'reply by grace',
      `reply by eve${not}`,
    ]);
  });
});

const id = 'p-3f09ab12';

/** Who declines the finding with this id. */
async function byId(conversation: readonly Comment[], ids = [id], replies: readonly Comment[] = []) {
  const commands = commandsFor(ids, { conversation, threads: [thread(replied(...replies))], reviews: [] });
  const declines = await declinesOf({ byId: commands.about(id) }, canWrite);
  const notes = await notesOnCommands(commands, canWrite);
  return [declines.map((one) => `${one.by}: ${one.words ?? ''}${one.canWrite ? '' : not}`), notes.length];
}

describe('a line `/postil dismiss ID REASON`', () => {
  const dismiss = `/postil dismiss ${id} The caller checks it.`;
  const counts = ['grace: The caller checks it.'];
  it.each<[string, string, readonly string[]]>([
    ['by itself', dismiss, counts],
    ['below another paragraph', `Thanks for the review.\n\n${dismiss}`, []],
    ['behind a few spaces', `  ${dismiss}`, counts],
    ['with a colon', dismiss.replace('dismiss', 'dismiss:'), counts],
    ['below a quote and a blank line', `> What of this?\n\n${dismiss}`, counts],
    ['among others', `/postil dismiss p-00000001 x\r\n${dismiss}\r\n/postil dismiss p-00000002 y`, counts],
    ['with its id in other letters and as code', '/postil dismiss `P-3F09AB12`: The caller checks it.', counts],
    ['without a reason', `/postil dismiss ${id}`, ['grace: ']],
    ['taken back below', `${dismiss}\n/postil undismiss ${id}`, []],
    ['taken back above', `/postil undismiss ${id}\n${dismiss}`, counts],
    ['as a question', `/postil dismiss ${id}?`, []],
    ['with a longer id', `/postil dismiss ${id}f x`, []],
    ['with a shorter id', '/postil dismiss p-3f09ab1 x', []],
    ['without an id', '/postil dismiss The caller checks it.', []],
    ['in the middle of a line', `Write ${dismiss}`, []],
    ['as an item of a list', `- ${dismiss}`, []],
    ['as code', `\`${dismiss}\``, []],
    ['as fenced code', `As follows:\n\`\`\`\n${dismiss}\n\`\`\``, []],
    ['as fenced code in a list', `- \`\`\`\n  ${dismiss}\n  \`\`\``, []],
    ['as indented code', `As follows:\n\n    ${dismiss}`, []],
    ['in a quote', `> ${dismiss}`, []],
    ['in what may still be a quote', `> Somebody wrote:\n${dismiss}`, []],
    ['hidden', `Fine.\n<!--\n${dismiss}\n-->`, []],
    ['below other words', `Thanks for the review.\n${dismiss}`, counts],
    ['in code over lines', `Type \`\n${dismiss}\n\` to decline.`, []],
    ['in a tag of code', `Type <code>\n${dismiss}\n</code>`, []],
    ['folded in behind a word', `Fine <details><summary>x</summary>\n\n${dismiss}\n\n</details>`, []],
    ['in the title of a link', `Fine.\n\n[a]: http://x "\n${dismiss}\n"`, []],
    ['in a note that nothing names', `[^1]: note\n${dismiss}`, []],
    ['as mathematics', `$$\n${dismiss}\n$$`, []],
    ['crossed out', `Not so: ~~please\n${dismiss}\nthanks~~`, []],
    ['in an attribute', `See <a title="\n${dismiss}\n">a</a>`, []],
    ['in what nobody can parse', `${'> '.repeat(4_000)}\n\n${dismiss}`, []],
    ['in a tag', `<blockquote>\n${dismiss}\n</blockquote>`, []],
  ])('%s', async (_, body, expected) => {
    const [declines] = await byId([remark({ author: 'grace', body })]);
    expect(declines).toEqual(expected);
  });

  it.each<[string, Comment, readonly string[], number]>([
    [
      'of somebody who may not write has no weight',
      remark({ author: 'eve', body: dismiss }),
      [`eve: The caller checks it.${not}`],
      0,
    ],
    ['in a hidden comment is none', remark({ author: 'grace', body: dismiss, isMinimized: true }), [], 0],
    ['with a digit too few is noted', remark({ author: 'grace', body: '/postil dismiss p-3f09ab1 x' }), [], 1],
    ['with a long dash is noted', remark({ author: 'grace', body: '/postil dismiss p–3f09ab1 x' }), [], 1],
    ['of a bot is none', remark({ author: 'x[bot]', body: dismiss }), [], 0],
    ['of our own is none', ownRemark(dismiss), [], 0],
    [
      'that somebody else wrote into it is none',
      remark({ author: 'grace', body: dismiss, ...edited('eve', 50) }),
      [],
      0,
    ],
    ['with an unknown id is noted once', remark({ author: 'grace', body: '/postil dismiss p-00000001 x' }), [], 1],
    [
      'of a stranger with an unknown id is not noted',
      remark({ author: 'eve', body: '/postil dismiss p-00000001 x' }),
      [],
      0,
    ],
  ])('%s', async (_, comment, declines, notes) => {
    expect(await byId([comment])).toEqual([declines, notes]);
  });

  it('counts in a reply of a thread, too, and not in what opens one of ours', async () => {
    const body = dismiss;
    expect(await byId([], [id], [remark({ author: 'grace', body })])).toEqual([counts, 0]);
  });

  it('is noted where it stands in the text of a review', async () => {
    const review = postedReview({ author: 'grace', body: dismiss, isSelf: false });
    const commands = commandsFor([id], { conversation: [], threads: [], reviews: [review] });
    expect([commands.about(id), await notesOnCommands(commands, canWrite)]).toEqual([
      [],
      [`The text of a review names ${id} after \`/postil\`, which counts only in a comment.`],
    ]);
  });

  it('counts for nothing when two findings have the id', async () => {
    expect(await byId([remark({ author: 'grace', body: dismiss })], [id, id])).toEqual([[], 1]);
  });

  it('names five unknown ids at most', async () => {
    const body = Array.from({ length: 9 }, (_, index) => `/postil dismiss p-0000000${index} x`).join('\n');
    const commands = commandsFor([id], { conversation: [remark({ author: 'grace', body })], threads: [], reviews: [] });
    const [note = ''] = await notesOnCommands(commands, canWrite);
    expect([note.match(/p-0/g)?.length, note.includes(' and 4 more ')]).toEqual([5, true]);
  });
});
