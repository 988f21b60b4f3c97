import type { Finding } from '../findings/finding.ts';
import { inOtherWords, mergeFindings, onMostlyTheSameLines } from '../findings/merge.ts';
import { gatherCauses } from '../findings/one-cause.ts';
import { rankFindings } from '../findings/place.ts';
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
    inOtherWords(one, other) ||
    ((guests.has(one.id) || guests.has(other.id)) &&
      one.category === other.category &&
      onMostlyTheSameLines(one, other));
}
