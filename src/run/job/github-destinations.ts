import { annotations, withoutInline } from '../../adapters/actions/recorders.ts';
import { keptApproval } from '../../adapters/github/approval-recorder.ts';
import { checkRun } from '../../adapters/github/check-run.ts';
import { ownDescription } from '../../adapters/github/description.ts';
import { readConversation, readReviews } from '../../adapters/github/discussion.ts';
import { ownLabels } from '../../adapters/github/labels.ts';
import type { GitHubSession } from '../../adapters/github/pull.ts';
import { readPresentState } from '../../adapters/github/pull-request.ts';
import { pullRequestReview } from '../../adapters/github/review-sink.ts';
import { findSticky, summaryComment } from '../../adapters/github/sticky.ts';
import { outdatedComments } from '../../adapters/github/threads.ts';
import { combineReporters, type Reporter } from '../../core/events.ts';
import { type Asked, asksForReview, pathsAsked } from '../../core/history/asked.ts';
import { signedStateIn } from '../../core/history/known-findings.ts';
import { inEnglish } from '../../core/messages/languages.ts';
import type { PullRequest } from '../../core/pull-request/pull-request.ts';
import { renderNotReviewed } from '../../core/report/not-reviewed.ts';
import { renderReviewPost } from '../../core/report/review-post.ts';
import { isUnchanged, renderSticky, withJoinedState } from '../../core/report/sticky.ts';
import { renderCheckSummary, renderDescription } from '../../core/report/summary.ts';
import type { RenderContext } from '../../core/report/wording.ts';
import { isBlocking, whyNotApprove } from '../../core/review/approval.ts';
import { type Destination, deliveryOf } from '../../core/review/sink.ts';
import { handsOver, type Settings } from '../../core/settings/settings.ts';
import type { OpenPullRequest } from '../open-pull-request.ts';
import { failedAnswer } from './comment-request.ts';
import type { Job, JobOutput } from './context.ts';
import { type JobSettings, reviewerName, runId } from './settings.ts';

/** Places on GitHub, and the reporter of the check run among them. */
export type GitHubPlaces = {
  readonly report: Reporter;
  readonly destinations: readonly Destination[];
};

/** Lists where a review goes on GitHub: nowhere in a dry run, for an answer, and in a job that hands its review to another one. */
export function gitHubDestinations(open: OpenPullRequest, todo: JobSettings, output: JobOutput): GitHubPlaces {
  const { settings, asked } = todo;
  const isAsked = asked !== undefined;
  const isAnswer = isAsked && !asksForReview(asked);
  if (settings.dryRun || handsOver(settings) || isAnswer) return { report: output.report, destinations: [] };
  const { redact, t = inEnglish } = output.render;
  const commands = annotations({ redact, t });
  // A run that a comment started belongs to the default branch, and makes no check of the pull request.
  const check = settings.checkRun && !isAsked ? openCheck(open, todo, { output, fallback: commands }) : null;
  const annotate = check?.annotations ?? commands;
  const annotated = { true: [annotate], auto: [withoutInline(annotate)], false: [] }[
    isAsked ? 'false' : settings.annotations
  ];
  const { discussionRead } = open.pullRequest;
  const review = discussionRead ? [reviewDestination(open, todo, output), outdatedDestination(open, output)] : [silent];
  const summary = discussionRead
    ? summaryDestination(open, todo, output)
    : keptSummary(open.session, todo.identity, output.render);
  // A review of some files, or one that a reader asked for, takes no approval back.
  const mayTakeBack = !isAsked || (asked.mayWrite && pathsAsked(asked).length === 0);
  const approval = approvalDestination(open.session, {
    settings,
    render: output.render,
    name: todo.identity.name,
    run: todo.identity.run,
    pullRequest: open.pullRequest,
  });
  return {
    report: check === null ? output.report : combineReporters(output.report, check.reporter),
    destinations: [
      ...(settings.comments ? review : []),
      ...annotated,
      ...(mayTakeBack ? [approval] : []),
      ...metadataDestinations(open, todo, output),
      summary,
      ...(check === null ? [] : [check.conclusion]),
    ],
  };
}

/** Lists what on GitHub shows a failure that comes before anything of the pull request was read. */
export function failureDestinations(
  job: Job,
  session: GitHubSession,
  asked: Asked | undefined,
): readonly Destination[] {
  const { preview: settings } = job.inputs;
  const { render } = job.output;
  if (asked !== undefined) return failedAnswer(asked, session, settings);
  if (settings.dryRun || handsOver(settings)) return [];
  const run = runId(job.environment);
  // The config file may name this reviewer and was not read: only an input tells the name for sure.
  const approval = approvalDestination(session, {
    settings,
    render,
    name: settings.name || null,
    run,
    pullRequest: null,
  });
  return [approval, keptSummary(session, { name: reviewerName(job, settings), run }, render)];
}

/** Who comments: a name, and one attempt of a workflow run. */
type Reviewer = { readonly name: string; readonly run: string };

type ApprovalOptions = {
  readonly settings: Settings;
  readonly render: RenderContext;
  /** Null where it is not known by which name this run comments. */
  readonly name: string | null;
  readonly run: string;
  /** Null where the run failed before it was read. */
  readonly pullRequest: PullRequest | null;
};

