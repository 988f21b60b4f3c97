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
 * An earlier finding that was not found again stands until its code is gone: not being mentioned is no dismissal. One whose comment was deleted
 * is said again.
 */
export function placeWithMemory(
  matching: Matching,
  { files, settings }: { readonly files: readonly ChangedFile[]; readonly settings: CommentLimits },
): readonly Placement[] {
  const pairs = [...matching.standing, ...matching.unmatched.map((prior) => ({ finding: findingOf(prior), prior }))];
  // Without a comment nobody could decline it.
  const again = pairs.filter(({ prior }) => isDeleted(prior)).map(({ finding }) => finding);
  const fresh = limitFindings(placeFindings([...matching.fresh, ...again], { files }), settings);
  const held = pairs.filter(({ prior }) => !isDeleted(prior)).map(({ finding, prior }) => standing(finding, prior));
  const refused = matching.refused.map(({ finding, prior }): Placement => {
    return { finding, place: 'suppressed', reason: whyRefused(prior) };
  });
  return ranked([...fresh, ...held, ...refused]);
}

/** What stands while nothing is reviewed: it counts, and nothing is said again. */
export function placeStanding(prior: readonly PriorFinding[]): readonly Placement[] {
  return ranked(prior.map((one) => standing(findingOf(one), one)));
}

function ranked(placements: readonly Placement[]): readonly Placement[] {
  const byId = new Map(placements.map((one) => [one.finding.id, one]));
  return rankFindings(placements.map(({ finding }) => finding)).flatMap(({ id }) => byId.get(id) ?? []);
}

function isDeleted({ held }: PriorFinding): boolean {
  return held.in === 'sticky' && held.deleted === true;
}

function standing(finding: Finding, prior: PriorFinding): Placement {
  // What holds it must be signed, or the next run would know nothing of it.
  const held = prior.signed ? prior.held.in : 'sticky';
  return { finding, place: 'standing', reason: whyStanding(prior), url: prior.url, held };
}

function whyStanding({ held, signed, refusals }: PriorFinding): string {
  if (!signed)
    return 'raised before in a comment without a valid signature, so what people answered there does not count';
  const resolved = held.in === 'thread' && held.thread.isResolved;
  const objection = refusals[0];
  if (objection === undefined) return resolved ? 'raised before; its thread is resolved' : 'raised before';
  return `raised before; ${verb(objection)} without write permission, so it still counts`;
}

function whyRefused({ refusals }: PriorFinding): string {
  const refusal = refusals.find(({ canWrite }) => canWrite);
  return refusal === undefined ? 'declined before' : verb(refusal);
}

function verb({ by, how }: Refusal): string {
  switch (how) {
    case 'resolved':
      return `${by} resolved it`;
    case 'thumbs-down':
      return `${by} voted it down`;
    case 'reply':
      return `${by} declined it`;
  }
}
