import type { Message } from '../messages/message.ts';
import { atLeast, type Severity } from '../settings/setting.ts';
import type { Settings } from '../settings/settings.ts';

export const outcomes = ['clean', 'findings', 'partial', 'skipped', 'failed'] as const;
export type Outcome = (typeof outcomes)[number];

/** What is known of one thing. Unknown counts as broken. */
export type Fact = 'proven' | 'broken' | 'unknown';

/** Everything that a verdict rests on. Nothing else may be asked for one. */
export type Facts = {
  /**
   * `nothing`: there is nothing to review. `left`: the pull request was not looked at, such as a draft. `waived`: a comment, the title or the base
   * branch asked for that, which no gate takes for a review.
   */
  readonly run: 'whole' | 'nothing' | 'left' | 'waived' | 'no-key' | 'cancelled' | 'failed';
  /** Every changed file was reviewed, or the workflow leaves it out. `no-code`: but for files that nobody read and that are no code. */
  readonly files: Fact | 'no-code';
  /** Of each finding that counts: new, without a place, or of an earlier run and not known to be fixed. */
  readonly open: readonly Severity[];
  /** Each of them stands where it belongs, and whoever asks for changes names one. */
  readonly places: Fact;
  /** What earlier runs found. `not-kept`: no key of this run could have signed it. */
  readonly earlier: 'known' | 'not-kept' | 'unknown';
  /** What the model makes of the change; `none` where it was not asked, or not about all of it. */
  readonly word: 'approves' | 'none' | 'asks-for-changes';
  /** The author may be approved, and GitHub takes the approval. `not-asked`: the workflow wants none. */
  readonly approval: Fact | 'not-asked';
  /** What was to be delivered was. */
  readonly delivery: Fact;
  /** No earlier approval of ours stands that this run does not support. */
  readonly dismissals: Fact;
};

/** The settings that decide whether a job fails. */
export type Gate = Pick<Settings, 'failOn' | 'requireComplete'>;

/** The gate of a job that only hands over: the one that posts fails for both. */
export const openGate: Gate = { failOn: 'never', requireComplete: false };

export type Decision = {
  readonly outcome: Outcome;
  /** What it comes to for the one who started it: all but the first two fail the job. */
  readonly gate: 'fine' | 'warn' | 'findings' | 'unknown' | 'incomplete' | 'failed';
  readonly approves: boolean;
};

export type Verdict = Decision & {
  /** What the job fails for, such as `1 critical (\`fail-on: critical\`)`; null when it does not. */
  readonly title: Message | null;
  /** The same in sentences. */
  readonly why: string | null;
  /** The last line of a log. */
  readonly message: string;
  /** What is left to do, as the end of a sentence that begins with `title`; null where not all was reviewed. */
  readonly doneWhen: { readonly title: Message; readonly rest: Message } | null;
};

/** The one verdict of a run: a conjunction. Only what is all proven is clean or approved, and no fact that turns worse makes it better. */
export function decide(facts: Facts, gate: Gate): Decision {
  const outcome = outcomeOf(facts);
  return { outcome, gate: gateOf(facts, outcome, gate), approves: outcome === 'clean' && supportsApproval(facts) };
}

function outcomeOf(facts: Facts): Outcome {
  const { run, open } = facts;
  switch (run) {
    case 'failed':
      return 'failed';
    case 'nothing':
    case 'left':
    case 'waived':
      return 'skipped';
    case 'no-key':
      return open.length > 0 ? 'partial' : 'skipped';
    case 'cancelled':
      return 'partial';
    case 'whole':
      if (facts.files !== 'proven' || !isSound(facts)) return 'partial';
      return open.length > 0 ? 'findings' : 'clean';
  }
}

function isSound({ places, earlier }: Facts): boolean {
  return places === 'proven' && earlier !== 'unknown';
}

function supportsApproval({ earlier, word, approval, delivery, dismissals }: Facts): boolean {
  const isPermitted = approval === 'proven' || approval === 'not-asked';
  const isSettled = delivery === 'proven' && dismissals === 'proven';
  return earlier === 'known' && word === 'approves' && isPermitted && isSettled;
}

/** Whether all of the change was looked at, now or before, or there is nothing to look at. */
export function isComplete(facts: Facts): boolean {
  const outcome = outcomeOf(facts);
  return outcome === 'clean' || outcome === 'findings' || (facts.run === 'nothing' && facts.earlier !== 'unknown');
}

function gateOf(facts: Facts, outcome: Outcome, { failOn, requireComplete }: Gate): Decision['gate'] {
  const { run, files, open, earlier, delivery, dismissals } = facts;
  if (run === 'failed' || dismissals !== 'proven') return 'failed';
  if (failOn !== 'never') {
    if (open.some((severity) => atLeast(severity, failOn))) return 'findings';
    if (earlier === 'unknown') return 'unknown';
    if (run === 'waived') return 'incomplete';
  }
  if (requireComplete && !isComplete(facts)) return 'incomplete';
  const isHarmless = run === 'whole' && files === 'no-code' && isSound(facts);
  if (run === 'no-key' || (outcome === 'partial' && !isHarmless) || delivery !== 'proven') return 'warn';
  return 'fine';
}

/** How a check of GitHub ends. GitHub lets a skipped check pass: only what would pass anyway is called so. */
export function conclusionOf({ outcome, gate }: Decision): 'success' | 'neutral' | 'failure' | 'skipped' {
  if (gate === 'warn') return 'neutral';
  if (gate !== 'fine') return 'failure';
  return outcome === 'skipped' ? 'skipped' : 'success';
}
