import { filesOfGlob, readHandedFile } from '../../adapters/files/handed-files.ts';
import { writeHandedFile } from '../../adapters/files/recorders.ts';
import { pageName } from '../../core/addresses.ts';
import { UserError } from '../../core/errors.ts';
import { type FoundFile, mergeShards } from '../../core/handover/merge-shards.ts';
import { whySuperseded } from '../../core/handover/post-review.ts';
import {
  parseReviewFile,
  type ReviewFile,
  renderReviewFile,
  reviewFileLimits,
  type ShardOrigin,
} from '../../core/handover/review-file.ts';
import { digestOfFile, isSignedFile } from '../../core/handover/signed-file.ts';
import type { RunIdentity } from '../../core/history/memory.ts';
import { settingsDigest } from '../../core/history/scope.ts';
import type { MarkKeys } from '../../core/history/signed-marks.ts';
import type { PullRequest } from '../../core/pull-request/pull-request.ts';
import type { RenderContext } from '../../core/report/wording.ts';
import type { ShardPlan } from '../../core/review/shards.ts';
import type { ReviewOutput } from '../../core/review-pull-request.ts';
import type { Shard } from '../../core/reviewing/parts.ts';
import { parseShard } from '../../core/settings/formats.ts';
import { modeProblems } from '../../core/settings/problems.ts';
import { handsOver, type Secrets, type Settings } from '../../core/settings/settings.ts';

/** What this job has from others: a review to post, or the part of a plan that it reviews; nothing where it does all alone. */
export type HandedFiles = {
  readonly file: ReviewFile | null;
  readonly shard: (Shard & { readonly origin: ShardOrigin }) | null;
};

/** What a file of another job is held against. */
export type HandoverContext = {
  readonly keys: MarkKeys;
  readonly pullRequest: PullRequest;
  readonly secrets: Secrets;
};

/** Reads what other jobs wrote. Its form is checked, and its content is a claim. @throws UserError, also for inputs that contradict `mode` */
export async function openHandedFiles(settings: Settings, context: HandoverContext): Promise<HandedFiles> {
  const { mode, planFile, reviewFile, shard } = settings;
  const problems = modeProblems(settings, { withKey: context.secrets.apiKey !== '' });
  if (problems.length > 0) {
    const page = mode === 'plan' || planFile !== '' || shard !== '' ? 'large.md' : 'forks.md';
    throw new UserError(problems.join(' '), { hint: `Several jobs: ${pageName(page)}` });
  }
  if (mode === 'post') {
    const file = planFile === '' ? await openReviewFile(reviewFile, context) : await openShards(settings, context);
    return { file, shard: null };
  }
  return { file: null, shard: mode === 'review' && shard !== '' ? await openShard(settings, context) : null };
}

/** The settings of one shard: its share of what the run may take. */
export function settingsOfShard(settings: Settings, { shard }: HandedFiles): Settings {
  const share = shard?.plan.shards[shard.number - 1];
  if (share === undefined || share.batches.length === 0) return settings;
  const { maxTotalTokens, maxCost, timeoutMinutes } = settings;
  return {
    ...settings,
    maxTotalTokens: Math.min(maxTotalTokens, share.tokens),
    maxCost: maxCost === null ? null : Math.min(maxCost, share.cost ?? maxCost),
    timeoutMinutes: Math.min(timeoutMinutes, share.minutes),
  };
}

/** Keeps what was made for the jobs that need it; null in a job that posts itself. */
export function handOverTo(
  settings: Settings,
  author: Readonly<{ identity: RunIdentity; context: RenderContext; keys: MarkKeys; handed: HandedFiles }>,
): ReviewOutput['handOver'] {
  if (!handsOver(settings)) return null;
  const plans = settings.mode === 'plan';
  const { identity, context, keys } = author;
  const shard = author.handed.shard?.origin ?? null;
  const path = plans ? settings.planFile : settings.reviewFile;
  return (draft, review) =>
    writeHandedFile(plans ? 'plan-file' : 'review-file', {
      path,
      render: () => renderReviewFile({ draft, review }, { identity, context, keys, plans, shard }),
    });
}

