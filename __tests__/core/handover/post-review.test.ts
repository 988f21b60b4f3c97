import { describe, expect, it } from 'vitest';
import { UserError } from '../../../src/core/errors.ts';
import { type Finding, suppress } from '../../../src/core/findings/finding.ts';
import { checkReviewFile, type Posting, recheckFinding } from '../../../src/core/handover/post-review.ts';
import { type Message, verbatim } from '../../../src/core/messages/message.ts';
import { obeyedComments } from '../../../src/core/rules/obey-comments.ts';
import { finding, linesAt } from '../../fakes/review-record.ts';
import { batchWith, origin, reviewedDraft, reviewFile, stoppedDraft } from '../../fakes/rich-record.ts';
import { changedFile, sources } from '../findings/make.ts';

const cart = `${'\n'.repeat(11)}  return items[items.length].price;\n`;
const posting: Posting = {
  ...origin,
  sources: sources([changedFile('src/cart.ts')], { head: { 'src/cart.ts': cart } }),
  commentFor: () => null,
};

const forged = finding({ id: 'f2', title: 'Forged', anchor: linesAt([1, 1], 'x') });
const forgedElsewhere = { ...forged, id: 'f3', path: 'src/nowhere.ts' };

describe('a review file of this pull request at this commit', () => {
  it('is the draft that it holds', async () => {
    const file = reviewFile({ draft: reviewedDraft({ ruleFindings: [finding({ id: 'f2', source: 'rule' })] }) });
    expect(await checkReviewFile(file, posting)).toEqual(file.draft);
  });

  it('says why nothing was reviewed', async () => {
    const draft = stoppedDraft({ reason: 'skipped', why: verbatim('The pull request is a draft.') });
    expect(await checkReviewFile(reviewFile({ draft }), posting)).toEqual(draft);
  });

  it('keeps of the other places of a finding those that are there, and how many more there are', async () => {
    const alsoAt = ['src/cart.ts:3', 'src/cart.ts:13', 'src/nowhere.ts:1', 'and 7 more'];
    const draft = reviewedDraft({ batches: [batchWith([finding({ alsoAt, alsoMore: 7 })])] });
    const kept = batchWith([finding({ alsoAt: ['src/cart.ts:3'], alsoMore: 7 })]);
    expect(await checkReviewFile(reviewFile({ draft }), posting)).toEqual({ ...draft, batches: [kept] });
  });

  it('loses the places that the source does not support, and is not complete then', async () => {
    const draft = reviewedDraft({ batches: [batchWith([finding(), forged])], ruleFindings: [forgedElsewhere] });
    const lost = (one: Finding, reason: Message) =>
      ({ ...one, anchor: { kind: 'file' }, suggestion: null, unplaced: { reason, quote: 'x' } }) as const;
    expect(await checkReviewFile(reviewFile({ draft }), posting)).toEqual({
      ...draft,
      ruleFindings: [lost(forgedElsewhere, { code: 'unplaced.no-file-head' })],
      batches: [batchWith([finding(), lost(forged, { code: 'unplaced.quote-not-there' })])],
      coverage: {
        ...draft.coverage,
        reviewed: [],
        unreviewed: [{ path: 'src/cart.ts', reason: { code: 'file.finding-outdated' } }],
        missing: [{ code: 'note.entries-unplaced', count: 2 }],
      },
    });
  });
});

describe('what a comment in the code keeps from being raised, as a review file says', () => {
  const rule = finding({ id: 'f2', source: 'rule', ruleId: 'no-last' });
  const draft = reviewedDraft({
    ignored: [suppress(rule, { by: 'rule-comment', reason: verbatim('ignored by a comment') })],
  });
  const comment = { path: rule.path, line: 11, about: 12, ruleId: 'no-last', reason: 'it is measured' };

  it('is raised where the code has no such comment', async () => {
    const checked = await checkReviewFile(reviewFile({ draft }), posting);
    expect(checked).toEqual({ ...draft, ruleFindings: [rule], ignored: [] });
  });

  it('stays so where the code has it, in the words of the code', async () => {
    const commentFor = obeyedComments([{ ...comment, refused: null, aboutAdded: true }]);
    const reason = { code: 'finding.ignored', place: 'src/cart.ts:11', words: 'it is measured' } as const;
    const checked = await checkReviewFile(reviewFile({ draft }), { ...posting, commentFor });
    expect(checked).toEqual({ ...draft, ignored: [suppress(rule, { by: 'rule-comment', reason })] });
  });
});

describe('a review file of another commit', () => {
  it.each([
    ['head', { head: 'e'.repeat(40) }, { code: 'skip.outdated-head', commit: 'e'.repeat(12), now: 'a'.repeat(12) }],
    [
      'merge base',
      { mergeBase: 'e'.repeat(40) },
      { code: 'skip.outdated-base', commit: 'e'.repeat(12), now: 'c'.repeat(12) },
    ],
  ])('(%s) is skipped: nothing of it is posted', async (_, changes, why) => {
    const stopped = { kind: 'stopped', stop: { reason: 'skipped', why } };
    expect(await checkReviewFile(reviewFile(changes), posting)).toMatchObject(stopped);
  });
});

