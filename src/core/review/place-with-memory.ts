import type { Finding } from '../findings/finding.ts';
import { placeFindings } from '../findings/place.ts';
import type { Placement } from '../findings/placement.ts';
import { type CommentLimits, limitFindings, rankFindings } from '../findings/rank.ts';
import { findingOf } from '../memory/finding-of.ts';
import type { Matching } from '../memory/match.ts';
import type { PriorFinding, Refusal } from '../memory/memory.ts';
import type { ChangedFile } from '../pull-request/changed-file.ts';

/**
 * Where every finding goes, most important first: what is new to people, what an earlier comment says already, what somebody refused.
 * An earlier finding that was not found again stands until its code is gone: not being mentioned is no dismissal.
 */
export function placeWithMemory(
  matching: Matching,
  { files, settings }: { readonly files: readonly ChangedFile[]; readonly settings: CommentLimits },
): readonly Placement[] {
  const fresh = limitFindings(placeFindings(matching.fresh, { files }), settings);
  const again = matching.standing.map(({ finding, prior }) => standing(finding, prior));
  const unmentioned = matching.unmatched.map((prior) => standing(findingOf(prior), prior));
  const refused = matching.refused.map(({ finding, prior }): Placement => {
    return { finding, place: 'suppressed', reason: whyRefused(prior) };
  });
  const placements = new Map([...fresh, ...again, ...unmentioned, ...refused].map((one) => [one.finding.id, one]));
  return rankFindings([...placements.values()].map(({ finding }) => finding)).flatMap(
    ({ id }) => placements.get(id) ?? [],
  );
}

function standing(finding: Finding, prior: PriorFinding): Placement {
  return { finding, place: 'standing', reason: whyStanding(prior), url: prior.url, held: prior.held.in };
}

function whyStanding({ held, refusals }: PriorFinding): string {
  const resolved = held.in === 'thread' && held.thread.isResolved;
  const objection = refusals[0];
  if (objection === undefined) return resolved ? 'raised before; its thread is resolved' : 'raised before';
  return `raised before; ${verb(objection)} without write permission, so it still counts`;
}

function whyRefused({ refusals }: PriorFinding): string {
  const refusal = refusals.find(({ canWrite }) => canWrite);
  return refusal === undefined ? 'refused before' : verb(refusal);
}

function verb({ by, how }: Refusal): string {
  switch (how) {
    case 'resolved':
      return `${by} resolved it`;
    case 'thumbs-down':
      return `${by} voted it down`;
    case 'reply':
      return `${by} refused it`;
  }
}
