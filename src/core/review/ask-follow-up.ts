import { askAgain } from '../agent/continue-agent.ts';
import type { Agent, AgentMetrics, AgentRun } from '../agent/run-agent.ts';
import { sentenceFor } from '../agent/stop-reason.ts';
import type { Fence } from '../bundles/fence.ts';
import type { ReadRequest } from '../findings/context-request.ts';
import type { Finding } from '../findings/finding.ts';
import { type FollowUpAnswer, readFollowUpText } from '../findings/follow-up-answer.ts';
import type { Approval } from '../findings/submission.ts';
import type { SubmitReview } from '../findings/submit-review.ts';
import type { ReviewEvent } from '../reporter.ts';
import type { FollowUpTool } from './follow-up-tool.ts';
import { type FollowUpScope, grantContext } from './grant-context.ts';
import { mergeFollowUp } from './merge-follow-up.ts';
import { worstApproval } from './outcome.ts';
import type { DismissedFinding, FollowUpReport } from './review.ts';
import type { BundleContext } from './review-bundle.ts';
import { reportDismissed } from './verify-bundle.ts';

export type FollowUpContext = BundleContext & {
  /** As the log calls the bundle. */
  readonly name: string;
  /** Null: requests are not answered. */
  readonly scope: FollowUpScope | null;
  readonly fence: Fence;
  readonly report: (event: ReviewEvent) => void;
};

export type FollowedUp = {
  readonly report: FollowUpReport;
  /** Of both calls. */
  readonly metrics: AgentMetrics;
  readonly findings: readonly Finding[];
  readonly dismissed: readonly DismissedFinding[];
  /** Null when the second call said nothing of it. */
  readonly approval: Approval | null;
};

type Asking = {
  readonly agent: Agent;
  readonly first: AgentRun;
  readonly tool: FollowUpTool;
  readonly submit: SubmitReview;
  readonly context: FollowUpContext;
};

/** Answers a request for lines, or says why not: then what was found in the first call stands. Never throws for what a model or a server does. */
export async function askFollowUp(asked: ReadRequest, asking: Asking): Promise<FollowedUp> {
  const { first, context, submit } = asking;
  const { file, lines, reason } = wordsOf(asked);
  context.report({ type: 'follow_up_requested', bundle: context.name, file, lines, reason });
  const { findings: before, approval: wanted } = submit.result();
  const told = await secondCall(asked, { ...asking, before });
  const extra = extraTokens(told.run ?? first);
  if ('refused' in told) {
    context.report({ type: 'follow_up_refused', bundle: context.name, file, lines, reason: told.refused });
    const report = { file, lines, refused: told.refused, confirmed: 0, removed: 0, added: 0, extraTokens: extra };
    return { report, metrics: (told.run ?? first).metrics, findings: before, dismissed: [], approval: null };
  }
  const { findings, dismissed, ...counts } = mergeFollowUp(before, submit.result().findings, told.answer);
  reportDismissed(dismissed, { bundle: context.name, report: context.report });
  context.report({
    type: 'follow_up_complete',
    bundle: context.name,
    issues_confirmed: counts.confirmed,
    issues_removed: counts.removed,
    issues_added: counts.added,
    extra_tokens: extra,
  });
  return {
    report: { file, lines: told.lines, refused: null, ...counts, extraTokens: extra },
    metrics: told.run.metrics,
    findings,
    dismissed,
    approval: approvalAfter(told.answer, { first: wanted, stands: before.length === 0 || findings.some(isOf(before)) }),
  };
}

function isOf(before: readonly Finding[]): (finding: Finding) => boolean {
  const ids = new Set(before.map(({ id }) => id));
  return ({ id }) => ids.has(id);
}

/** While something of the first call stands, so does what it asked for: silence is no approval. */
function approvalAfter(
  { approves, submission }: FollowUpAnswer,
  { first, stands }: { readonly first: Approval | null; readonly stands: boolean },
): Approval | null {
  // What was asked for because of findings that are gone is asked for no more.
  if (!approves) return stands || first === null ? null : { approved: false, rationale: '', action: 'COMMENT' };
  return stands && first !== null ? worstApproval([first, submission.approval]) : submission.approval;
}

type Told =
  | { readonly refused: string; readonly run: AgentRun | null }
  | { readonly answer: FollowUpAnswer; readonly lines: string; readonly run: AgentRun };

async function secondCall(
  asked: ReadRequest,
  { agent, first, tool, context, before }: Asking & { readonly before: readonly Finding[] },
): Promise<Told> {
  if (!first.submitted) return { refused: 'the review itself was not submitted', run: null };
  if (context.scope === null) return { refused: 'follow-ups are switched off', run: null };
  if (agent.clock.now() >= agent.budget.softDeadline) return { refused: 'the time is used up', run: null };
  const granted = await grantContext(asked, context.scope);
  if (!granted.granted) return { refused: granted.reason, run: null };
  const { path, lines } = granted;
  const text = question(context.fence('lines', `${path}:${lines}\n${granted.text}`), before);
  const run = await askAgain({ ...agent, finish: tool.second.tool }, first, { text, phase: 'follow-up' });
  if (run.stop !== first.stop) return { refused: sentenceFor(run.stop), run };
  const said = run.text === null || run.text === first.text ? null : readFollowUpText(run.text);
  if (tool.answered() === null && said !== null) await tool.second.take(said);
  const answer = tool.answered();
  return answer === null ? { refused: 'the answer said nothing of the findings', run } : { answer, lines, run };
}

function question(shown: string, findings: readonly Finding[]): string {
  const known = findings.map(({ title, path }, index) => `#${index + 1} ${path}: ${title}`);
  return [
    'The lines that you asked for, at the reviewed commit:',
    shown,
    known.length === 0 ? 'You reported no finding so far.' : `Your findings so far:\n${known.join('\n')}`,
    'Decide now: this is the last call. Call submit_review with confirmed: the numbers that hold; dismissed: those that the code refutes, each with the reason; files_review: only findings that are new; context_request: null. What you do not mention stays.',
  ].join('\n\n');
}

function wordsOf(asked: ReadRequest): { readonly file: string; readonly lines: string; readonly reason: string } {
  if (!asked.ok) return { file: asked.file, lines: '', reason: '' };
  const { file, lineStart, lineEnd, reason } = asked.request;
  return { file, lines: `${lineStart}-${lineEnd}`, reason };
}

function extraTokens({ metrics }: AgentRun): number {
  const use = metrics.phases['follow-up'];
  return use === undefined ? 0 : use.usage.input + use.usage.output;
}
