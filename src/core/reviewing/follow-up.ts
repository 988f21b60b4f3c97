import type { Agent, AgentRun } from '../agent/agent.ts';
import { ask } from '../agent/ask.ts';
import { estimateTokens } from '../agent/estimate.ts';
import { isUnanswered, sentenceFor } from '../agent/event.ts';
import type { Fence } from '../batches/render-batch.ts';
import type { ReviewEvent } from '../events.ts';
import type { Finding } from '../findings/finding.ts';
import { mergePasses } from '../findings/merge.ts';
import { type Approval, saysApproval, worstApproval } from '../findings/submission.ts';
import type { SubmissionResult, SubmitReview } from '../findings/submit-review.ts';
import type { ContextRequest, OwnVerdicts, ReadRequest } from '../findings/words.ts';
import { inEnglish } from '../messages/languages.ts';
import { type Message, verbatim } from '../messages/message.ts';
import { numberedLines, type ShownLine } from '../repository/shown.ts';
import type { BatchReview } from '../review/draft.ts';
import type { FollowUpReport } from '../review/review.ts';
import { cutLine } from '../text.ts';
import { applyVerdicts, reportDisproved, type Verdict } from './verification-call.ts';

/** How a batch is reviewed in one call without reading tools, and at most one more for lines that the first asks for. */
export type FollowUp = {
  /** As the log calls the batch. */
  readonly name: string;
  /** Null: requests are not answered. */
  readonly scope: FollowUpScope | null;
  readonly fence: Fence;
  readonly report: (event: ReviewEvent) => void;
};

type FirstCall = { readonly agent: Agent; readonly run: AgentRun; readonly submit: SubmitReview };

type FollowedUp = { readonly followUp: FollowUpReport | null; readonly result: SubmissionResult };

/**
 * Answers a request for lines by exactly one more call on the same conversation, whose prompt is mostly cached, and merges what that one confirms,
 * dismisses and adds (Cora's issue 117). Or says why not: then the first answer stands. Never throws for what a model or a server does.
 */
export async function answerRequest(call: FirstCall, { name: batch, ...context }: FollowUp): Promise<FollowedUp> {
  const before = call.submit.result();
  const { contextRequest: request } = before;
  if (request === null) return { followUp: null, result: before };
  const { file, lines, reason } = wordsOf(request);
  context.report({ type: 'follow_up_requested', batch, file, lines, reason });
  const { run, ...told } = await secondCall(request, { ...call, before, context });
  const use = run.metrics.phases['follow-up']?.usage;
  const extraTokens = use === undefined ? 0 : use.input + use.output;
  const after = call.submit.result();
  const { second } = after;
  if (told.refused !== null || second === null) {
    const refused = told.refused ?? { code: 'follow-up.nothing-said' as const };
    context.report({ type: 'follow_up_refused', batch, file, lines, reason: inEnglish(refused) });
    const none = { confirmed: 0, removed: 0, added: 0 };
    return { followUp: { file, lines, refused, ...none, extraTokens }, result: before };
  }
  const { findings, disproved, ...counts } = mergeFollowUp(before.findings, after.findings, second.verdicts);
  reportDisproved(disproved, { batch, report: context.report });
  context.report({
    type: 'follow_up_complete',
    batch,
    issues_confirmed: counts.confirmed,
    issues_removed: counts.removed,
    issues_added: counts.added,
    extra_tokens: extraTokens,
  });
  const ids = before.findings.map(({ id }) => id);
  const stands = ids.length === 0 || findings.some(({ id }) => ids.includes(id));
  return {
    followUp: { file, lines: told.lines, refused: null, ...counts, extraTokens },
    result: {
      ...after,
      findings,
      withdrawn: [...after.withdrawn, ...disproved],
      approval: stands ? stricter(before.approval, second.approval) : second.approval,
    },
  };
}

function wordsOf(asked: ReadRequest): { readonly file: string; readonly lines: string; readonly reason: string } {
  if (!asked.ok) return { file: asked.file, lines: '', reason: '' };
  const { file, lineStart, lineEnd, reason } = asked.request;
  return { file, lines: `${lineStart}-${lineEnd}`, reason };
}

/** While something of the first call stands, so does what it asked for: silence is no approval. */
function stricter(first: Approval | null, second: Approval): Approval | null {
  return worstApproval([...(first === null ? [] : [first]), ...(saysApproval(second) ? [second] : [])]);
}

type SecondCall = FirstCall & { readonly before: SubmissionResult; readonly context: Omit<FollowUp, 'name'> };

