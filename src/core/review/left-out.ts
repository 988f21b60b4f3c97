import { RE2JS } from 're2js';
import type { Asked } from '../history/asked.ts';
import type { Memory, RunIdentity } from '../history/memory.ts';
import { stickyOf } from '../history/prior-marks.ts';
import { distinctMessages, type Message, type MessageOf, verbatim } from '../messages/message.ts';
import type { Changes, CommitMessage, PullRequest } from '../pull-request/pull-request.ts';
import { anyGlob } from '../repository/path.ts';
import type { Settings } from '../settings/settings.ts';

/** Why a pull request is left out. `byAuthor`: its author may decide that, so no gate passes by it. */
type LeftOut = { readonly why: Message; readonly byAuthor?: true };

/** Who started a run: somebody who asks for a review gets it, whatever is left out otherwise. */
type Starting = { readonly asked?: Asked | undefined; readonly isByHand?: boolean | undefined };

/** Why a pull request is not reviewed at all; null when it is. Those that coding agents opened are reviewed like any other. */
export function reasonToSkip(pullRequest: PullRequest, settings: Settings, starting: Starting): LeftOut | null {
  const { state } = pullRequest;
  if (state !== 'open') return { why: { code: `skip.${state}` } };
  if (isAskedFor(starting)) return null;
  return reasonOfWorkflow(pullRequest, settings) ?? reasonOfAuthor(pullRequest, settings);
}

export function isAskedFor({ asked, isByHand }: Starting): boolean {
  return asked !== undefined || isByHand === true;
}

/** What others than the author decide, but for labels that Postil sets. A draft is the author's too: `require-complete` keeps a gate shut for it. */
function reasonOfWorkflow(pullRequest: PullRequest, settings: Settings): LeftOut | null {
  const { draft, author, labels } = pullRequest;
  const { reviewDrafts, triggerLabel, ignoreLabels } = settings;
  if (draft && !reviewDrafts) return { why: { code: 'skip.draft' } };
  if (isSkippedAuthor(pullRequest, settings) && whyNotTheirs(pullRequest) === null) {
    return { why: { code: 'skip.author', author } };
  }
  if (triggerLabel !== '' && !labels.some((label) => isSameName(label, triggerLabel))) {
    return { why: { code: 'skip.trigger-label', label: triggerLabel }, ...whoseLabel(triggerLabel, settings) };
  }
  const all = labels.filter((label) => ignoreLabels.some((pattern) => matchesName(pattern, label)));
  const ignored = all.find((label) => whoseLabel(label, settings).byAuthor === undefined) ?? all[0];
  if (ignored === undefined) return null;
  return { why: { code: 'skip.ignored-label', label: ignored }, ...whoseLabel(ignored, settings) };
}

/** Labels that Postil sets follow what is changed, and so whoever changes it. */
function whoseLabel(label: string, { labels }: Settings): Pick<LeftOut, 'byAuthor'> {
  return labels.some((rule) => isSameName(rule.label, label)) ? { byAuthor: true } : {};
}

/** Whoever opens a pull request writes its title and chooses its base branch, and may change both once a check has passed. */
function reasonOfAuthor({ title, base }: PullRequest, { ignoreTitles, baseBranches }: Settings): LeftOut | null {
  const plain = title.toLowerCase();
  if (plain.includes(skipWord)) return { why: { code: 'skip.title-command' }, byAuthor: true };
  const text = ignoreTitles.find((one) => plain.includes(one.toLowerCase()));
  if (text !== undefined) return { why: { code: 'skip.ignored-title', text }, byAuthor: true };
  // A slash at the start: a name alone is no branch of that name in a folder.
  if (baseBranches.length === 0 || anyGlob(baseBranches.map((glob) => `/${glob}`))(base.ref)) return null;
  return { why: { code: 'skip.base-branch', branch: base.ref }, byAuthor: true };
}

const skipWord = '[skip postil]';

