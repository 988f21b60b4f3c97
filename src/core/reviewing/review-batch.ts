import { ask } from '../agent/ask.ts';
import { type AgentEvent, isUnanswered, stopMessage } from '../agent/event.ts';
import type { Message } from '../agent/message.ts';
import type { Model, Price } from '../agent/model.ts';
import { type Agent, type AgentRun, runAgent } from '../agent/run-agent.ts';
import type { Shares } from '../agent/shares.ts';
import type { Batch } from '../batches/batch.ts';
import { createFence, type Fence, otherFiles, renderBatch } from '../batches/render-batch.ts';
import { renderPullRequest } from '../batches/render-pull-request.ts';
import { renderChain } from '../context/chain-text.ts';
import { contextOf } from '../context/context-chain.ts';
import type { SymbolIndex } from '../context/symbol-index.ts';
import type { ReviewEvent } from '../events.ts';
import { looksUnfinished } from '../findings/accepted-formats.ts';
import type { RecheckItem } from '../findings/earlier.ts';
import { type Finding, placeOf } from '../findings/finding.ts';
import type { UnaskedField } from '../findings/submission.ts';
import { type SubmissionResult, submitNow, submitReview } from '../findings/submit-review.ts';
import { linesOn } from '../findings/walkthrough.ts';
import type { Memory } from '../history/memory.ts';
import type { Standing } from '../history/scope.ts';
import type { ChangedFile } from '../pull-request/changed-file.ts';
import type { PullRequest } from '../pull-request/pull-request.ts';
import type { Repository } from '../repository/repository.ts';
import type { BatchReview } from '../review/draft.ts';
import type { BatchReport, FollowUpReport } from '../review/review.ts';
import type { Settings } from '../settings/settings.ts';
import { renderCommonGuidance, renderPathGuidance, type TeamWords } from '../team/team-words.ts';
import type { Noting } from '../tools/sources.ts';
import { renderQuestion } from './earlier.ts';
import type { SharedDiff } from './focus.ts';
import { answerRequest, type FollowUp } from './follow-up.ts';
import { type FollowUpOptions, instructions } from './instructions.ts';
import { imagesOfBatch, userMessage, type Vision } from './vision.ts';

export type BatchContext = Pick<BatchesContext, 'agent'> & {
  readonly opening: readonly Message[];
  readonly submission: Parameters<typeof submitReview>[0];
  readonly emit: (event: AgentEvent) => void;
  /** Null in the profiles with reading tools. */
  readonly followUp: FollowUp | null;
};

/** What came of a batch, before its meter is read. */
export type UnbilledReview = Omit<BatchReview, 'report' | 'read'> & { readonly report: UnbilledReport };
type UnbilledReport = Omit<BatchReport, 'metrics'>;

/** One run of the agent over one batch. Never throws for what the model or its server does: the report says it. */
export async function reviewBatch(batch: Batch, context: BatchContext): Promise<UnbilledReview> {
  const { opening, followUp } = context;
  const submit = submitReview({ ...context.submission, followUp: followUp !== null });
  const agent: Agent = { ...context.agent, finish: submit.tool, emit: context.emit, isUnfinished: looksUnfinished };
  const { tool } = submit;
  const isSingle = batch.trivial || followUp !== null;
  const first = isSingle ? ask(agent, { phase: 'single', tool, opening }) : runAgent(agent, opening);
  const run = await extract(agent, await first);
  const followed =
    followUp === null ? { followUp, result: submit.result() } : await answerRequest({ agent, run, submit }, followUp);
  const { findings, earlier, withdrawn } = followed.result;
  return { report: reportBatch(batch, { run, ...followed }), findings, earlier, disproved: withdrawn };
}

function reportBatch(
  batch: Batch,
  { run, result, followUp }: { run: AgentRun; result: SubmissionResult; followUp: FollowUpReport | null },
): UnbilledReport {
  const paths = batch.files.map(({ file }) => file.path);
  return {
    name: batch.name,
    paths,
    stop: run.stop,
    reviewed: result.submitted,
    gap: gapOf(run, result),
    approval: result.approval,
    walkthrough: linesOn(paths, result.walkthrough),
    nonSpecificReview: result.nonSpecificReview,
    rawFreeText: result.submitted ? null : run.text,
    followUp,
  };
}

function gapOf({ stop }: AgentRun, { submitted, unreadable: count }: SubmissionResult): BatchReport['gap'] {
  if (!submitted || stop.reason !== 'submitted') return stopMessage(stop);
  return count === 0 ? null : { code: 'sentence', what: { code: 'stop.unreadable-items', count } };
}

type Opening = {
  readonly opening: readonly Message[];
  /** Files of the code around the change that the prompt holds. */
  readonly chainPaths: readonly string[];
};

/** Stable first: instructions, then what holds for the pull request, then the batch. */
export async function batchOpening(batch: Batch, context: BatchesContext & BatchQuestions): Promise<Opening> {
  const { fence, common, settings, followUp } = context;
  const paths = new Set(batch.files.map(({ file }) => file.path));
  const alreadyFound = context.ruleFindings
    .filter((finding) => paths.has(finding.path))
    // A path may read like what was found elsewhere.
    .map((finding) => `${JSON.stringify(placeOf(finding))} ${finding.title}`);
  const words = renderPathGuidance(context.words, [...paths]);
  const shared = context.shared?.of(batch) ?? null;
  const { changes, chain } = shared ?? (await contextOf(context.symbols, batch.files));
  const { entries, ...missing } = chain;
  const shown = imagesOfBatch(batch, context);
  const others = shared === null ? otherFiles(batch, context.planned) : [];
  const earlier = renderQuestion(context.asked, fence);
  const guidance = { alreadyFound, words, chain: renderChain(entries, missing), images: shown.text, others, earlier };
  const opens = `${common}\n\n${shared === null ? '' : context.shared?.diff}`;
  const own = renderBatch({ ...batch, files: changes }, { ...guidance, isPart: shared !== null }, fence);
  return {
    opening: [
      { role: 'system', text: instructions(settings.language, { followUp }) },
      userMessage(opens + own, { ...shown, shared: shared === null ? 0 : opens.length }),
    ],
    chainPaths: [...new Set(entries.map(({ path }) => path))],
  };
}

