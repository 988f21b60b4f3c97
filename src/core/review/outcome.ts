import type { StopReason } from '../agent/event.ts';
import { sentenceFor } from '../agent/stop-reason.ts';
import type { Finding } from '../findings/finding.ts';
import type { Action, Approval } from '../findings/submission.ts';
import type { UnreadFile } from '../pull-request/select-files.ts';
import { severities } from '../settings/severity.ts';
import type { BundleReport, Outcome, RunStop } from './review.ts';

export type OutcomeInput = {
  readonly bundles: readonly BundleReport[];
  readonly findings: readonly Finding[];
  /** True when the model found something that was accepted, be it before its review failed. */
  readonly found: boolean;
  /** Findings of the model that could not be delivered as such. */
  readonly refused: number;
  /** What could not be read at all. */
  readonly missing: readonly string[];
  /** What was neither reviewed nor excluded. */
  readonly unread: readonly UnreadFile[];
  readonly cancelled: boolean;
  /** True when there is no key and the rules alone reviewed, without having been asked to. */
  readonly withoutKey: boolean;
  /** Why no model was asked, although there is one; null when it was. */
  readonly rest?: string | null;
};

/** Precedence failed > partial > findings > clean (DESIGN section 5). */
export function decideOutcome(input: OutcomeInput): { readonly outcome: Outcome; readonly stop: RunStop } {
  const { bundles, findings, missing } = input;
  if (input.cancelled) return { outcome: 'partial', stop: { reason: 'cancelled' } };
  if (typeof input.rest === 'string') return { outcome: 'partial', stop: { reason: 'skipped', why: input.rest } };
  if (input.withoutKey) return { outcome: findings.length > 0 ? 'partial' : 'skipped', stop: { reason: 'no-key' } };
  const cut = bundles.filter((bundle) => bundle.gap !== null);
  const failure = bundles.length > 0 && !input.found && bundles.every(failed) ? bundles[0] : undefined;
  if (failure !== undefined) return { outcome: 'failed', stop: failedStop(failure.stop) };
  const first = cut.find((bundle) => !bundle.reviewed) ?? cut[0];
  if (first !== undefined) {
    return {
      outcome: 'partial',
      stop: { reason: 'incomplete', why: whyIncomplete(cut, bundles.length), stop: first.stop },
    };
  }
  if (missing.length > 0) {
    return {
      outcome: 'partial',
      stop: { reason: 'incomplete', why: missing.join(' '), stop: { reason: 'submitted' } },
    };
  }
  if (findings.length === 0 && input.refused > 0 && bundles.some(wantsChanges)) {
    return { outcome: 'partial', stop: { reason: 'incomplete', why: lostFindings, stop: { reason: 'submitted' } } };
  }
  // What nobody read is not clean, whatever the rest is.
  if (input.unread.length > 0) return { outcome: 'partial', stop: { reason: 'unread', files: input.unread } };
  return { outcome: findings.length > 0 ? 'findings' : 'clean', stop: { reason: 'completed' } };
}

const lostFindings =
  'The model asked for changes, but nothing that it quoted is in the code. Its findings are listed as unplaced.';

function wantsChanges(bundle: BundleReport): boolean {
  return bundle.approval?.action === 'REQUEST_CHANGES';
}

/** Nothing came of it, and no limit of ours is the reason. */
function failed(bundle: BundleReport): boolean {
  const limited = bundle.stop.reason === 'limit' || bundle.stop.reason === 'repeated-calls';
  return !bundle.reviewed && bundle.rawFreeText === null && !limited;
}

function failedStop(stop: StopReason): RunStop {
  // The sentence of a failed model ends with its hint.
  return { reason: 'failed', message: sentenceFor(stop), hint: '' };
}

function whyIncomplete(cut: readonly BundleReport[], total: number): string {
  const sentences = [...new Set(cut.map((bundle) => bundle.gap ?? ''))].slice(0, mostSentences);
  const unreviewed = cut.filter((bundle) => !bundle.reviewed).length;
  const share = unreviewed === 0 ? '' : ` ${unreviewed} of ${total} batches were not reviewed.`;
  return `${sentences.join(' ')}${share}`;
}

/** Servers put numbers of their own into each of their errors. */
const mostSentences = 5;

const fromWorst: readonly Action[] = ['REQUEST_CHANGES', 'COMMENT', 'APPROVE'];

/** The one that asks for most; null when there is none. */
export function worstApproval(approvals: readonly Approval[]): Approval | null {
  return approvals.toSorted((one, other) => fromWorst.indexOf(one.action) - fromWorst.indexOf(other.action))[0] ?? null;
}

/** The worst of the bundles' actions. APPROVE needs every batch reviewed in full and nothing that must be fixed. */
export function mergeActions(
  bundles: readonly BundleReport[],
  findings: readonly Finding[],
  outcome: Outcome,
): { readonly action: Action; readonly approved: boolean; readonly rationale: string } {
  const approvals = bundles.flatMap((bundle) => (bundle.approval === null ? [] : [bundle.approval]));
  const rationale = [
    ...new Set(approvals.map((approval) => approval.rationale.trim()).filter((text) => text !== '')),
  ].join('\n');
  if (approvals.some((approval) => approval.action === 'REQUEST_CHANGES')) {
    return { action: 'REQUEST_CHANGES', approved: false, rationale };
  }
  const mustBeMended = findings.some(
    (finding) => severities.indexOf(finding.severity) <= severities.indexOf('warning'),
  );
  const complete = bundles.length > 0 && bundles.every((bundle) => bundle.reviewed && bundle.gap === null);
  const agreed =
    approvals.length === bundles.length &&
    approvals.every((approval) => approval.action === 'APPROVE' && approval.approved);
  const approved = complete && agreed && !mustBeMended && (outcome === 'clean' || outcome === 'findings');
  return { action: approved ? 'APPROVE' : 'COMMENT', approved, rationale };
}
