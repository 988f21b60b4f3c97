import { type AgentEvent, sentenceFor } from '../agent/event.ts';
import type { Message } from '../agent/message.ts';
import type { Model, Price } from '../agent/model.ts';
import { type Agent, type AgentRun, askAgain, runAgent, runOnce } from '../agent/run-agent.ts';
import type { Shares } from '../agent/shares.ts';
import type { Batch } from '../batches/batch.ts';
import { createFence, type Fence, otherFiles, renderBatch } from '../batches/render-batch.ts';
import { renderPullRequest } from '../batches/render-pull-request.ts';
import { renderChain } from '../context/chain-text.ts';
import { contextOf } from '../context/context-chain.ts';
import type { SymbolIndex } from '../context/symbol-index.ts';
import type { ReviewEvent } from '../events.ts';
import { looksUnfinished, parseFinalText } from '../findings/accepted-formats.ts';
import type { AskedFinding } from '../findings/earlier.ts';
import { type Finding, placeOf } from '../findings/finding.ts';
import { type SubmissionResult, type SubmitReview, submitReview } from '../findings/submit-review.ts';
import type { Memory } from '../memory/memory.ts';
import type { ChangedFile } from '../pull-request/changed-file.ts';
import type { PullRequest } from '../pull-request/pull-request.ts';
import type { Repository } from '../repository/repository.ts';
import type { BatchReview } from '../review/draft.ts';
import type { BatchReport } from '../review/review.ts';
import type { Settings } from '../settings/settings.ts';
import { renderCommonGuidance, renderPathGuidance, type TeamWords } from '../team/team-words.ts';
import { plural } from '../text.ts';
import { renderQuestion } from './earlier.ts';
import { type FollowUpOptions, instructions } from './instructions.ts';
import { lookAgain, type SecondLook } from './second-look.ts';
import { imagesOfBatch, userMessage, type Vision } from './vision.ts';

export type BatchContext = Pick<BatchesContext, 'agent'> & {
  readonly opening: readonly Message[];
  readonly submission: Parameters<typeof submitReview>[0];
  readonly emit: (event: AgentEvent) => void;
  /** Null where nobody looks twice. */
  readonly secondLook: SecondLook | null;
};

/** What came of a batch, before its meter is read. */
export type UnbilledReview = Omit<BatchReview, 'report'> & { readonly report: UnbilledReport };
type UnbilledReport = Omit<BatchReport, 'metrics'>;

/** One run of the agent over one batch. Never throws for what the model or its server does: the report says it. */
export async function reviewBatch(batch: Batch, context: BatchContext): Promise<UnbilledReview> {
  const submit = submitReview(context.submission);
  const agent: Agent = { ...context.agent, finish: submit.tool, emit: context.emit, isUnfinished: looksUnfinished };
  const { opening } = context;
  const first = batch.trivial ? await runOnce(agent, { opening, phase: 'single' }) : await runAgent(agent, opening);
  const run = await extract(agent, first, submit);
  const { submission, secondLook } = context;
  const submitted = { agent, run, submission, first: submit.result() };
  const result = secondLook === null ? submitted.first : await lookAgain(batch, submitted, secondLook);
  const { findings, withdrawn } = result;
  const { earlier } = submitted.first;
  return { report: reportBatch(batch, { run, result }), findings, earlier, disproved: withdrawn };
}

export function reportBatch(
  batch: Batch,
  { run, result }: { run: AgentRun; result: SubmissionResult },
): UnbilledReport {
  const paths = batch.files.map(({ file }) => file.path);
  return {
    name: batch.name,
    paths,
    stop: run.stop,
    reviewed: result.submitted,
    gap: gapOf(run, result),
    approval: result.approval,
    walkthrough: result.walkthrough.filter(({ path }) => paths.includes(path)),
    nonSpecificReview: result.nonSpecificReview,
    rawFreeText: result.submitted ? null : run.text,
    followUp: null,
  };
}

function gapOf({ stop }: AgentRun, { submitted, unreadable }: SubmissionResult): string | null {
  if (!submitted || stop.reason !== 'submitted') return sentenceFor(stop);
  if (unreadable === 0) return null;
  return `${plural(unreadable, 'item')} of the model's answer could not be read.`;
}

type Opening = {
  readonly opening: readonly Message[];
  /** Files of the code around the change that the prompt holds. */
  readonly chainPaths: readonly string[];
};

/** Stable first: instructions, then what holds for the pull request, then the batch. */
export async function batchOpening(batch: Batch, context: BatchesContext & Asking): Promise<Opening> {
  const { fence, common, settings, followUp } = context;
  const paths = new Set(batch.files.map(({ file }) => file.path));
  const alreadyFound = context.ruleFindings
    .filter((finding) => paths.has(finding.path))
    .map((finding) => `${placeOf(finding)} ${finding.title}`);
  const words = renderPathGuidance(context.words, [...paths]);
  const { changes, chain } = await contextOf(context.symbols, batch.files);
  const { entries, ...missing } = chain;
  const shown = imagesOfBatch(batch, context);
  const others = otherFiles(batch, context.planned);
  const earlier = renderQuestion(context.asked, fence);
  const guidance = { alreadyFound, words, chain: renderChain(entries, missing), images: shown.text, others, earlier };
  return {
    opening: [
      { role: 'system', text: instructions(settings.language, { followUp, walkthrough: settings.walkthrough }) },
      userMessage(`${common}\n\n${renderBatch({ ...batch, files: changes }, guidance, fence)}`, shown),
    ],
    chainPaths: [...new Set(entries.map(({ path }) => path))],
  };
}

