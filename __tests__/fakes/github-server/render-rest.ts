import type { DiffFile } from './changed-files.ts';
import { json, type RestShape, type Route, route } from './route.ts';
import type {
  GitHubWorld,
  StoredComment,
  StoredPull,
  StoredReview,
  StoredReviewComment,
  StoredThread,
} from './store.ts';

const web = 'https://github.example';

/** Address of a page that people see. */
export function pageOf(world: GitHubWorld, rest: string): string {
  return `${web}/${world.owner}/${world.repository}${rest}`;
}

export function renderUser(login: string): RestShape<'simple-user'> {
  return { login, type: login.endsWith('[bot]') ? 'Bot' : 'User' };
}

export function renderPull(world: GitHubWorld, { given, diff, headSha }: StoredPull) {
  const { state, head, base } = given;
  return {
    number: given.number,
    html_url: pageOf(world, `/pull/${given.number}`),
    title: given.title,
    body: given.body === '' ? null : given.body,
    user: renderUser(given.author),
    state: state === 'open' ? 'open' : 'closed',
    draft: given.draft,
    merged: state === 'merged',
    labels: given.labels.map((name) => ({ name })),
    base: { ...base, repo: { full_name: `${world.owner}/${world.repository}` } },
    // The official type knows no null here; GitHub sends it for a deleted fork.
    head: { ref: head.ref, sha: headSha, repo: head.repository === null ? null : { full_name: head.repository } },
    changed_files: diff.files.length,
    ...(given.commits === undefined ? {} : { commits: given.commits }),
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
    ...renderComment(comment),
    html_url: pageOf(world, `/pull/${pull.given.number}#issuecomment-${comment.id}`),
  };
}

export function renderReviewComment(
  world: GitHubWorld,
  { pull, thread, comment }: { pull: StoredPull; thread: StoredThread; comment: StoredReviewComment },
): RestShape<'pull-request-review-comment'> {
  return {
    ...renderComment(comment),
    html_url: pageOf(world, `/pull/${pull.given.number}#discussion_r${comment.id}`),
    pull_request_review_id: comment.reviewId,
    path: thread.path,
    subject_type: thread.line === null ? 'file' : 'line',
    original_commit_id: thread.commit,
  };
}

export function renderReview(
  world: GitHubWorld,
  { pull, review }: { pull: StoredPull; review: StoredReview },
): RestShape<'pull-request-review'> {
  return {
    id: review.id,
    user: renderUser(review.author),
    body: review.body,
    state: review.state,
    commit_id: review.commit,
    html_url: pageOf(world, `/pull/${pull.given.number}#pullrequestreview-${review.id}`),
  };
}

function renderComment({ id, author, body }: StoredComment) {
  return { id, user: renderUser(author), body };
}

export const repositoryRoutes: readonly Route[] = [
  route('GET /collaborators/:login/permission', ['contents: read'], ({ store, names }) =>
    json(200, { permission: store.world.collaborators[names['login'] ?? ''] ?? 'none' }),
  ),
];
