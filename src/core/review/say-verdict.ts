import { stopLabel } from '../agent/event.ts';
import { inEnglish } from '../messages/languages.ts';
import { type Message, verbatim } from '../messages/message.ts';
import { atLeast } from '../settings/setting.ts';
import { factsAfter, isTrouble } from './facts.ts';
import { severityCounts } from './headline.ts';
import type { ReviewRecord } from './sink.ts';
import { keyHint } from './stops.ts';
import { type Decision, decide, type Gate, type Verdict } from './verdict.ts';

type Judged = Pick<ReviewRecord, 'review' | 'deliveries'>;

/** Decides what a review comes to, with what became of it until now, and says why. Every surface prints it, and none decides. */
export function verdictOf({ review, deliveries }: Judged, gate: Gate): Verdict {
  const decision = decide(factsAfter(review.facts, deliveries), gate);
  const told = explain(decision, { review, deliveries }, gate);
  const why = told === null || told.why.length === 0 ? null : inEnglish.sentences(told.why);
  const { headline, stop, pullRequest } = review;
  const hint = decision.gate === 'warn' && stop.reason === 'no-key' ? inEnglish(keyHint(pullRequest)) : '';
  const message = inEnglish.joined([why ?? '', inEnglish.sentences(headline), hint]);
  return { ...decision, title: told?.title ?? null, why, message, doneWhen: doneWhen(decision, review, gate) };
}

/** What has to be fixed or declined, by what fails the job; without a gate by what a reviewer would wait for. */
function doneWhen({ outcome }: Decision, { findings }: Judged['review'], { failOn }: Gate): Verdict['doneWhen'] {
  if (outcome !== 'clean' && outcome !== 'findings') return null;
  const level = failOn === 'never' ? 'warning' : failOn;
  const left = findings.filter(
    ({ place, severity, muted }) => place !== 'suppressed' && muted !== true && atLeast(severity, level),
  );
  const counts: Message = { code: 'list', of: severityCounts(left) };
  const isGate = failOn !== 'never';
  if (left.length > 0) {
    const rest: Message = isGate
      ? { code: 'done-when.open', counts, level }
      : { code: 'done-when.open-without-gate', counts };
    return { title: { code: 'done-when.title' }, rest };
  }
  const rest: Message = isGate ? { code: 'done-when.nothing', level } : { code: 'done-when.nothing-without-gate' };
  return { title: { code: 'done-when.done' }, rest };
}

type Explained = { readonly title: Message; readonly why: readonly Message[] };

function explain({ gate: kind }: Decision, { review, deliveries }: Judged, { failOn }: Gate): Explained | null {
  const { stop } = review;
  switch (kind) {
    case 'fine':
    case 'warn':
      return null;
    case 'findings': {
      const open = review.findings.filter(({ place }) => place !== 'suppressed');
      const severe = failOn === 'never' ? [] : open.filter(({ severity }) => atLeast(severity, failOn));
      return {
        title: { code: 'failing.findings', counts: severityCounts(severe), level: failOn },
        why: [{ code: 'failing.findings-why', count: severe.length, level: failOn }],
      };
    }
    case 'unknown':
      return {
        title: { code: 'failing.earlier-unknown' },
        why: stop.reason === 'earlier-unknown' ? [] : [{ code: 'run.earlier-unknown' }],
      };
    case 'incomplete':
      return explainIncomplete(review);
    case 'failed': {
      const why = standingApproval(deliveries);
      if (stop.reason !== 'failed') return { title: { code: 'failing.approval-stands' }, why };
      return { title: stop.stop === undefined ? verbatim(stop.message) : stopLabel(stop.stop), why };
    }
  }
}

/** The headline tells why the run stopped. */
function explainIncomplete({ stop }: ReviewRecord['review']): Explained {
  if (stop.reason === 'skipped' && stop.paused === true) return { title: { code: 'failing.paused' }, why: [] };
  if (stop.reason === 'skipped' && stop.byAuthor === true) {
    return { title: { code: 'failing.not-reviewed' }, why: [{ code: 'failing.author-decides' }] };
  }
  return { title: { code: 'failing.incomplete' }, why: [{ code: 'failing.incomplete-why' }] };
}

/** Tells why an approval that this run does not support could not be dismissed; nothing when none stands. */
function standingApproval(deliveries: ReviewRecord['deliveries']): readonly Message[] {
  const trouble = deliveries.find(({ sink, status }) => sink === 'approval' && isTrouble(status));
  if (trouble === undefined) return [];
  return trouble.reason.length === 0 ? [{ code: 'failing.approval-stands-why' }] : trouble.reason;
}