describe('a review file of another pull request', () => {
  it.each([
    ['repository', { repository: 'acme/other' }, 'acme/other#7'],
    ['number', { number: 8 }, 'acme/shop#8'],
  ])('(%s) fails the run, whatever commit it names', async (_, changes, named) => {
    const checking = checkReviewFile(reviewFile({ ...changes, head: 'e'.repeat(40) }), posting);
    await expect(checking).rejects.toThrow(UserError);
    await expect(checking).rejects.toThrow(`The review file is for ${named}, but this run is for acme/shop#7.`);
  });
});

const token = ['ghp', 'k3J9'.repeat(10)].join('_');
const minified = 'x'.repeat(30_000);

const text = `one\n  two\nconst token = '${token}';\n${minified}\n`;
const files = [
  changedFile('src/a.ts'),
  changedFile('src/new-name.ts', { status: 'renamed', oldPath: 'src/old-name.ts' }),
  changedFile('src/gone.ts', { status: 'deleted' }),
  changedFile('logo.png', { kind: 'binary' }),
];
const source = sources(files, {
  head: { 'src/a.ts': text, 'src/new-name.ts': 'new\n', 'src/caller.ts': 'a();\n' },
  base: { 'src/old-name.ts': 'old\n', 'src/gone.ts': 'guard();\n' },
});

type Lines = Partial<Extract<Finding['anchor'], { kind: 'lines' }>>;

function at(path: string, lines: Lines | null, changes: Partial<Finding> = {}): Finding {
  const anchor = lines === null ? ({ kind: 'file' } as const) : { ...linesAt([1, 1], 'one'), ...lines };
  return finding({ path, anchor, suggestion: null, ...changes });
}

const redactedLine = "const token = '[redacted: github token]';";
const redacted = { startLine: 3, endLine: 3, quote: redactedLine };

describe('a finding of a review file holds', () => {
  it.each([
    ['on a line at head', at('src/a.ts', {})],
    ['on several lines', at('src/a.ts', { endLine: 2, quote: 'one\n  two' })],
    ['on lines that are shown redacted', at('src/a.ts', redacted)],
    ['in a file outside of the diff', at('src/caller.ts', { quote: 'a();' })],
    ['on a line before a rename', at('src/new-name.ts', { side: 'LEFT', quote: 'old' })],
    ['on a line of a deleted file', at('src/gone.ts', { side: 'LEFT', quote: 'guard();' })],
    ['on a changed file as a whole', at('logo.png', null)],
  ])('%s, exactly as it is', async (_, claimed) => {
    expect(await recheckFinding(claimed, source)).toEqual({ ok: true, finding: claimed });
  });

  it('on a line that is too long for the file, as far as the file goes, and quotes the source again', async () => {
    const claimed = at('src/a.ts', { startLine: 4, endLine: 4, quote: minified.slice(0, 20_000) });
    expect(await recheckFinding(claimed, source)).toMatchObject({ ok: true, finding: { anchor: { quote: minified } } });
  });
});

describe('a finding of a review file is refused', () => {
  const otherText = 'unplaced.quote-not-there';
  const noLines = 'unplaced.no-such-lines';
  const nothingRemoved = 'unplaced.nothing-removed';
  const noOldFile = 'unplaced.no-file-before';
  const noPath = 'unplaced.no-path';

  it.each([
    ['when another text stands there', at('src/a.ts', { quote: 'One' }), otherText],
    ['when it is a line off', at('src/a.ts', { startLine: 2, endLine: 2 }), otherText],
    ['when it quotes a part', at('src/a.ts', { quote: 'on' }), otherText],
    ['when it quotes nothing', at('src/a.ts', { quote: '' }), otherText],
    ['when the lines are not there', at('src/a.ts', { endLine: 9 }), noLines],
    ['when it ends before it starts', at('src/a.ts', { startLine: 2 }), noLines],
    ['on an old line outside of the diff', at('src/caller.ts', { side: 'LEFT' }), nothingRemoved],
    ['on a new line of a deleted file', at('src/gone.ts', {}), 'unplaced.no-file-head'],
    ['on an old line of a file that had none', at('src/a.ts', { side: 'LEFT' }), noOldFile],
    ['on a whole file outside of the diff', at('src/caller.ts', null), 'unplaced.file-not-in-diff'],
    ['on a path that leads out', at('../a.ts', {}), noPath],
    ['on a path into git', at('.git/config', {}), noPath],
    ['on no path', at('', null), noPath],
    ['on a path that is spelt in another way', at('./src/a.ts', {}), noPath],
  ])('%s', async (_, claimed, code) => {
    expect(await recheckFinding(claimed, source)).toEqual({ ok: false, reason: { code } });
  });
});

describe('the suggestion of a review file', () => {
  it.each([
    ['stays where it can be applied', at('src/a.ts', {}, { suggestion: 'uno' }), 'uno'],
    ['goes when it changes nothing', at('src/a.ts', {}, { suggestion: 'one' }), null],
    ['goes on a redacted line', at('src/a.ts', redacted, { suggestion: 'x' }), null],
    ['goes when it would write a redaction', at('src/a.ts', {}, { suggestion: redactedLine }), null],
    ['goes on removed lines', at('src/gone.ts', { side: 'LEFT', quote: 'guard();' }, { suggestion: 'x' }), null],
    ['goes for a whole file', at('src/a.ts', null, { suggestion: 'x' }), null],
  ] as const)('%s', async (_, claimed, suggestion) => {
    expect(await recheckFinding(claimed, source)).toMatchObject({ ok: true, finding: { suggestion } });
  });
});
