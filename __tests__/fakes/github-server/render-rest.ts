import type { DiffFile } from './changed-files.ts';
import { json, problem, type RestShape, type Route, route } from './route.ts';
import {
  nodeIds,
  reviewComments,
  type StoredComment,
  type StoredPull,
  type StoredReview,
  type StoredReviewComment,
  type StoredThread,
} from './store.ts';
import type { GitHubWorld } from './world.ts';

const web = 'https://github.example';

/** Address of a page that people see. */
export function pageOf(world: GitHubWorld, rest: string): string {
  return `${web}/${world.owner}/${world.repository}${rest}`;
}

export function renderUser(login: string): RestShape<'simple-user'> {
  return { login, type: isBot(login) ? 'Bot' : 'User' };
}

/** Copilot is a bot whose name does not say so. */
export function isBot(login: string): boolean {
  return login.endsWith('[bot]') || login === 'Copilot';
}

export function renderPull(world: GitHubWorld, pull: StoredPull) {
  const { given, diff, headSha } = pull;
  const { state, head, base } = given;
  return {
    number: given.number,
    html_url: pageOf(world, `/pull/${given.number}`),
    title: given.title,
    body: given.body === '' ? null : given.body,
    user: renderUser(given.author),
    state: state === 'open' ? 'open' : 'closed',
    draft: given.draft,
    locked: given.locked ?? false,
    merged: state === 'merged',
    labels: given.labels.map((name) => ({ name })),
    base: { ...base, repo: { full_name: `${world.owner}/${world.repository}`, default_branch: 'main' } },
    // The official type knows no null here; GitHub sends it for a deleted fork.
    head: { ref: head.ref, sha: headSha, repo: head.repository === null ? null : { full_name: head.repository } },
    changed_files: diff.files.length,
    comments: pull.conversation.length,
    review_comments: reviewComments(pull).length,
    ...(given.commits === undefined ? {} : { commits: given.commits }),
    // In preview, and not in the official type yet: https://github.github.io/gh-stack/reference/rest-api/
    ...(given.stack === undefined ? {} : { stack: given.stack }),
  } satisfies Omit<RestShape<'pull-request'>, 'head'> & { readonly head: object };
}

export function renderFile(file: DiffFile): RestShape<'diff-entry'> {
  // Measured limits of a single file: beyond them GitHub leaves the patch out.
  const shown = file.patch !== null && file.patch.length <= 500_000 && file.additions + file.deletions <= 20_000;
  return {
    sha: file.blob,
    filename: file.filename,
    status: file.status,
    additions: file.additions,
    deletions: file.deletions,
    changes: file.additions + file.deletions,
    ...(shown && file.patch !== null ? { patch: file.patch } : {}),
    ...(file.previousFilename === null ? {} : { previous_filename: file.previousFilename }),
  };
}

export function renderIssueComment(
  world: GitHubWorld,
  { pull, comment }: { pull: StoredPull; comment: StoredComment },
): RestShape<'issue-comment'> {
  return {
    ...renderComment(world, comment),
    node_id: nodeIds.issue_comment(comment.id),
    html_url: pageOf(world, `/pull/${pull.given.number}#issuecomment-${comment.id}`),
  };
}

export function renderReviewComment(
  world: GitHubWorld,
  { pull, thread, comment }: { pull: StoredPull; thread: StoredThread; comment: StoredReviewComment },
) {
  const [opening = comment] = thread.comments;
  const isGone = thread.outdated === true;
  return {
    ...renderComment(world, comment),
    node_id: nodeIds.pull_request_review_comment(comment.id),
    html_url: pageOf(world, `/pull/${pull.given.number}#discussion_r${comment.id}`),
    pull_request_review_id: comment.reviewId,
    ...(opening === comment ? {} : { in_reply_to_id: opening.id }),
    path: thread.path,
    side: thread.side,
    // The official type knows no null in lines; GitHub sends it for a comment on a file, and for one whose lines are gone.
    line: isGone ? null : thread.line,
    start_line: isGone ? null : thread.startLine,
    original_line: thread.line,
    original_start_line: thread.startLine,
    subject_type: thread.line === null ? 'file' : 'line',
    original_commit_id: thread.commit,
  } satisfies Omit<RestShape<'pull-request-review-comment'>, 'line' | 'original_line'> & Lines;
}

type Lines = { readonly line: number | null; readonly original_line: number | null };

export function renderReview(
  world: GitHubWorld,
  { pull, review }: { pull: StoredPull; review: StoredReview },
): RestShape<'pull-request-review'> {
  return {
    id: review.id,
    node_id: nodeIds.pull_request_review(review.id),
    user: renderUser(review.author),
    body: review.body,
    state: review.state,
    commit_id: review.commit,
    author_association: associationOf(world, review.author),
    ...(review.state === 'PENDING' ? {} : { submitted_at: review.createdAt }),
    html_url: pageOf(world, `/pull/${pull.given.number}#pullrequestreview-${review.id}`),
  };
}

function renderComment(world: GitHubWorld, { id, author, body, createdAt, edited }: StoredComment) {
  return {
    id,
    user: renderUser(author),
    author_association: associationOf(world, author),
    body,
    created_at: createdAt,
    updated_at: edited?.date ?? createdAt,
  };
}

/** Says nothing about what somebody may do. */
function associationOf({ owner, collaborators }: GitHubWorld, login: string) {
  if (login === owner) return 'OWNER' as const;
  return (collaborators[login] ?? 'none') === 'none' ? ('NONE' as const) : ('COLLABORATOR' as const);
}

export const repositoryRoutes: readonly Route[] = [
  route('GET /collaborators/:login/permission', ['contents: read'], ({ store, names: { login = '' } }) => {
    const permission = store.world.collaborators[login];
    if (permission === undefined && isBot(login)) return problem(404, `${login} is not a user`);
    return json(200, { permission: permission ?? 'none' });
  }),
];
