import {
  type Anchor,
  type Finding,
  fullPlaceOf,
  type Origin,
  type PlacedFinding,
  placed,
  unraised,
} from '../findings/finding.ts';
import { type CommentLimits, limitFindings, placeFindings, rankFindings } from '../findings/place.ts';
import { lifeMessage } from '../history/life.ts';
import type { Matching } from '../history/match.ts';
import { type Decline, findingId, findingOf, type PriorFinding, pathNow } from '../history/memory.ts';
import type { Settled, SettledFinding } from '../history/settle.ts';
import type { Message } from '../messages/message.ts';
import type { ChangedFile } from '../pull-request/changed-file.ts';
import { atLeast } from '../settings/setting.ts';
import type { Settings } from '../settings/settings.ts';
import { originOf, type ReadBefore, whyMuted } from './convergence.ts';

type Placing = {
  /** Every file of the diff. */
  readonly files: readonly ChangedFile[];
  readonly settings: CommentLimits & Pick<Settings, 'lateFindings' | 'failOn'>;
  /** The id by which every round will know a finding of this one. */
  readonly mint: (finding: Finding) => string;
  readonly readBefore: ReadBefore;
};

/**
 * Where every finding goes, most important first: what is new to people, what an earlier comment says already, what somebody declined.
 * An earlier finding that was not found again stands until its code is gone: not being mentioned is no dismissal. One whose comment was deleted
 * is said again.
 */
export function placeWithEarlier(
  { fresh, ...settled }: Pick<Matching, 'fresh'> & Pick<Settled, 'standing' | 'declined' | 'parts'>,
  { files, settings, mint, readBefore }: Placing,
): readonly PlacedFinding[] {
  const pairs = settled.standing.map(asFinding);
  const again = pairs.filter(isPostedAgain);
  const lives = new Map(again.map(({ finding, prior }) => [finding.id, lifeOf(prior)]));
  const known = { readBefore, parts: settled.parts };
  const minted = fresh.map((finding) => withOrigin({ ...finding, knownAs: mint(finding) }, originOf(finding, known)));
  const raised = placeFindings([...minted, ...again.map(({ finding }) => finding)], { files }).map((finding) => {
    return { finding, reason: whyMuted(finding, settings) };
  });
  const loud = raised.flatMap(({ finding, reason }) => (reason === null ? [finding] : []));
  const muted = raised.flatMap(({ finding, reason }) =>
    reason === null ? [] : [placed({ ...finding, muted: true }, 'summary', { reason })],
  );
  const posted = [...limitFindings(loud, settings).map((one) => ({ ...one, ...lives.get(one.id) })), ...muted];
  const held = pairs
    .filter((pair) => !isPostedAgain(pair))
    .map(({ finding, prior, whole }): PlacedFinding => {
      const [anew] = prior.life === 'returned' ? placeFindings([finding], { files }) : [];
      const stands = standing(finding, prior, whole);
      return anew === undefined ? stands : { ...stands, anew: { ...anew, life: 'returned' } };
    });
  const turnedDown = settled.declined
    .filter(({ finding, prior }) => finding !== null || prior.present.kind === 'here')
    .map(asFinding)
    .map(({ finding, prior }) => unraised(finding, { by: 'people', reason: whyDeclined(prior) }, prior.url));
  return rankFindings([...posted, ...held, ...turnedDown]);
}

/** One that came with a fix says so, and of which. */
function withOrigin(finding: Finding, origin: Origin): Finding {
  if (origin.kind !== 'fix' || finding.note !== undefined) return { ...finding, origin };
  const of = origin.url === null ? origin.of : `${origin.of} (${origin.url})`;
  return { ...finding, origin, note: { code: 'note.from-fix', finding: of } };
}

type Pair = { readonly finding: Finding; readonly prior: PriorFinding; readonly whole: SettledFinding };

/** Whatever says it, it stays the same finding, and as severe: only a verification may lower that. */
function asFinding(whole: SettledFinding): Pair {
  const { finding, prior, others } = whole;
  const alsoAt = others.map((one) => fullPlaceOf({ path: pathNow(one), anchor: anchorNow(one) }));
  const muted = prior.known?.finding.muted === true ? ({ muted: true } as const) : {};
  if (finding === null) return { finding: { ...findingOf(prior), ...muted, alsoAt }, prior, whole };
  const { signed, mark } = prior;
  const isMilder = signed && finding.verification !== 'confirmed' && atLeast(mark.severity, finding.severity);
  const severity = isMilder ? mark.severity : finding.severity;
  return { finding: { ...finding, ...muted, severity, knownAs: findingId(prior), alsoAt }, prior, whole };
}

function anchorNow({ present }: PriorFinding): Anchor {
  return present.kind === 'here' ? present.anchor : { kind: 'file' };
}

/** Without a comment nobody could decline it; and what came back where no thread can be opened again is said anew. */
function isPostedAgain({ finding, prior }: Pair): boolean {
  // No comment says it, and it is worse now.
  const isNews = prior.held.in === 'sticky' && !atLeast(prior.mark.severity, finding.severity);
  return isDeleted(prior) || isNews || (prior.life === 'returned' && prior.held.in !== 'thread');
}

/** What stands while nothing is reviewed: it counts, and nothing is said again. */
export function placeStanding(pairs: Settled['standing']): readonly PlacedFinding[] {
  return rankFindings(pairs.map(asFinding).map(({ finding, prior, whole }) => standing(finding, prior, whole)));
}

function lifeOf({ life }: PriorFinding): Pick<PlacedFinding, 'life'> {
  return life === 'changed' || life === 'returned' ? { life } : {};
}

function isDeleted({ held }: PriorFinding): boolean {
  return held.in === 'sticky' && held.deleted === true;
}

function standing(finding: Finding, prior: PriorFinding, { ended, of }: SettledFinding): PlacedFinding {
  // What holds it must be signed, or the next run would know nothing of it.
  const held = prior.signed ? prior.held.in : 'sticky';
  const reason: Message = ended > 0 ? { code: 'standing.places-ended', count: ended, of } : whyStanding(prior);
  return placed(finding, 'standing', { reason, url: prior.url, held, ...lifeOf(prior) });
}

function whyStanding({ held, signed, declines, life }: PriorFinding): Message {
  if (!signed) return { code: 'standing.unsigned' };
  if (life !== 'open') return lifeMessage(life);
  const resolved = held.in === 'thread' && held.thread.isResolved;
  const objection = declines[0];
  if (objection === undefined) return resolved ? { code: 'standing.resolved' } : { code: 'standing.raised' };
  const what = declineMessage(objection);
  return objection.canWrite === null
    ? { code: 'standing.permission-unknown', what }
    : { code: 'standing.no-permission', what };
}

function whyDeclined({ declines }: PriorFinding): Message {
  const decline = declines.findLast(({ canWrite }) => canWrite);
  return decline === undefined ? { code: 'declined.before' } : declineMessage(decline);
}

function declineMessage({ by, how, words = '' }: Decline): Message {
  switch (how) {
    case 'resolved':
      return { code: 'declined.resolved', person: by };
    case 'thumbs-down':
      return { code: 'declined.voted-down', person: by };
    case 'reply':
    case 'dismissed':
      return words === '' ? { code: 'declined.by', person: by } : { code: 'declined.by-saying', person: by, words };
    case 'evidence':
    case 'fixed':
      return { code: 'declined.withdrawn', words };
  }
}
