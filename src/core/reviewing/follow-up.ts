import { ask } from '../agent/ask.ts';
import { isUnanswered, sentenceFor } from '../agent/event.ts';
import { noMetrics } from '../agent/meter.ts';
import { type Agent, type AgentRun, neverStarted } from '../agent/run-agent.ts';
import type { Batch } from '../batches/batch.ts';
import type { Fence } from '../batches/render-batch.ts';
import type { ReviewEvent } from '../events.ts';
import type { Finding } from '../findings/finding.ts';
import { overlaps } from '../findings/merge.ts';
import { type Approval, worstApproval } from '../findings/submission.ts';
import { type SubmitReview, submitReview } from '../findings/submit-review.ts';
import type { ReadRequest } from '../findings/words.ts';
import { inEnglish } from '../messages/languages.ts';
import { type Message, verbatim } from '../messages/message.ts';
import type { FollowUpReport } from '../review/review.ts';
import {
  type FollowUpAnswer,
  type FollowUpScope,
  type FollowUpTools,
  followUpTools,
  grantContext,
} from './follow-up-request.ts';
import { type BatchContext, extract, reportBatch, type UnbilledReview } from './review-batch.ts';
import { applyVerdicts, type Verdict } from './verification-call.ts';
import { reportDisproved } from './verify.ts';

type FollowUpContext = BatchContext & {
  /** As the log calls the batch. */
  readonly name: string;
  /** Null: requests are not answered. */
  readonly scope: FollowUpScope | null;
  readonly fence: Fence;
  readonly report: (event: ReviewEvent) => void;
};

type FollowedUp = Pick<UnbilledReview, 'findings' | 'disproved'> & {
  readonly report: FollowUpReport;
  /** Null when the second call said nothing of it. */
  readonly approval: Approval | null;
};

type FollowUpQuestion = {
  readonly agent: Agent;
  readonly first: AgentRun;
  readonly tools: FollowUpTools;
  readonly submit: SubmitReview;
  readonly context: FollowUpContext;
};