async function secondCall(request: ReadRequest, { agent, run, submit, before, context }: SecondCall) {
  const unanswered = (refused: Message, last = run) => ({ run: last, refused, lines: '' });
  if (!run.submitted) return unanswered({ code: 'follow-up.not-submitted' });
  if (context.scope === null) return unanswered({ code: 'follow-up.switched-off' });
  if (agent.clock.now() >= agent.budget.softDeadline) return unanswered({ code: 'follow-up.no-time' });
  const granted = await grantContext(request, context.scope);
  if (!granted.granted) return unanswered(verbatim(granted.reason));
  const { path, lines } = granted;
  const text = question(context.fence('lines', `${path}:${lines}\n${granted.text}`), before.findings);
  const last = await ask(agent, { phase: 'follow-up', tool: submit.second, after: run, text });
  return isUnanswered(last.stop)
    ? unanswered(verbatim(sentenceFor(last.stop)), last)
    : { run: last, refused: null, lines };
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

type MergedFollowUp = Pick<BatchReview, 'findings' | 'disproved'> &
  Pick<FollowUpReport, 'confirmed' | 'removed' | 'added'>;

/**
 * Confirmed is kept, dismissed is taken out with its reason, new is added, unmentioned is kept. What is said once more counts as confirmed. `before`
 * is numbered from 1; `after` holds the same ids, and what the second answer added. Without verdicts that answer is the whole list once more,
 * perhaps in other words: what then stands at the place of an earlier finding is that one, so that nothing is doubled.
 */
export function mergeFollowUp(
  before: readonly Finding[],
  after: readonly Finding[],
  given: OwnVerdicts | null,
): MergedFollowUp {
  const known = new Map(before.map((finding) => [finding.id, finding]));
  const added = after.filter(({ id }) => !known.has(id));
  const repeated = after.filter((finding) => known.has(finding.id) && known.get(finding.id) !== finding);
  const open = before.filter(({ id }) => repeated.every((other) => other.id !== id));
  const once = given === null ? mergePasses([open, added]).once : null;
  const isReworded = ({ id }: Finding) => once?.has(id) === false;
  const kept = after.filter((finding) => known.has(finding.id) || !isReworded(finding));
  const confirmed = new Set([
    ...(given?.confirmed ?? []).flatMap((number) => before[number - 1]?.id ?? []),
    ...repeated.map(({ id }) => id),
    ...open.filter(isReworded).map(({ id }) => id),
  ]);
  const verdicts = new Map<string, Verdict>();
  for (const { finding, reason } of given?.dismissed ?? []) {
    const id = before[finding - 1]?.id;
    if (id !== undefined) verdicts.set(id, { kind: 'disproved', reason: verbatim(reason) });
  }
  // What is said to hold holds, whatever else is said of it.
  for (const id of confirmed) verdicts.set(id, { kind: 'confirmed' });
  const judged = applyVerdicts(kept, verdicts, 'follow-up');
  return {
    ...judged,
    confirmed: judged.findings.filter(({ id }) => confirmed.has(id)).length,
    removed: judged.disproved.length,
    added: kept.filter(({ id }) => !known.has(id)).length,
  };
}

/** What a follow-up may show. */
export type FollowUpScope = {
  /** Paths of the batch's changed files, and of the code around them that the prompt holds; an old name leads to the new one. */
  readonly paths: ReadonlyMap<string, string>;
  /** Tokens, estimated. */
  readonly maxTokens: number;
  /** Lines at head; null for what is no text file there, or may not be read. */
  readonly read: (path: string) => Promise<readonly ShownLine[] | null>;
};

type Granted =
  | { readonly granted: true; readonly path: string; readonly lines: string; readonly text: string }
  | { readonly granted: false; readonly reason: string };

/** Decides a request for lines and reads them: within the batch's files and their chain, a given range, a limited number of tokens. */
export async function grantContext(asked: ReadRequest, scope: FollowUpScope): Promise<Granted> {
  if (!asked.ok) return refused(asked.problem);
  const { request } = asked;
  const path = scope.paths.get(request.file.replace(/^(?:\.\/)+/, ''));
  if (path === undefined) {
    return refused('the file is neither among the changed files of the batch nor in the code around them');
  }
  const lines = await scope.read(path);
  if (lines === null) return refused('there is no text at the reviewed commit that may be read');
  if (request.lineStart > lines.length) return refused(`the file has ${lines.length} lines`);
  return excerpt(lines, { request, path, maxTokens: scope.maxTokens });
}

/** Of one line; minified files have lines of megabytes. */
const maxLineCharacters = 500;

function excerpt(
  lines: readonly ShownLine[],
  { request, path, maxTokens }: { request: ContextRequest; path: string; maxTokens: number },
): Granted {
  const { lineStart } = request;
  const wanted = Math.min(request.lineEnd, lines.length);
  // A line with its number takes a token at least.
  let last = Math.min(wanted, lineStart - 1 + maxTokens);
  while (last >= lineStart) {
    const rows = lines
      .slice(lineStart - 1, last)
      .map((line) => ({ ...line, text: cutLine(line.text, maxLineCharacters) }));
    const note = last < wanted ? `\n[lines ${last + 1}-${wanted} are left out: the limit of a follow-up]` : '';
    const text = `${numberedLines(rows, lineStart)}${note}`;
    if (estimateTokens(text) <= maxTokens) return { granted: true, path, lines: `${lineStart}-${last}`, text };
    // Down by a tenth: an estimate is no sum of its parts.
    last -= Math.max(1, Math.floor(rows.length / 10));
  }
  return refused(`not even its first line fits ${maxTokens} tokens`);
}

function refused(reason: string): Granted {
  return { granted: false, reason };
}