/** Dismisses approvals of earlier runs that this run does not support. */
function approvalDestination(session: GitHubSession, options: ApprovalOptions): Destination {
  const { github, reference } = session;
  const { settings, render, name, run, pullRequest } = options;
  return keptApproval(session, {
    name,
    run,
    t: render.t ?? inEnglish,
    known: pullRequest?.discussionRead === true ? pullRequest.reviews : null,
    mayApprove: settings.reviewEvent === 'approve',
    look: () => readReviews(github, reference),
    whyNotApprove: async () => (pullRequest === null ? null : whyNotApprovedNow(session, pullRequest)),
  });
}

async function whyNotApprovedNow({ github, reference }: GitHubSession, pullRequest: PullRequest) {
  return whyNotApprove(pullRequest, await readPresentState(github, reference).catch(() => null));
}

/** Without the existing comments everything would be said again. */
const silent: Destination = {
  name: 'pull request review',
  deliver: async () => {
    return deliveryOf('pull request review', 'failed', { code: 'delivery.unreadable-comments' });
  },
};

function reviewDestination(open: OpenPullRequest, todo: JobSettings, { render }: JobOutput): Destination {
  const { session, pullRequest, keys } = open;
  const { identity } = todo;
  const { serverUrl, owner, repository, number } = session.reference;
  const present = findSticky(pullRequest.conversation, identity.name)?.url;
  const summaryComment = present ?? `${serverUrl}/${owner}/${repository}/pull/${number}`;
  return pullRequestReview(session, {
    identity,
    commit: pullRequest.head.sha,
    signs: keys.signs,
    t: render.t ?? inEnglish,
    render: (review) => renderReviewPost(review, { ...render, summaryComment, keys }),
    currentHead: open.currentHead,
    whyNotApprove: () => whyNotApprovedNow(session, pullRequest),
    look: open.readDiscussion,
    blocking: isBlocking,
  });
}

function outdatedDestination({ session, pullRequest }: OpenPullRequest, { render }: JobOutput): Destination {
  return outdatedComments(session, { commit: pullRequest.head.sha, t: render.t ?? inEnglish });
}

/** Labels and description. */
function metadataDestinations(open: OpenPullRequest, todo: JobSettings, output: JobOutput): readonly Destination[] {
  const { session } = open;
  const { settings, identity, asked } = todo;
  const labels = ownLabels(session, { rules: settings.labels, currentHead: open.currentHead });
  const description = ownDescription(session, {
    name: identity.name,
    onNote: (text) => output.report({ type: 'note', text }),
    render: (record, room) => renderDescription(record, output.render, room),
  });
  // A walkthrough of some files would take the place of one of all.
  const describes = settings.describe && pathsAsked(asked).length === 0;
  return [...(settings.labels.length > 0 ? [labels] : []), ...(describes ? [description] : [])];
}

function summaryDestination(open: OpenPullRequest, todo: JobSettings, { render }: JobOutput): Destination {
  const { session, pullRequest, keys } = open;
  const { identity, settings, isAside } = todo;
  const head = pullRequest.head.sha;
  const existing = findSticky(pullRequest.conversation, identity.name);
  return summaryComment(session, {
    identity,
    existing,
    render: (record, place) => {
      if (isAside && existing !== null && isUnchanged(record, existing.body, { ...render, keys })) return null;
      return renderSticky(record, { ...render, ...place, keys, reviewer: settings.name || null });
    },
    renderJoined: (record, body, place) => withJoinedState(body, record, { ...render, ...place, keys }),
    stateIn: ({ id, body }) => signedStateIn(body, { comment: id, name: identity.name, keys }),
    signs: keys.signs,
    renderNotReviewed: ({ review }, present) => renderNotReviewed(review, { present, head, identity, context: render }),
    look: async () => (await open.readDiscussion()).conversation,
    currentHead: open.currentHead,
  });
}

/** Shows a failure in the summary comment of an earlier run, whose mark is kept and not believed. */
function keptSummary(session: GitHubSession, { name, run }: Reviewer, render: RenderContext): Destination {
  const identity = { name, run };
  const { github, reference } = session;
  const look = () => readConversation(github, reference);
  return {
    name: 'summary comment',
    deliver: async (record) => {
      const existing = findSticky(await look().catch(() => []), identity.name);
      return await summaryComment(session, {
        identity,
        existing,
        render: () => null,
        renderJoined: () => null,
        stateIn: () => null,
        signs: false,
        renderNotReviewed: ({ review }, present) =>
          renderNotReviewed(review, { present, head: null, identity, context: render }),
        look,
        currentHead: async () => null,
      }).deliver(record);
    },
  };
}

function openCheck(
  { session, pullRequest }: OpenPullRequest,
  { identity }: JobSettings,
  { output, fallback }: { readonly output: JobOutput; readonly fallback: Destination },
) {
  const { render, runUrl, journal } = output;
  return checkRun(session, {
    headSha: pullRequest.head.sha,
    name: identity.name,
    detailsUrl: runUrl,
    now: () => Date.now(),
    fallback,
    render: (record) => renderCheckSummary(record, render),
    redact: render.redact,
    t: render.t ?? inEnglish,
    onCheck: journal.setCheck,
  });
}
