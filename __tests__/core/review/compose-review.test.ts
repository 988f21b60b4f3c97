import { describe, expect, it } from 'vitest';
import { markOf } from '../../../src/core/memory/finding-mark.ts';
import { readMarks } from '../../../src/core/memory/mark-text.ts';
import { type Memory, noMemory, type PriorFinding } from '../../../src/core/memory/memory.ts';
import { noNewLines } from '../../../src/core/memory/new-lines.ts';
import { renderSticky } from '../../../src/core/report/sticky.ts';
import { composeReview } from '../../../src/core/review/compose-review.ts';
import type { ReviewDraft } from '../../../src/core/review/draft.ts';
import type { LedgerEntry } from '../../../src/core/review/review.ts';
import { parseSettings } from '../../../src/core/settings/parse-settings.ts';
import { bundleWith, reviewedDraft, stoppedDraft } from '../../fakes/review-draft.ts';
import { context, finding, pullRequest, recordOf } from '../../fakes/review-record.ts';
import { changedFile, hunk } from '../findings/make.ts';

const identity = { name: 'Review', run: '2-1', settings: '0123456789abcdef' };
const at = { identity, commit: pullRequest.head.sha, mergeBase: pullRequest.mergeBase, redact: (text: string) => text };
const line = '  return items[items.length].price;';
const files = [changedFile('src/cart.ts', { hunks: [hunk({ old: 12, new: 12 }, `+${line}`)] })];

function prior(changes: Partial<PriorFinding> = {}): PriorFinding {
  const { anchor, path } = finding();
  const present = { kind: 'here', path, anchor } as const;
  const held = { in: 'sticky' } as const;
  const known = { id: 'p1', mark: markOf(finding(), at), held, url: null, signed: true, newLines: noNewLines };
  return { ...known, present, refusals: [], refused: false, ...changes };
}

function composed(draft: ReviewDraft, memory: Partial<Memory>) {
  const { settings } = parseSettings([], null);
  const known = { ...noMemory, ...memory };
  return composeReview(draft, { pullRequest, settings, files, memory: known, identity, mayApprove: true });
}

const placesOf = (draft: ReviewDraft, one: PriorFinding) =>
  composed(draft, { prior: [one] }).placements.map(({ place }) => place);

describe('a run that reviewed nothing', () => {
  const skipped = stoppedDraft({ reason: 'skipped', why: 'The pull request is a draft.' });
  const unmapped = { kind: 'unmapped', path: 'src/cart.ts' } as const;

  it.each<[string, Partial<PriorFinding>, readonly string[]]>([
    ['whose lines are there', {}, ['standing']],
    ['whose commit is gone: nobody looked for it', { present: unmapped }, ['standing']],
    ['whose comment was deleted', { held: { in: 'sticky', deleted: true } }, ['standing']],
    ['whose lines are gone', { present: { kind: 'gone' } }, []],
    ['that somebody declined', { refused: true }, []],
  ])('counts an earlier finding %s', (_, changes, places) => {
    expect(placesOf(skipped, prior(changes))).toEqual(places);
  });

  it('says so in its headline', () => {
    expect(composed(skipped, { prior: [prior()] }).headline).toBe(
      'Not reviewed: The pull request is a draft. Earlier findings still stand: 1 finding (1 critical).',
    );
  });
});

describe('a review by the model', () => {
  const approval = { approved: true, rationale: '', action: 'APPROVE' } as const;
  const clean = reviewedDraft({ bundles: [bundleWith([], { approval })] });
  const again = reviewedDraft({ bundles: [bundleWith([finding()])] });

  it('raises a finding again whose comment was deleted, found again or not', () => {
    const deleted = prior({ held: { in: 'sticky', deleted: true } });
    expect([placesOf(clean, deleted), placesOf(again, deleted)]).toEqual([['inline'], ['inline']]);
  });

  it('says nothing again of what the summary comment alone has held from the start', () => {
    expect([placesOf(clean, prior()), placesOf(again, prior())]).toEqual([['standing'], ['standing']]);
  });

  it('is not to be had after fifty reviews, whatever a draft says', () => {
    const review = composed(clean, { reviews: 50 });
    expect([review.outcome, review.stop.reason, review.event]).toEqual(['partial', 'skipped', 'COMMENT']);
  });
});

describe('the summary comment', () => {
  const entry = (number: number): LedgerEntry => ({
    finding: finding({ id: `f${number}`, title: `${'A long title. '.repeat(14)}${number}` }),
    place: 'inline',
    reason: null,
    url: `https://github.com/acme/shop/pull/7#discussion_r${number}`,
  });

  function stickyOf(count: number): string {
    const ledger = Array.from({ length: count }, (_, index) => entry(index + 1));
    return renderSticky({ ...recordOf({ outcome: 'findings', identity }), ledger }, { ...context, comment: 1 }) ?? '';
  }

  it('remembers open findings with the number of the comment that holds them', () => {
    expect(readMarks(stickyOf(1))).toMatchObject([
      { open: [{ title: entry(1).finding.title.slice(0, 200), comment: 1 }] },
    ]);
  });

  it('says how many it has no room for, and stays as short as GitHub wants it', () => {
    const text = stickyOf(100);
    const [mark] = readMarks(text);
    const kept = mark?.kind === 'sticky' ? (mark.open?.length ?? 0) : 0;
    expect([kept > 20, kept < 100, text.length <= 65_536]).toEqual([true, true, true]);
    expect(text).toContain(`no room to remember ${100 - kept} open findings`);
  });
});