/** What is the same in the opening of every batch, with the fence that holds whatever is not ours. */
export function commonOpening(
  pullRequest: PullRequest,
  files: readonly ChangedFile[],
  { memory, words }: { memory: Memory; words: TeamWords },
): Pick<BatchesContext, 'fence' | 'common'> {
  const fence = fenceFor({ pullRequest, files });
  const guidance = renderCommonGuidance(words);
  const described = renderPullRequest(pullRequest, files, { fence, memory });
  return { fence, common: guidance === '' ? described : `${guidance}\n\n${described}` };
}

/** The mark must not occur in anything that is fenced. */
export function fenceFor({ pullRequest, files }: { pullRequest: PullRequest; files: readonly ChangedFile[] }): Fence {
  const { title, body, commits, linked, conversation, threads, reviews } = pullRequest;
  const texts = JSON.stringify([title, body, commits, linked, conversation, threads, reviews]);
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
export type Asking = { readonly asked: readonly AskedFinding[] };

/** What the review of every batch needs. */
export type BatchesContext = {
  /** The run's agent without what belongs to one batch. */
  readonly agent: Omit<Agent, 'finish' | 'emit' | 'isUnfinished'>;
  /** Of the budget, for each batch in its turn. */
  readonly shares: Pick<Shares, 'next' | 'limit'>;
  readonly fence: Fence;
  /** What every opening says of the pull request and the team. */
  readonly common: string;
  /** The reviewed commit, full hash. */
  readonly head: string;
  /** Every file of the diff, reviewed or not. */
  readonly files: readonly ChangedFile[];
  /** The files of all batches, the most valuable first. */
  readonly planned: readonly ChangedFile[];
  readonly repository: Repository;
  /** Of all rules that there are. */
  readonly ruleIds: ReadonlySet<string>;
  readonly ruleFindings: readonly Finding[];
  /** The earlier findings that a batch is asked about. */
  readonly askedOf: (batch: Batch) => readonly AskedFinding[];
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

/** Extraction calls a batch (Cassandra's number). */
const maxAttempts = 3;

const question =
  'Your review was not submitted with submit_review. Call submit_review now with what you found: the same findings, nothing new. An empty list is fine when there are none.';

/** What takes a review that came as text. */
export type Extractable = Pick<SubmitReview, 'take'> & {
  /** Whether a request for lines is a review too, with nothing found so far. */
  readonly takesRequests?: boolean;
};

/**
 * Brings an answer in text into the schema: an accepted format is taken as it is, free text is asked for again on the same
 * conversation (the source is still in view) with submit_review alone. Hard errors and spent limits are not retried.
 */
export async function extract(agent: Agent, run: AgentRun, submit: Extractable): Promise<AgentRun> {
  if (!endedWithText(run)) return run;
  const first = await take(run.text, submit);
  if (first === 'no review') return run;
  let current: AgentRun = run;
  let taken: Taken = first;
  for (let attempt = 1; !taken.done && attempt <= maxAttempts; attempt += 1) {
    const asked = await ask(agent, current, { attempt, text: taken.text });
    if (asked.submitted) return { ...asked, stop: stopAfterText(run) };
    // What was said first is the review; a later text is at most another form of it.
    if (isHard(asked, current)) return { ...asked, text: run.text };
    taken = await takeNext(asked, { current, submit });
    current = asked;
  }
  return taken.done ? { ...current, submitted: true, stop: stopAfterText(run) } : { ...current, text: run.text };
}

type RunWithText = AgentRun & { readonly text: string };

/** After an error, a text is a beginning that nothing followed. */
function endedWithText(run: AgentRun): run is RunWithText {
  if (run.submitted || run.text === null || run.text.trim() === '') return false;
  return !['cancelled', 'model-failed', 'refused', 'context-overflow'].includes(run.stop.reason);
}

type Taken = { readonly done: boolean; readonly text: string };

async function take(text: string, submit: Extractable): Promise<Taken | 'no review'> {
  const parsed = parseFinalText(text);
  if (parsed.kind === 'submission') return submit.take(parsed.submission);
  if (parsed.kind === 'context-request') {
    return submit.takesRequests === true ? submit.take(parsed.submission) : 'no review';
  }
  // "Let me check the file…" is no review: to ask for its findings would turn it into an empty one.
  return parsed.kind === 'announcement' ? 'no review' : { done: false, text: question };
}

function ask(agent: Agent, run: AgentRun, { attempt, text }: { attempt: number; text: string }): Promise<AgentRun> {
  agent.emit({ type: 'extraction-start', attempt, maxAttempts, reason: text });
  return askAgain(agent, run, { text, phase: 'extraction' });
}

/** The call could not be made, or its error is not one that another attempt fixes: only then the reason to stop is a new one. */
function isHard(asked: AgentRun, current: AgentRun): boolean {
  return asked.stop !== current.stop;
}

/** An empty answer, a malformed call and an announcement leave the question open; a refused submission says itself what to fix. */
async function takeNext(
  asked: AgentRun,
  { current, submit }: { current: AgentRun; submit: Extractable },
): Promise<Taken> {
  const said = asked.text === null || asked.text === current.text ? null : await take(asked.text, submit);
  return said === null || said === 'no review' ? { done: false, text: question } : said;
}

/** An answer in text is as good as a submitted one; a limit that was reached, or a text that was cut, stays said. */
function stopAfterText(run: AgentRun): AgentRun['stop'] {
  return run.stop.reason === 'answered' ? { reason: 'submitted' } : run.stop;
}
