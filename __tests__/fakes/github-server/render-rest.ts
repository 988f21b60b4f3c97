import type { Reply } from '../loopback.ts';
import type { DiffFile } from './changed-files.ts';
import { type Call, json, type RestShape, type Route } from './route.ts';
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
  return {
    login,
    id: login.length * 7919,
    type: login.endsWith('[bot]') ? 'Bot' : 'User',
    html_url: `${web}/${login}`,
  };
}

function renderRepository(world: GitHubWorld): RestShape<'full-repository'> {
  return {
    id: 4242,
    name: world.repository,
    full_name: `${world.owner}/${world.repository}`,
    owner: renderUser(world.owner),
    private: true,
    fork: false,
    default_branch: 'main',
    html_url: pageOf(world, ''),
    clone_url: pageOf(world, '.git'),
  };
}

export function renderPull(world: GitHubWorld, pull: StoredPull) {
  const { given, diff } = pull;
  const headOwner = given.head.repository?.split('/')[0] ?? world.owner;
  return {
    id: given.number * 100,
    number: given.number,
    html_url: pageOf(world, `/pull/${given.number}`),
    title: given.title,
    body: given.body === '' ? null : given.body,
    user: renderUser(given.author),
    state: given.state === 'open' ? 'open' : 'closed',
    draft: given.draft,
    merged: given.state === 'merged',
    merged_at: given.state === 'merged' ? '2026-11-03T09:00:00Z' : null,
    labels: given.labels.map((name, id) => ({ id, name, color: 'ededed' })),
    base: {
      label: `${world.owner}:${given.base.ref}`,
      ref: given.base.ref,
      sha: given.base.sha,
      repo: renderRepository(world),
    },
    head: {
      label: `${headOwner}:${given.head.ref}`,
      ref: given.head.ref,
      sha: pull.headSha,
      ...headRepository(world, given.head.repository),
    },
    changed_files: diff.files.length,
    additions: diff.files.reduce((sum, file) => sum + file.additions, 0),
    deletions: diff.files.reduce((sum, file) => sum + file.deletions, 0),
    comments: pull.conversation.length,
    review_comments: pull.threads.reduce((sum, thread) => sum + thread.comments.length, 0),
    author_association: 'CONTRIBUTOR',
    created_at: '2026-11-02T09:30:00Z',
    updated_at: '2026-11-02T09:30:00Z',
  } satisfies Omit<RestShape<'pull-request'>, 'base' | 'head'> & { readonly base: object; readonly head: object };
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
    author_association: 'CONTRIBUTOR',
  };
}

export function renderReviewComment(
  world: GitHubWorld,
  { pull, thread, comment }: { pull: StoredPull; thread: StoredThread; comment: StoredReviewComment },
): RestShape<'pull-request-review-comment'> {
  const line = thread.line ?? undefined;
  return {
    ...renderComment(comment),
    node_id: `PRRC_${comment.id}`,
    html_url: pageOf(world, `/pull/${pull.given.number}#discussion_r${comment.id}`),
    pull_request_review_id: comment.reviewId,
    path: thread.path,
    side: thread.side,
    subject_type: thread.line === null ? 'file' : 'line',
    start_line: thread.startLine,
    commit_id: thread.commit,
    original_commit_id: thread.commit,
    author_association: 'CONTRIBUTOR',
    ...(line === undefined ? {} : { original_line: line, ...(thread.outdated ? {} : { line }) }),
    ...(comment.replyTo === null ? {} : { in_reply_to_id: comment.replyTo }),
  };
}

export function renderReview(
  world: GitHubWorld,
  { pull, review }: { pull: StoredPull; review: StoredReview },
): RestShape<'pull-request-review'> {
  return {
    id: review.id,
    node_id: `PRR_${review.id}`,
    user: renderUser(review.author),
    body: review.body,
    state: review.state,
    commit_id: review.commit,
    html_url: pageOf(world, `/pull/${pull.given.number}#pullrequestreview-${review.id}`),
    author_association: 'CONTRIBUTOR',
    ...(review.state === 'PENDING' ? {} : { submitted_at: review.createdAt }),
  };
}

function renderComment(comment: StoredComment) {
  return {
    id: comment.id,
    user: renderUser(comment.author),
    body: comment.body,
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
  };
}

/** The official type knows no null here; GitHub sends it for a deleted fork. */
function headRepository(world: GitHubWorld, fullName: string | null): object {
  if (fullName === null) return { repo: null, user: null };
  const [owner = '', name = ''] = fullName.split('/');
  const fork = owner !== world.owner || name !== world.repository;
  return { repo: { ...renderRepository({ ...world, owner, repository: name }), fork }, user: renderUser(owner) };
}

const readContents = [{ permission: 'contents', level: 'read' }] as const;

export const repositoryRoutes: readonly Route[] = [
  {
    method: 'GET',
    pattern: /^\/collaborators\/(?<login>[^/]+)\/permission$/,
    needs: readContents,
    handle: getPermission,
  },
];

function getPermission(call: Call): Reply {
  const login = call.names['login'] ?? '';
  const permission = call.store.world.collaborators[login] ?? 'none';
  return json(200, { permission, role_name: permission, user: renderUser(login) });
}
