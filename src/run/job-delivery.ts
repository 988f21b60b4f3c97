import { annotations, withoutInline } from '../adapters/actions/recorders.ts';
import { keptApproval } from '../adapters/github/approval-recorder.ts';
import { type CheckRunOptions, checkRun } from '../adapters/github/check-run.ts';
import type { GitHub } from '../adapters/github/client.ts';
import { ownDescription } from '../adapters/github/description.ts';
import { readConversation, readDiscussion, readReviews } from '../adapters/github/discussion.ts';
import { ownLabels } from '../adapters/github/labels.ts';
import type { PullRequestReference } from '../adapters/github/pull.ts';
import { readPresentState } from '../adapters/github/pull-request.ts';
import { pullRequestReview } from '../adapters/github/review-sink.ts';
import { findSticky, summaryComment } from '../adapters/github/sticky.ts';
import { outdatedComments } from '../adapters/github/threads.ts';
import { combineReporters, type Reporter } from '../core/events.ts';
import { type Asked, asksForReview, pathsAsked } from '../core/memory/asked.ts';
import type { RunIdentity } from '../core/memory/memory.ts';
import { type MarkKeys, withSignatures } from '../core/memory/signed-marks.ts';
import type { PullRequest, PullRequestSource } from '../core/pull-request/pull-request.ts';
import { renderNotReviewed } from '../core/report/not-reviewed.ts';
import { renderReviewPost } from '../core/report/review-post.ts';
import { isToldAlready, renderSticky } from '../core/report/sticky.ts';
import { renderDescription, renderSummary } from '../core/report/summary.ts';
import type { RenderContext } from '../core/report/wording.ts';
import { isBlocking, whyNotApprove } from '../core/review/approval.ts';
import type { Destination, ReviewRecord } from '../core/review/sink.ts';
import { handsOver, type Settings } from '../core/settings/settings.ts';
import { english } from '../core/words/say.ts';

export type DeliveryOptions = {
  readonly settings: Settings;
  readonly github: GitHub;
  /** A client for the last words of a cancelled run. */
  readonly lastWords: () => GitHub;
  readonly reference: PullRequestReference;
  readonly source: PullRequestSource;
  readonly pullRequest: PullRequest;
  readonly identity: RunIdentity;
  readonly keys: MarkKeys;
  readonly render: RenderContext;
  readonly report: Reporter;
  readonly onCheck: CheckRunOptions['onCheck'];
  /** Address of this run's page; null when it is not known. */
  readonly runUrl: string | null;
  /** What somebody asks in a comment: such a run belongs to the default branch and makes no check of the pull request. */
  readonly asked?: Asked | undefined;
  /** Something else than code has changed: what was said stays as it is where nothing else is to be said. */
  readonly isAside: boolean;
};

export type Deliveries = {
  readonly report: Reporter;
  readonly destinations: readonly Destination[];
};

/** Where a review goes on GitHub: as the settings say, and nowhere in a dry run or in a job that only reviews. */
export function gitHubDestinations(options: DeliveryOptions): Deliveries {
  const { settings, report, render, asked } = options;
  const isAsked = asked !== undefined;
  const isAnswer = isAsked && !asksForReview(asked);
  if (settings.dryRun || handsOver(settings) || isAnswer) return { report, destinations: [] };
  const { redact, say = english } = render;
  const commands = annotations({ redact, say });
  const check = settings.checkRun && !isAsked ? ownCheck(options, commands) : null;
  // Without knowing what was said before, everything would be said again.
  const mayComment = options.pullRequest.discussionRead;
  const comments = settings.comments ? (mayComment ? comment(options) : [silent]) : [];
  const annotate = check?.annotations ?? commands;
  const annotated = { true: [annotate], auto: [withoutInline(annotate)], false: [] }[
    isAsked ? 'false' : settings.annotations
  ];
  const summary = mayComment ? ownSummary : keptSummary;
  const sticky = settings.stickyComment ? [summary(options)] : [];
  // A review of some files, or one that a reader asked for, takes no approval back.
  const mayTakeBack = !isAsked || (asked.mayWrite && pathsAsked(asked).length === 0);
  return {
    report: check === null ? report : combineReporters(report, check.reporter),
    destinations: [
      ...comments,
      ...annotated,
      ...(mayTakeBack ? [ownApprovals(options)] : []),
      ...upkeep(options),
      ...sticky,
      ...(check === null ? [] : [check.conclusion]),
    ],
  };
}

/** Labels and description. Without a summary comment nobody knows what was reviewed: a run that these changes start would review it all again. */
function upkeep({ settings, source, isAside, asked, ...options }: DeliveryOptions): readonly Destination[] {
  if (isAside && !settings.stickyComment) return [];
  const { identity, render, report } = options;
  const labels = { ...options, rules: settings.labels, currentHead: () => source.currentHead() };
  const description = {
    ...{ ...options, name: identity.name, onNote: (text: string) => report({ type: 'note', text }) },
    render: (record: ReviewRecord, room: number) => renderDescription(record, render, room),
  };
  // A walkthrough of some files would take the place of one of all.
  const isOfAll = pathsAsked(asked).length === 0;
  return [
    ...(settings.labels.length > 0 ? [ownLabels(labels)] : []),
    ...(settings.describe && isOfAll ? [ownDescription(description)] : []),
  ];
}

