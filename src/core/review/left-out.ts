import type { Asked } from '../memory/asked.ts';
import type { Memory } from '../memory/memory.ts';
import { stickyOf } from '../memory/prior-marks.ts';
import type { Changes, CommitMessage, PullRequest } from '../pull-request/pull-request.ts';
import { anyGlob } from '../repository/path.ts';
import type { Settings } from '../settings/settings.ts';

/** Why a pull request is left out. `byAuthor`: its author decides that, so no gate passes by it. */
type LeftOut = { readonly why: string; readonly byAuthor?: true };

/** Who started a run: somebody who asks for a review gets it, whatever is left out otherwise. */
type Starting = { readonly asked?: Asked; readonly isByHand?: boolean };

/** Why a pull request is not reviewed at all; null when it is. Those that coding agents opened are reviewed like any other. */
export function reasonToSkip(pullRequest: PullRequest, settings: Settings, starting: Starting): LeftOut | null {
  if (pullRequest.state !== 'open') return { why: `The pull request is ${pullRequest.state}.` };
  if (isAskedFor(starting)) return null;
  return reasonOfWorkflow(pullRequest, settings) ?? reasonOfAuthor(pullRequest, settings);
}

export function isAskedFor({ asked, isByHand }: Starting): boolean {
  return asked !== undefined || isByHand === true;
}

/** What the author of a pull request does not decide; only a draft is theirs, and it cannot be merged. */
function reasonOfWorkflow(pullRequest: PullRequest, settings: Settings): LeftOut | null {
  const { draft, author, labels } = pullRequest;
  const { reviewDrafts, triggerLabel, ignoreLabels } = settings;
  if (draft && !reviewDrafts) {
    return { why: 'The pull request is a draft. It is reviewed when it is ready, or with `review-drafts: true`.' };
  }
  if (isSkippedAuthor(pullRequest, settings) && whyNotTheirs(pullRequest) === null) {
    return { why: `Pull requests of ${author} are not reviewed (\`skip-authors\`).` };
  }
  if (triggerLabel !== '' && !labels.some((label) => isSameName(label, triggerLabel))) {
    return { why: `The pull request does not have the label “${triggerLabel}” (\`trigger-label\`).` };
  }
  const ignored = labels.find((label) => ignoreLabels.some((pattern) => matchesName(pattern, label)));
  return ignored === undefined ? null : { why: `The pull request has the label “${ignored}” (\`ignore-labels\`).` };
}

/** Whoever opens a pull request writes its title and chooses its base branch, and may change both once a check has passed. */
function reasonOfAuthor({ title, base }: PullRequest, { ignoreTitles, baseBranches }: Settings): LeftOut | null {
  const plain = title.toLowerCase();
  if (plain.includes(skipWord)) return { why: `Its title says \`${skipWord}\`.`, byAuthor: true };
  const text = ignoreTitles.find((one) => plain.includes(one.toLowerCase()));
  if (text !== undefined) return { why: `Its title contains “${text}” (\`ignore-titles\`).`, byAuthor: true };
  // A slash at the start: a name alone is no branch of that name in a folder.
  if (baseBranches.length === 0 || anyGlob(baseBranches.map((glob) => `/${glob}`))(base.ref)) return null;
  return { why: `Its base branch “${base.ref}” is none of \`base-branches\`.`, byAuthor: true };
}

const skipWord = '[skip postil]';

/** Whether a label is the one that was written, in which `*` stands for any text. */
function matchesName(pattern: string, label: string): boolean {
  const name = label.toLowerCase();
  const [start = '', ...others] = pattern.toLowerCase().split('*');
  const end = others.pop();
  if (end === undefined) return name === start;
  let at = name.startsWith(start) ? start.length : Number.POSITIVE_INFINITY;
  for (const part of others) {
    const found = name.indexOf(part, at);
    at = found === -1 ? Number.POSITIVE_INFINITY : found + part.length;
  }
  return at <= name.length - end.length && name.endsWith(end);
}

/** Why a pull request is reviewed although its author is in `skip-authors`: one sentence, or none. */
export function strangersNote(pullRequest: PullRequest, settings: Settings, starting: Starting): readonly string[] {
  const isNamed = !isAskedFor(starting) && isSkippedAuthor(pullRequest, settings);
  const why = isNamed ? whyNotTheirs(pullRequest) : null;
  return why === null ? [] : [`Reviewed although \`skip-authors\` names ${pullRequest.author}: ${why}`];
}

