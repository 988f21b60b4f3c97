import { describe, expect, it } from 'vitest';
import { UserError } from '../../../src/core/errors.ts';
import { checkReviewFile, type Posting } from '../../../src/core/review/check-review-file.ts';
import { bundleWith, origin, reviewedDraft, reviewFile, stoppedDraft } from '../../fakes/review-draft.ts';
import { finding } from '../../fakes/review-record.ts';
import { changedFile, sources } from '../findings/make.ts';

const cart = `${'\n'.repeat(11)}  return items[items.length].price;\n`;
const posting: Posting = {
  ...origin,
  sources: sources([changedFile('src/cart.ts')], { head: { 'src/cart.ts': cart } }),
};

const forged = finding({
  id: 'f2',
  title: 'Forged',
  anchor: { kind: 'lines', side: 'RIGHT', startLine: 1, endLine: 1, quote: 'x' },
});
const forgedElsewhere = { ...forged, id: 'f3', path: 'src/nowhere.ts' };

describe('a review file of this pull request at this commit', () => {
  it('is the draft that it holds', async () => {
    const file = reviewFile({ draft: reviewedDraft({ ruleFindings: [finding({ id: 'f2', source: 'rule' })] }) });
    expect(await checkReviewFile(file, posting)).toEqual({ draft: file.draft, refused: [] });
  });

  it('says why nothing was reviewed', async () => {
    const draft = stoppedDraft({ reason: 'skipped', why: 'The pull request is a draft.' });
    expect(await checkReviewFile(reviewFile({ draft }), posting)).toEqual({ draft, refused: [] });
  });

  it('loses the findings that the source does not bear out, and is not complete then', async () => {
    const draft = reviewedDraft({ bundles: [bundleWith([finding(), forged])], ruleFindings: [forgedElsewhere] });
    const { draft: checked, refused } = await checkReviewFile(reviewFile({ draft }), posting);
    const lost = { title: 'Forged', path: 'src/cart.ts', reason: 'not posted: what it quotes does not stand there' };
    const lostRule = {
      title: 'Forged',
      path: 'src/nowhere.ts',
      reason: 'not posted: there is no such text file at head',
    };
    expect(refused).toEqual([lostRule, lost]);
    expect(checked).toEqual({
      ...draft,
      ruleFindings: [],
      refused: [lostRule],
      bundles: [{ ...bundleWith([finding()]), refused: [lost] }],
      coverage: {
        ...draft.coverage,
        reviewed: [],
        unreviewed: [{ path: 'src/cart.ts', reason: 'a finding about it did not hold when it was to be posted' }],
        missing: ['Of the review file 2 findings did not hold at this commit: listed as unplaced.'],
      },
    });
  });
});

describe('a review file of another commit', () => {
  it.each([
    [
      'head',
      { head: 'e'.repeat(40) },
      'The review is superseded: it is of the head eeeeeeeeeeee, and that is aaaaaaaaaaaa by now.',
    ],
    [
      'merge base',
      { mergeBase: 'e'.repeat(40) },
      'The review is superseded: it is of the merge base eeeeeeeeeeee, and that is cccccccccccc by now.',
    ],
  ])('(%s) is skipped: nothing of it is posted', async (_, changes, why) => {
    const { draft } = await checkReviewFile(reviewFile(changes), posting);
    expect(draft).toMatchObject({ kind: 'stopped', stop: { reason: 'skipped', why } });
  });
});

describe('a review file of another pull request', () => {
  it.each([
    ['repository', { repository: 'acme/other' }, 'acme/other#7'],
    ['number', { number: 8 }, 'acme/shop#8'],
  ])('(%s) fails the run, whatever commit it names', async (_, changes, named) => {
    const checking = checkReviewFile(reviewFile({ ...changes, head: 'e'.repeat(40) }), posting);
    await expect(checking).rejects.toThrow(UserError);
    await expect(checking).rejects.toThrow(`The review file is of ${named}, and this run is about acme/shop#7.`);
  });
});
