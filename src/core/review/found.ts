import type { Finding } from '../findings/finding.ts';
import { gatherCauses, mergeFindings } from '../findings/merge.ts';
import { rankFindings } from '../findings/place.ts';
import { isOne } from '../findings/similarity.ts';
import type { ReviewedDraft } from './draft.ts';

/** All that rules and conversations found, each matter once, the most important first. */
export function foundIn(draft: ReviewedDraft): readonly Finding[] {
  const groups = [draft.ruleFindings, ...draft.batches.map(({ findings }) => findings)];
  return gatherCauses(rankFindings(mergeFindings(groups, isOneMatter(draft))));
}

/** What a conversation says of a file of another one is mostly what that one says itself, in its own words. */
function isOneMatter({ batches }: ReviewedDraft): (one: Finding, other: Finding) => boolean {
  const guests = new Set(
    batches.flatMap(({ report, findings }) =>
      findings.flatMap(({ id, path }) => (report.paths.includes(path) ? [] : [id])),
    ),
  );
  return (one, other) =>
    isOne.inReview(one, other) || ((guests.has(one.id) || guests.has(other.id)) && isOne.ofGuest(one, other));
}