function isSkippedAuthor({ author }: PullRequest, { skipAuthors }: Settings): boolean {
  return skipAuthors.some((name) => isSameName(name, author));
}

/** As many as GitHub lists of a pull request. */
const commitsListed = 250;

/** Whoever may push to the branch can add a commit to it, so each of them has to be the author's own. Null when all are. */
function whyNotTheirs({ author, commits, commitCount }: PullRequest): string | null {
  const all = commitCount === undefined ? commits.length < commitsListed : commitCount === commits.length;
  if (commits.length === 0 || !all) return 'not all of its commits could be read.';
  const foreign = commits.find(({ identity }) => !isTheirs(identity, author));
  return foreign === undefined ? null : `commit ${foreign.sha.slice(0, 12)} is not known to be theirs.`;
}

/** Anybody can write a bot's address into a commit: GitHub signs what its bots commit, as \`web-flow\` or as the bot itself. */
function isTheirs(identity: CommitMessage['identity'], author: string): boolean {
  if (identity === undefined || !isSameName(identity.author, author)) return false;
  const { committer, verified } = identity;
  if (!isSameName(committer, author) && !isSameName(committer, 'web-flow')) return false;
  return verified !== false || !author.endsWith('[bot]');
}

function isSameName(one: string | null, other: string): boolean {
  return one !== null && one.toLowerCase() === other.toLowerCase();
}

/** Somebody added or removed a label, or changed the title, the description or the base branch: no code. */
export type ChangeAside = { readonly of: 'label'; readonly name: string } | { readonly of: 'text' };

type Aside = {
  /** No reason to review a commit again: anything but a push, and the label that asks for a review. */
  readonly isAside: boolean;
  /** That this commit was reviewed and is not again, one sentence; none where it is reviewed as after a push. */
  readonly again: readonly string[];
};

/** What a run is for that this change started. */
export function asideOf(
  change: ChangeAside | undefined,
  { settings, pullRequest, name }: { settings: Settings; pullRequest: PullRequest; name: string },
): Aside {
  const isTrigger = change?.of === 'label' && isSameName(change.name, settings.triggerLabel);
  if (change === undefined || isTrigger) return { isAside: false, again: [] };
  const { conversation, head } = pullRequest;
  if (stickyOf(conversation, name)?.head !== head.sha) return { isAside: true, again: [] };
  const started = change.of === 'label' ? `The label “${change.name}”` : 'An edit of the pull request';
  return { isAside: true, again: [`${started} started this run: this commit was reviewed and is not reviewed again.`] };
}

/** Why a push is not reviewed that otherwise would be; null when it is. */
export function reasonToPause({ paused = null }: Memory): string | null {
  if (paused === null) return null;
  return `Reviews are paused by @${paused.by}. \`/postil resume\` ends that, and \`/postil review\` asks for one review.`;
}

/** Runs of one reviewer over one pull request: agents that push in a circle end, and with them what they cost. */
const reviewsAtMost = 50;

/** Why no model looks at a pull request that was reviewed so often; null when one does. */
export function reasonToRest({ reviews }: Memory): string | null {
  if (reviews < reviewsAtMost) return null;
  return `Only the pattern rules reviewed this change: the pull request has had ${reviews} reviews, and the maximum is ${reviewsAtMost}. Open another pull request for the rest, run \`postil review\` locally, or set another \`name\`: each name has its own count.`;
}

/** What a diff without anything to review consists of. */
export function nothingToReview(
  { files, nothing = 'No file is changed.' }: Changes,
  { skipped }: { skipped: readonly { readonly reason: string }[] },
): string {
  const changed = files.length;
  if (changed === 0) return nothing;
  const reasons = [...new Set(skipped.map((file) => file.reason))];
  const shown = reasons.slice(0, 4).join('; ');
  const noun = changed === 1 ? 'The one changed file was' : `All ${changed} changed files were`;
  return `${noun} left out: ${shown}${reasons.length > 4 ? '; …' : ''}.`;
}
