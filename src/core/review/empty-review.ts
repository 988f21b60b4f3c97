import { noMetrics } from '../agent/meter.ts';
import type { PlacedFinding } from '../findings/finding.ts';
import type { Message } from '../messages/message.ts';
import type { PullRequest } from '../pull-request/pull-request.ts';
import { limitsOf, type StoppedDraft } from './draft.ts';
import { factsWithout } from './facts.ts';
import { headline } from './headline.ts';
import type { Coverage, Review, ReviewLimits } from './review.ts';
import { decide, type Facts, openGate } from './verdict.ts';

/** A review that found nothing to do, or could not be done: it says so, and what stood before it stands. */
export function emptyReview(
  stop: StoppedDraft['stop'],
  known: {
    pullRequest: PullRequest | null;
    milliseconds: number;
    limits?: ReviewLimits;
    skipped?: Coverage['skipped'];
    notes?: readonly Message[];
    /** What earlier runs found and still stands. */
    standing?: readonly PlacedFinding[];
    /** `unknown` until it was read: what a run does not know must not open a gate. */
    earlier: Facts['earlier'];
    /** True where the event is for no pull request: one that was not found was left. */
    isEvent?: boolean;
  },
): Review {
  const findings = known.standing ?? [];
  const open = findings.map(({ severity }) => severity);
  const { pullRequest, earlier, isEvent = false } = known;
  const facts = factsWithout(stop, { open, earlier, isEvent });
  const { outcome } = decide(facts, openGate);
  const coverage = { reviewed: [], skipped: known.skipped ?? [], unread: [], unreviewed: [], earlier: [], missing: [] };
  return {
    facts,
    outcome,
    stop,
    headline: headline({ outcome, stop, model: null }, findings, coverage),
    withheld: null,
    pullRequest,
    action: 'COMMENT',
    approved: false,
    rationale: '',
    event: 'COMMENT',
    findings,
    nonSpecific: [],
    rawFreeText: null,
    coverage,
    size: facts.run === 'nothing' ? { files: 0, changed: 0 } : null,
    unproven: [],
    doubted: [],
    walkthrough: [],
    batches: [],
    metrics: noMetrics,
    estimate: null,
    milliseconds: known.milliseconds,
    limits: known.limits ?? limitsOf(null, false),
    notes: known.notes ?? [],
    identity: null,
    scope: null,
    gone: [],
    lives: [],
    round: null,
  };
}