/** Answers a request for lines, or says why not: then what was found in the first call stands. Never throws for what a model or a server does. */
async function askFollowUp(asked: ReadRequest, asking: FollowUpQuestion): Promise<FollowedUp> {
  const { context, submit } = asking;
  const { file, lines, reason } = wordsOf(asked);
  context.report({ type: 'follow_up_requested', batch: context.name, file, lines, reason });
  const { findings: before, approval: wanted } = submit.result();
  const told = await secondCall(asked, { ...asking, before });
  const extra = extraTokens(told.run);
  if ('refused' in told) {
    context.report({ type: 'follow_up_refused', batch: context.name, file, lines, reason: inEnglish(told.refused) });
    const report = { file, lines, refused: told.refused, confirmed: 0, removed: 0, added: 0, extraTokens: extra };
    return { report, findings: before, disproved: [], approval: null };
  }
  const { findings, disproved, ...counts } = mergeFollowUp(before, submit.result().findings, told.answer);
  reportDisproved(disproved, { batch: context.name, report: context.report });
  context.report({
    type: 'follow_up_complete',
    batch: context.name,
    issues_confirmed: counts.confirmed,
    issues_removed: counts.removed,
    issues_added: counts.added,
    extra_tokens: extra,
  });
  return {
    report: { file, lines: told.lines, refused: null, ...counts, extraTokens: extra },
    findings,
    disproved,
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
  { first, stands }: { first: Approval | null; stands: boolean },
): Approval | null {
  // What was asked for because of findings that are gone is asked for no more.
  if (!approves) return stands || first === null ? null : { approved: false, rationale: '', action: 'COMMENT' };
  return stands && first !== null ? worstApproval([first, submission.approval]) : submission.approval;
}

/** `run` is the last one. */
type FollowUpResult = { readonly run: AgentRun } & (
  | { readonly refused: Message }
  | { readonly answer: FollowUpAnswer; readonly lines: string }
);

async function secondCall(
  asked: ReadRequest,
  { agent, first, tools, context, before }: FollowUpQuestion & { readonly before: readonly Finding[] },
): Promise<FollowUpResult> {
  if (!first.submitted) return { refused: { code: 'follow-up.not-submitted' }, run: first };
  if (context.scope === null) return { refused: { code: 'follow-up.switched-off' }, run: first };
  if (agent.clock.now() >= agent.budget.softDeadline) return { refused: { code: 'follow-up.no-time' }, run: first };
  const granted = await grantContext(asked, context.scope);
  if (!granted.granted) return { refused: verbatim(granted.reason), run: first };
  const { path, lines } = granted;
  const text = question(context.fence('lines', `${path}:${lines}\n${granted.text}`), before);
  const run = await ask(agent, { phase: 'follow-up', tool: tools.second, after: first, text });
  if (isUnanswered(run.stop)) return { refused: verbatim(sentenceFor(run.stop)), run };
  const answer = tools.answered();
  return answer === null ? { refused: { code: 'follow-up.nothing-said' }, run } : { answer, lines, run };
}

function question(shown: string, findings: readonly Finding[]): string {
  const known = findings.map(({ title, path }, index) => `#${index + 1} ${path}: ${title}`);
  return [
    'The lines that you asked for, at the reviewed commit:',
    shown,
    known.length === 0 ? 'You reported no finding so far.' : `Your findings so far:\n${known.join('\n')}`,
    'Decide now: this is the last call. Call submit_review with confirmed: the numbers that hold; dismissed: those that the code refutes, each with the reason; files_review: only findings that are new; context_request: null; walkthrough, if asked for: an empty list. What you do not mention stays.',
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

/**
 * One call over diff, code around it and rule findings, without reading tools. When it asks for lines that it may see, exactly one more call on
 * the same conversation, whose prompt is mostly cached; what that one confirms, dismisses and adds is merged (Cora's issue 117).
 */
export async function reviewWithFollowUp(batch: Batch, context: FollowUpContext): Promise<UnbilledReview> {
  const submit = submitReview(context.submission);
  const tools = followUpTools(submit, context.submission);
  const agent: Agent = { ...context.agent, tools: [], finish: tools.first, emit: context.emit };
  const { opening } = context;
  const inTime = agent.clock.now() < agent.budget.softDeadline;
  const single = inTime
    ? await ask(agent, { phase: 'single', tool: tools.first, opening })
    : neverStarted({ messages: opening, metrics: noMetrics }, { limit: 'time' });
  const first = await extract(agent, single);
  const asked = tools.requested();
  const followed = asked === null ? null : await askFollowUp(asked, { agent, first, tools, submit, context });
  const result = submit.result();
  const { report: followUp, findings, disproved, approval } = followed ?? { ...result, report: null, disproved: [] };
  return {
    report: {
      ...reportBatch(batch, { run: first, result: { ...result, approval: approval ?? result.approval } }),
      followUp,
    },
    findings,
    earlier: result.earlier,
    disproved: [...result.withdrawn, ...disproved],
  };
}

type MergedFollowUp = Pick<UnbilledReview, 'findings' | 'disproved'> &
  Pick<FollowUpReport, 'confirmed' | 'removed' | 'added'>;

/**
 * Confirmed is kept, dismissed is taken out with its reason, new is added, unmentioned is kept. What is said once more counts as
 * confirmed. `before` is numbered from 1; `after` holds the same ids, and what the second answer added.
 */
export function mergeFollowUp(
  before: readonly Finding[],
  after: readonly Finding[],
  { confirmed, dismissed, again }: Pick<FollowUpAnswer, 'confirmed' | 'dismissed' | 'again'>,
): MergedFollowUp {
  const known = new Map(before.map((finding) => [finding.id, finding]));
  const isAgain = (finding: Finding) => known.has(finding.id) && known.get(finding.id) !== finding;
  const met = after.filter(isAgain).map(({ id }) => id);
  const reworded = again ? sayAgain(before, { after, met }) : new Map<string, string>();
  const kept = after.filter(({ id }) => !reworded.has(id));
  const confirmedIds = new Set([
    ...confirmed.flatMap((number) => before[number - 1]?.id ?? []),
    ...met,
    ...reworded.values(),
  ]);
  const dismissals = dismissed.flatMap(({ finding, reason }) => {
    const id = before[finding - 1]?.id;
    return id === undefined ? [] : [[id, { kind: 'disproved', reason: verbatim(reason) }] as const];
  });
  const verdicts = new Map<string, Verdict>(dismissals);
  // What is said to hold holds, whatever else is said of it.
  for (const id of confirmedIds) verdicts.set(id, { kind: 'confirmed' });
  const judged = applyVerdicts(kept, verdicts, 'follow-up');
  return {
    ...judged,
    confirmed: judged.findings.filter(({ id }) => confirmedIds.has(id)).length,
    removed: judged.disproved.length,
    added: kept.filter(({ id }) => !known.has(id)).length,
  };
}

/** New findings that say in other words what an earlier one says at the same place, each with that one: a list once more doubles nothing. */
function sayAgain(
  before: readonly Finding[],
  { after, met }: { after: readonly Finding[]; met: readonly string[] },
): ReadonlyMap<string, string> {
  const ids = new Set(before.map(({ id }) => id));
  const open = before.filter(({ id }) => !met.includes(id));
  const again = new Map<string, string>();
  for (const finding of after.filter(({ id }) => !ids.has(id))) {
    const at = open.findIndex(({ path, anchor }) => path === finding.path && overlaps(anchor, finding.anchor));
    const [same] = at === -1 ? [] : open.splice(at, 1);
    if (same !== undefined) again.set(finding.id, same.id);
  }
  return again;
}