/** What is the same in the opening of every batch, with the fence that holds whatever is not ours. */
export function commonOpening(
  pullRequest: PullRequest,
  files: readonly ChangedFile[],
  {
    memory,
    words,
    standing,
    isReview = true,
    fence = fenceFor({ pullRequest, files }),
  }: { memory: Memory; words: TeamWords; standing?: Standing; isReview?: boolean; fence?: Fence },
): Pick<BatchesContext, 'fence' | 'common'> {
  const guidance = renderCommonGuidance(words);
  const described = renderPullRequest(pullRequest, files, { fence, memory, standing, isReview });
  return { fence, common: guidance === '' ? described : `${guidance}\n\n${described}` };
}

/** The mark must not occur in anything that is fenced. */
export function fenceFor({ pullRequest, files }: { pullRequest: PullRequest; files: readonly ChangedFile[] }): Fence {
  const { title, body, stack, commits, linked, conversation, threads, reviews } = pullRequest;
  const texts = JSON.stringify([title, body, stack, commits, linked, conversation, threads, reviews]);
  return createFence(
    pullRequest.head.sha,
    (mark) =>
      texts.includes(mark) ||
      files.some(
        (file) =>
          file.path.includes(mark) ||
          file.oldPath.includes(mark) ||
          file.hunks.some((hunk) => hunk.lines.some((line) => line.includes(mark))),
      ),
  );
}

/** What one batch is asked about beside its review. */
export type BatchQuestions = { readonly asked: readonly RecheckItem[] };

/** What the review of every batch needs. */
export type BatchesContext = {
  /** The run's agent without what belongs to one batch. */
  readonly agent: Omit<Agent, 'finish' | 'emit' | 'isUnfinished'>;
  /** Its tools, which note what they show. */
  readonly toolsOver: (noting: Noting) => Agent['tools'];
  /** Of the budget, for each batch in its turn. */
  readonly shares: Pick<Shares, 'next' | 'limit'>;
  readonly fence: Fence;
  /** What every opening says of the pull request and the team. */
  readonly common: string;
  /** The reviewed commit, full hash. */
  readonly head: string;
  /** The diff that all batches see; null where each sees its own. */
  readonly shared: SharedDiff | null;
  /** Every file of the diff, reviewed or not. */
  readonly files: readonly ChangedFile[];
  /** The files of all batches, the most valuable first. */
  readonly planned: readonly ChangedFile[];
  readonly repository: Repository;
  /** Of all rules that there are. */
  readonly ruleIds: ReadonlySet<string>;
  /** Fields of a finding that no prompt of this run gives a value for. */
  readonly unasked: readonly UnaskedField[];
  readonly ruleFindings: readonly Finding[];
  /** The earlier findings that a batch is asked about. */
  readonly askedOf: (batch: Batch) => readonly RecheckItem[];
  /** The team's guidance for reviewers. */
  readonly words: TeamWords;
  /** Finds the code around a change; null where nothing is parsed. */
  readonly symbols: SymbolIndex | null;
  /** Null in the profiles with reading tools. */
  readonly followUp: FollowUpOptions | null;
  readonly settings: Settings;
  /** Who checks the findings; null when nobody does. */
  readonly verifier: { readonly model: Model; readonly price: Price | null } | null;
  readonly nextId: () => string;
  /** Why a path may not be read by the model; null when it may. */
  readonly isDenied: (path: string) => string | null;
  /** What is shown of changed images; null where nothing is. */
  readonly vision: Vision | null;
  readonly report: (event: ReviewEvent) => void;
  readonly onFinding?: ((finding: Finding) => void) | undefined;
};

/**
 * Brings an answer in text into the schema: an accepted format is taken as it is, free text is asked for again on the same
 * conversation (the source is still in view). Hard errors and spent limits are not retried.
 */
export async function extract(agent: Agent, run: AgentRun): Promise<AgentRun> {
  if (!endedWithText(run)) return run;
  const { finish: tool } = agent;
  const taken = (await tool.takeText?.(run.text)) ?? null;
  if (taken === null) return run;
  // An answer in text is as good as a submitted one; a limit that was reached, or a text that was cut, stays said.
  const stop = run.stop.reason === 'answered' ? ({ reason: 'submitted' } as const) : run.stop;
  if (taken.done) return { ...run, submitted: true, stop };
  const asked = await ask(agent, { phase: 'extraction', tool, after: run, text: taken.text, again: submitNow });
  // What was said first is the review; a later text is at most another form of it.
  const { text } = run;
  if (asked.submitted) return { ...asked, text, stop };
  return { ...asked, text, stop: isUnanswered(asked.stop) ? asked.stop : run.stop };
}

type RunWithText = AgentRun & { readonly text: string };

/** After an error, a text is a beginning that nothing followed. */
function endedWithText(run: AgentRun): run is RunWithText {
  if (run.submitted || run.text === null || run.text.trim() === '') return false;
  return !['cancelled', 'model-failed', 'refused', 'context-overflow'].includes(run.stop.reason);
}