/** Whether a label is the one that was written, in which `*` stands for any text. */
function matchesName(pattern: string, label: string): boolean {
  const parts = pattern.split('*').map((part) => RE2JS.quote(part));
  return RE2JS.compile(parts.join('.*'), RE2JS.CASE_INSENSITIVE | RE2JS.DOTALL).matches(label);
}

/** Why a pull request is reviewed although its author is in `skip-authors`: one sentence, or none. */
export function strangersNote(pullRequest: PullRequest, settings: Settings, starting: Starting): readonly Message[] {
  const isNamed = !isAskedFor(starting) && isSkippedAuthor(pullRequest, settings);
  const why = isNamed ? whyNotTheirs(pullRequest) : null;
  return why === null ? [] : [{ code: 'note.author-reviewed', person: pullRequest.author, why }];
}

function isSkippedAuthor({ author }: PullRequest, { skipAuthors }: Settings): boolean {
  return skipAuthors.some((name) => isSameName(name, author));
}

/** As many as GitHub lists of a pull request. */
const commitsListed = 250;

/** Whoever may push to the branch can add a commit to it, so each of them has to be the author's own. Null when all are. */
function whyNotTheirs({ author, commits, commitCount }: PullRequest): Message | null {
  const all = commitCount === undefined ? commits.length < commitsListed : commitCount === commits.length;
  if (commits.length === 0 || !all) return { code: 'skip-authors.commits-unread' };
  const foreign = commits.find(({ identity }) => !isTheirs(identity, author));
  return foreign === undefined ? null : { code: 'skip-authors.foreign-commit', commit: foreign.sha.slice(0, 12) };
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
  /** That this commit was reviewed like this and is not again, one sentence; none where it is reviewed as after a push. */
  readonly again: readonly Message[];
};

/** What a run is for that this change started. */
export function asideOf(
  change: ChangeAside | undefined,
  { settings, pullRequest, identity }: { settings: Settings; pullRequest: PullRequest; identity: RunIdentity },
): Aside {
  const isTrigger = change?.of === 'label' && isSameName(change.name, settings.triggerLabel);
  if (change === undefined || isTrigger) return { isAside: false, again: [] };
  const { conversation, head, mergeBase, base } = pullRequest;
  const sticky = stickyOf(conversation, identity.name);
  const isReviewed =
    sticky?.head === head.sha &&
    sticky.mergeBase === mergeBase &&
    sticky.base === base.ref &&
    sticky.settings === identity.settings;
  if (!isReviewed) return { isAside: true, again: [] };
  const again: Message =
    change.of === 'label' ? { code: 'note.label-started', label: change.name } : { code: 'note.edit-started' };
  return { isAside: true, again: [again] };
}

/** Why a push is not reviewed that otherwise would be; null when it is. */
export function reasonToPause({ paused = null }: Memory): MessageOf<'skip.paused'> | null {
  return paused === null ? null : { code: 'skip.paused', person: paused.by };
}

/** Runs of one reviewer over one pull request: agents that push in a circle end, and with them what they cost. */
const reviewsAtMost = 50;

/** Why no model looks at a pull request that was reviewed so often; null when one does. */
export function reasonToRest({ reviews }: Memory): MessageOf<'skip.review-cap'> | null {
  return reviews < reviewsAtMost ? null : { code: 'skip.review-cap', reviews, max: reviewsAtMost };
}

/** Says what a diff without anything to review consists of. */
export function nothingToReview(
  { files, nothing }: Changes,
  { skipped }: { skipped: readonly { readonly reason: Message }[] },
): Message {
  if (files.length === 0) return nothing === undefined ? { code: 'skip.no-files' } : verbatim(nothing);
  const reasons = distinctMessages(skipped.map(({ reason }) => reason));
  const more = reasons.length > reasonsNamed ? [verbatim('…')] : [];
  return { code: 'skip.all-files', count: files.length, why: [...reasons.slice(0, reasonsNamed), ...more] };
}

const reasonsNamed = 4;
