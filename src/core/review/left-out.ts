import type { Memory } from '../memory/memory.ts';
import type { Changes, CommitMessage, PullRequest } from '../pull-request/pull-request.ts';
import type { Settings } from '../settings/settings.ts';

/** Why a pull request is not reviewed at all; null when it is. Those that coding agents opened are reviewed like any other. */
export function reasonToSkip(pullRequest: PullRequest, settings: Settings): string | null {
  if (pullRequest.state !== 'open') return `The pull request is ${pullRequest.state}.`;
  if (pullRequest.draft && !settings.reviewDrafts) {
    return 'The pull request is a draft. It is reviewed when it is ready, or with `review-drafts: true`.';
  }
  if (isSkippedAuthor(pullRequest, settings) && whyNotTheirs(pullRequest) === null) {
    return `Pull requests of ${pullRequest.author} are not reviewed (\`skip-authors\`).`;
  }
  return null;
}

/** Why a pull request is reviewed although its author is in `skip-authors`: one sentence, or none. */
export function strangersNote(pullRequest: PullRequest, settings: Settings): readonly string[] {
  const why = isSkippedAuthor(pullRequest, settings) ? whyNotTheirs(pullRequest) : null;
  return why === null ? [] : [`Reviewed although \`skip-authors\` names ${pullRequest.author}: ${why}`];
}

function isSkippedAuthor({ author }: PullRequest, { skipAuthors }: Settings): boolean {
  return skipAuthors.some((name) => isSameLogin(name, author));
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
  if (identity === undefined || !isSameLogin(identity.author, author)) return false;
  const { committer, verified } = identity;
  if (!isSameLogin(committer, author) && !isSameLogin(committer, 'web-flow')) return false;
  return verified !== false || !author.endsWith('[bot]');
}

function isSameLogin(one: string | null, other: string): boolean {
  return one !== null && one.toLowerCase() === other.toLowerCase();
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
