import type { AgentEvent } from '../agent/event.ts';
import type { Message } from '../agent/message.ts';
import { type Agent, type AgentRun, runAgent } from '../agent/run-agent.ts';
import { sentenceFor } from '../agent/stop-reason.ts';
import type { Bundle } from '../bundles/bundle.ts';
import { looksUnfinished } from '../findings/final-text.ts';
import type { Finding } from '../findings/finding.ts';
import { type SubmissionResult, submitReview } from '../findings/submit-review.ts';
import { extract } from './extract.ts';
import type { BundleReport, DismissedFinding, RefusedFinding } from './review.ts';

export type BundleReview = {
  readonly report: BundleReport;
  readonly findings: readonly Finding[];
  readonly refused: readonly RefusedFinding[];
  /** Not raised, and listed in the delivery. */
  readonly dismissed: readonly DismissedFinding[];
};

export type BundleContext = {
  /** The run's agent without what belongs to one batch. */
  readonly agent: Omit<Agent, 'finish' | 'emit' | 'isUnfinished'>;
  readonly opening: readonly Message[];
  readonly submission: Parameters<typeof submitReview>[0];
  readonly emit: (event: AgentEvent) => void;
};

/** One run of the agent over one batch. Never throws for what the model or its server does: the report says it. */
export async function reviewBundle(bundle: Bundle, context: BundleContext): Promise<BundleReview> {
  const submit = submitReview(context.submission);
  const agent: Agent = { ...context.agent, finish: submit.tool, emit: context.emit, isUnfinished: looksUnfinished };
  const first = await runAgent(agent, context.opening);
  const run = await extract(agent, first, submit);
  const result = submit.result();
  return {
    report: reportBundle(bundle, { run, result }),
    findings: result.findings,
    refused: result.refused,
    dismissed: [],
  };
}

export function reportBundle(
  bundle: Bundle,
  { run, result }: { readonly run: AgentRun; readonly result: SubmissionResult },
): BundleReport {
  const paths = bundle.files.map(({ file }) => file.path);
  return {
    name: bundle.name,
    paths,
    stop: run.stop,
    reviewed: result.submitted,
    gap: result.submitted && run.stop.reason === 'submitted' ? null : sentenceFor(run.stop),
    approval: result.approval,
    nonSpecificReview: result.nonSpecificReview,
    rawFreeText: result.submitted ? null : run.text,
    followUp: null,
    metrics: run.metrics,
  };
}