/** What the job with `mode: review` wrote, of all of the change. @throws UserError */
export async function openReviewFile(path: string, context: FileSigning): Promise<ReviewFile> {
  const text = await readHandedFile(path, { input: 'review-file', bytes: reviewFileLimits.bytes });
  const parsed = parseReviewFile(text);
  if (!parsed.ok) throw unusable({ path, input: 'review-file', mode: 'review' }, parsed.problems);
  const isSigned = requireSigned(text, 'review-file', context);
  if (parsed.value.shard === null) return { ...parsed.value, isSigned };
  throw new UserError(`The file ${path} ('review-file') is the review of one shard.`, {
    hint: 'Set `plan-file` too, to what the job with `mode: plan` wrote.',
  });
}

type Plan = {
  readonly file: ReviewFile & { readonly plan: ShardPlan };
  readonly digest: string;
  readonly isSigned: boolean;
};

/** Keys that may have signed a file of another job. */
type FileSigning = { readonly keys: MarkKeys; readonly secrets: Secrets };

/**
 * Whether a key of all jobs signed a file. Where this job has one, a file without its signature is used by nobody: what it claims would be signed
 * as our own with what the run remembers. `api-key` may sign too, and not every job has it.
 *
 * @throws UserError
 */
function requireSigned(text: string, input: string, { keys, secrets }: FileSigning): boolean {
  const isSo = isSignedFile(text, keys);
  if (isSo || secrets.stateKey === '') return isSo;
  throw new UserError(`The file ('${input}') is not signed with the \`state-key\` of this job for this pull request.`, {
    hint: 'Give all jobs the same `state-key`, and let this one download what another job of the same workflow run uploaded.',
  });
}

async function openPlan(path: string, context: FileSigning): Promise<Plan> {
  const text = await readHandedFile(path, { input: 'plan-file', bytes: reviewFileLimits.planBytes });
  const parsed = parseReviewFile(text, { isPlan: true });
  if (!parsed.ok) throw unusable({ path, input: 'plan-file', mode: 'plan' }, parsed.problems);
  const { plan } = parsed.value;
  if (plan === null) throw new Error('A plan was read that is none.');
  const file = { ...parsed.value, plan };
  return { file, digest: digestOfFile(text), isSigned: requireSigned(text, 'plan-file', context) };
}

function unusable(
  { path, input, mode }: { path: string; input: string; mode: string },
  problems: readonly string[],
): UserError {
  return new UserError(`The file ${path} ('${input}') cannot be used: ${problems.join('; ')}.`, {
    hint: `It must be what the job with \`mode: ${mode}\` wrote, and all jobs must use the same version of Postil.`,
  });
}

/** The review of all shards whose files are there, one file at a time: there may be hundreds. */
async function openShards({ planFile, reviewFile }: Settings, context: FileSigning): Promise<ReviewFile> {
  const plan = await openPlan(planFile, context);
  const found: FoundFile[] = [];
  for (const path of await filesOfGlob(reviewFile)) found.push(await readShardFile(path, context.keys));
  return mergeShards(plan, found);
}

async function readShardFile(path: string, keys: MarkKeys): Promise<FoundFile> {
  try {
    const text = await readHandedFile(path, { input: 'review-file', bytes: reviewFileLimits.bytes });
    const parsed = parseReviewFile(text);
    const file = parsed.ok ? parsed.value : parsed.problems.join('; ');
    return { name: path, file, isSigned: isSignedFile(text, keys) };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { name: path, file: error.message, isSigned: false };
  }
}

async function openShard(settings: Settings, context: HandoverContext): Promise<HandedFiles['shard']> {
  const { file, digest } = await openPlan(settings.planFile, context);
  const { pullRequest } = context;
  const named = parseShard(settings.shard);
  if (named === null || named.of !== file.plan.shards.length) {
    throw new UserError(
      `The plan has ${file.plan.shards.length} shards, and this job is to review ${settings.shard}.`,
      {
        hint: "Take 'shard' from the output `shards` of the job that wrote the plan.",
      },
    );
  }
  const own = settingsDigest(settings, { withModel: settings.profile !== 'offline' });
  if (file.identity.settings !== own) {
    throw new UserError("The plan ('plan-file') was made with other settings than this job has.", {
      hint: 'Give both jobs the same inputs, such as by `POSTIL_…` variables of the workflow or by the config file.',
    });
  }
  const superseded = whySuperseded(file, { head: pullRequest.head.sha, mergeBase: pullRequest.mergeBase });
  const stop = superseded !== null ? ({ reason: 'skipped', why: superseded } as const) : stopOf(file);
  return { number: named.number, plan: file.plan, stop, origin: { number: named.number, plan: digest } };
}

function stopOf({ draft }: ReviewFile): Shard['stop'] {
  return draft.kind === 'stopped' ? draft.stop : null;
}
