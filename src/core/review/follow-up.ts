import { noMetrics } from '../agent/meter.ts';
import type { Agent, AgentRun } from '../agent/run-agent.ts';
import { runOnce } from '../agent/run-once.ts';
import type { Bundle } from '../bundles/bundle.ts';
import { submitReview } from '../findings/submit-review.ts';
import { askFollowUp, type FollowUpContext } from './ask-follow-up.ts';
import { extract } from './extract.ts';
import { followUpTool } from './follow-up-tool.ts';
import { type BundleReview, reportBundle } from './review-bundle.ts';

/**
 * One call over diff, code around it and rule findings, without reading tools. When it asks for lines that it may see, exactly one more call on
 * the same conversation, whose prompt is mostly cached; what that one confirms, dismisses and adds is merged (Cora's issue 117).
 */
export async function reviewWithFollowUp(bundle: Bundle, context: FollowUpContext): Promise<BundleReview> {
  const submit = submitReview(context.submission);
  const tool = followUpTool(submit);
  const agent: Agent = { ...context.agent, tools: [], finish: tool.first.tool, emit: context.emit };
  const first = await extract(agent, await firstCall(agent, context), tool.first);
  const asked = tool.requested();
  const followed = asked === null ? null : await askFollowUp(asked, { agent, first, tool, submit, context });
  const result = submit.result();
  const run = { ...first, metrics: followed?.metrics ?? first.metrics };
  return {
    report: {
      ...reportBundle(bundle, { run, result: { ...result, approval: followed?.approval ?? result.approval } }),
      followUp: followed?.report ?? null,
    },
    findings: followed?.findings ?? result.findings,
    refused: result.refused,
    dismissed: followed?.dismissed ?? [],
  };
}

async function firstCall(agent: Agent, { opening }: FollowUpContext): Promise<AgentRun> {
  if (agent.clock.now() < agent.budget.softDeadline) return runOnce(agent, { opening, phase: 'single' });
  const stop = { reason: 'limit', limit: 'time' } as const;
  return { messages: opening, stop, submitted: false, text: null, metrics: noMetrics };
}
