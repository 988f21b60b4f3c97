import type { Agent } from '../agent/agent.ts';
import { ownWords } from '../agent/conversation.ts';
import { costOf, type Price } from '../agent/model.ts';
import type { Need } from '../agent/shares.ts';
import type { Batch } from '../batches/batch.ts';
import { classOf } from '../batches/file-class.ts';
import type { RunEstimate } from '../review/review.ts';
import type { Settings } from '../settings/settings.ts';
import { renderCommonGuidance, renderPathGuidance, type TeamWords } from '../team/team-words.ts';
import type { SharedDiff } from './focus.ts';
import { followUpOf, instructions } from './instructions.ts';

/** Tokens that an iteration adds to its conversation: what it reads, and what it writes. */
const readAnIteration = 1_500;
const writtenAnIteration = 500;
const addedAnIteration = readAnIteration + writtenAnIteration;
/** Title, description and threads, where they are not known. */
const pullRequestTokens = 500;
/** The code around a change: most changes are shown with 1,000 to 1,900 tokens of it, large ones with up to all (`bench/real-context.ts`). */
const around = { least: 1_200, most: 5_000 } as const;
/** A verification of three findings takes 1,400 to 1,900 with the places that they cite (`bench/planted.ts`); one in some reads on. A verdict is 70. */
const verification = { input: 2_400, output: 400 };

type Estimating = {
  readonly agent: Pick<Agent, 'tools' | 'limits' | 'price' | 'estimateTokens'>;
  readonly settings: Pick<Settings, 'passes' | 'language' | 'profile' | 'allowFollowUp' | 'maxFollowUpTokens'>;
  readonly verifier: { readonly price: Price | null } | null;
  readonly words: TeamWords;
  /** What every opening says of the pull request and the team. */
  readonly common?: string;
  /** The diff that every batch sees; left out where each sees its own. */
  readonly shared?: SharedDiff | null;
};

/**
 * What a review like this one usually takes, reported before the first call: not a limit. A batch of n files takes about 1 + n / 4 iterations, since
 * its prompt holds the code around the change; each sends the conversation so far again, which the provider has cached from the second one on.
 */
export function estimateRun(batches: readonly Batch[], estimating: Estimating): RunEstimate & RunNeeds {
  const { agent, settings, verifier, words } = estimating;
  const followUp = followUpOf(settings);
  const common = estimating.common ?? renderCommonGuidance(words);
  const told = instructions(settings.language, { followUp });
  const pullRequest = estimating.common === undefined ? pullRequestTokens : 0;
  // What a tool says of itself beside these is not sent.
  const tools = agent.tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
  const overhead = agent.estimateTokens(told + JSON.stringify(tools) + common) + pullRequest;
  const { maxSteps } = agent.limits;
  const shared = estimating.shared ? agent.estimateTokens(estimating.shared.diff) : null;
  const reviews = batches.map((batch) => {
    const paths = batch.files.map(({ file }) => file.path);
    const guidance = renderPathGuidance(words, paths);
    const own = guidance.length === 0 ? 0 : agent.estimateTokens(guidance.join('\n\n'));
    return estimateBatch(batch, { overhead: overhead + own, maxSteps, shared });
  });
  const review = {
    modelCalls: settings.passes * sum(reviews.map(({ rounds }) => rounds)),
    input: settings.passes * sum(reviews.map(({ input }) => input)),
    cached: settings.passes * sum(reviews.map(({ cached }) => cached)),
    output: settings.passes * sum(reviews.map(({ output }) => output)),
  };
  const checks = verifier === null ? 0 : batches.length;
  const checking = { input: checks * verification.input, cached: 0, output: checks * verification.output };
  const verifierPrice = verifier?.price ?? null;
  return {
    modelCalls: review.modelCalls + checks,
    input: review.input + checking.input,
    output: review.output + checking.output,
    cost:
      agent.price === null
        ? null
        : costOf(review, agent.price) + (verifierPrice === null ? 0 : costOf(checking, verifierPrice)),
    needs: reviews.map((one) => needOf(one, estimating)),
  };
}

/** What each batch has to be sure of, in their order. */
type RunNeeds = { readonly needs: readonly Need[] };

/** Iterations that a review is not started without, where it would make so many: one to read, one to answer. */
const leastRounds = 2;

/** What a batch has to be sure of before it starts, and what it usually takes. The last call is sent everything again. */
function needOf({ opening, rounds, input, output }: EstimatedBatch, { agent, settings, verifier }: Estimating): Need {
  const { stepOutputTokens, lastOutputTokens } = agent.limits;
  const withTools = agent.tools.length > 0 && agent.limits.maxSteps > 0;
  const first = withTools ? Math.min(leastRounds, rounds) : 0;
  const sent = Array.from({ length: first }, (_, round) => opening + round * addedAnIteration);
  const last = opening + (withTools ? first * addedAnIteration + ownWords : 0);
  const least = {
    input: sum(sent) + last,
    output: Math.max(0, first - 1) * writtenAnIteration + (withTools ? stepOutputTokens : 0) + lastOutputTokens,
  };
  const checks = verifier === null ? { input: 0, output: 0 } : verification;
  return {
    least,
    usual: { input: settings.passes * input + checks.input, output: settings.passes * output + checks.output },
  };
}

type EstimatedBatch = ReturnType<typeof estimateBatch>;

function estimateBatch(
  { files, estimatedTokens, trivial }: Batch,
  { overhead, maxSteps, shared }: { overhead: number; maxSteps: number; shared: number | null },
) {
  const count = new Set(files.map(({ file }) => file.path)).size;
  const rounds = trivial ? 1 : Math.max(1, Math.min(1 + Math.ceil(count / 4), calculateMaxIterations(count), maxSteps));
  const code = files.some(({ file }) => ['source', 'test'].includes(classOf(file)));
  const opening =
    overhead + (shared ?? estimatedTokens) + (code ? Math.min(around.most, around.least + estimatedTokens) : 0);
  const prompts = Array.from({ length: rounds }, (_, round) => opening + round * addedAnIteration);
  const cached = sum(prompts.slice(0, -1));
  return { opening, rounds, input: sum(prompts), cached, output: rounds * writtenAnIteration };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

const iterationsPerFile = 5;
const maxIterations = 25;

/** Iterations for that many changed files: 5 a file, 25 at most, 1 without files (Cassandra, `calculateMaxIterations`). */
export function calculateMaxIterations(files: number): number {
  return Math.min(Math.max(1, files * iterationsPerFile), maxIterations);
}