type Keeping = Pick<DeliveryOptions, 'settings' | 'github' | 'lastWords' | 'reference' | 'render'> & {
  /** Null when the run failed before they were known. */
  readonly pullRequest: PullRequest | null;
  readonly identity: Pick<RunIdentity, 'run'> & { readonly name: string | null };
};

/** Dismisses what earlier runs approved and this one does not support; also for a run that failed before anything was read. */
export function ownApprovals(options: Keeping): Destination {
  const { settings, github, lastWords, reference, pullRequest, identity, render } = options;
  const { name, run } = identity;
  return keptApproval({
    say: render.say ?? english,
    github,
    lastWords,
    reference,
    name,
    run,
    known: pullRequest?.discussionRead === true ? pullRequest.reviews : null,
    mayApprove: settings.reviewEvent === 'approve',
    look: () => readReviews(github, reference),
    whyNotApprove: async () => (pullRequest === null ? null : whyNotApprovedNow({ github, reference, pullRequest })),
  });
}

async function whyNotApprovedNow(of: Pick<DeliveryOptions, 'github' | 'reference' | 'pullRequest'>) {
  return whyNotApprove(of.pullRequest, await readPresentState(of.github, of.reference).catch(() => null));
}

function comment(options: DeliveryOptions): readonly Destination[] {
  return [
    ownReview(options),
    outdatedComments({
      ...options,
      commit: options.pullRequest.head.sha,
      say: options.render.say ?? english,
    }),
  ];
}

const silent: Destination = {
  name: 'pull request review',
  deliver: async () => {
    const reason = english('Could not read the existing comments. Posted none, to avoid duplicates.');
    return { sink: 'pull request review', status: 'failed', reason, delivered: [], url: null };
  },
};

function ownReview(options: DeliveryOptions): Destination {
  const { github, reference, source, pullRequest, identity, keys, render, settings } = options;
  const { serverUrl, repository } = render;
  const present = findSticky(pullRequest.conversation, identity.name)?.url;
  const address = present ?? `${serverUrl}/${repository}/pull/${pullRequest.number}`;
  const beside = settings.stickyComment && serverUrl !== null ? { summaryComment: address } : {};
  return pullRequestReview({
    ...options,
    say: render.say ?? english,
    commit: pullRequest.head.sha,
    signs: keys.signs,
    render: (review) => renderReviewPost(review, { ...render, ...beside, keys }),
    currentHead: () => source.currentHead(),
    whyNotApprove: () => whyNotApprovedNow(options),
    look: async () => withSignatures(await readDiscussion(github, reference), keys),
    blocking: isBlocking,
  });
}

function ownSummary(options: DeliveryOptions): Destination {
  const { github, reference, source, pullRequest, identity, keys, render, settings, isAside } = options;
  const head = pullRequest.head.sha;
  const existing = findSticky(pullRequest.conversation, identity.name);
  return summaryComment({
    ...options,
    existing,
    render: (record, comment) => {
      if (isAside && existing !== null && isToldAlready(record, existing.body, render)) return null;
      return renderSticky(record, { ...render, keys, comment, reviewer: settings.name || null });
    },
    renderNotReviewed: ({ review }, present) => renderNotReviewed(review, { present, head, identity, context: render }),
    look: async () => withSignatures(await readDiscussion(github, reference), keys).conversation,
    currentHead: () => source.currentHead(),
  });
}

type Telling = Pick<DeliveryOptions, 'github' | 'lastWords' | 'reference' | 'render'> & {
  readonly identity: Pick<RunIdentity, 'name' | 'run'>;
};

/** For a run that failed before anything was read: the summary comment of an earlier run says so. Its mark is not believed, only kept. */
export function keptSummary(options: Telling): Destination {
  const { github, reference, identity, render: context } = options;
  const look = () => readConversation(github, reference);
  return {
    name: 'summary comment',
    deliver: async (record) => {
      const existing = findSticky(await look().catch(() => []), identity.name);
      return await summaryComment({
        ...options,
        existing,
        render: () => null,
        renderNotReviewed: ({ review }, present) =>
          renderNotReviewed(review, { present, head: null, identity, context }),
        look,
        currentHead: async () => null,
      }).deliver(record);
    },
  };
}

function ownCheck(options: DeliveryOptions, fallback: Destination) {
  const { pullRequest, identity, render, runUrl } = options;
  return checkRun({
    ...options,
    headSha: pullRequest.head.sha,
    name: identity.name,
    detailsUrl: runUrl,
    now: () => Date.now(),
    fallback,
    render: (record) => renderSummary(record, render),
    redact: render.redact,
    say: render.say ?? english,
  });
}
