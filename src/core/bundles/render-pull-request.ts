import type { ChangedFile } from '../pull-request/changed-file.ts';
import type { PullRequest, ReviewThread } from '../pull-request/pull-request.ts';
import { shown } from '../repository/shown.ts';
import type { Fence } from './fence.ts';

/** Characters: what people write to the reviewer must not crowd out the diff. */
const limits = { title: 300, body: 6_000, commits: 3_000, discussion: 8_000, comment: 600, files: 300 } as const;

/** What is the same for every bundle of a pull request: who says what about the change, and which files it touches. */
export function renderPullRequest(pullRequest: PullRequest, files: readonly ChangedFile[], fence: Fence): string {
  const parts = [
    '# The pull request',
    fence('title', line(pullRequest.title, limits.title)),
    pullRequest.body.trim() === '' ? '' : fence('description', text(pullRequest.body, limits.body)),
    commits(pullRequest, fence),
    discussion(pullRequest, fence),
    `Changed files (${files.length}):\n${fence('paths', fileList(files))}`,
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function commits(pullRequest: PullRequest, fence: Fence): string {
  const messages = pullRequest.commits.map((commit) => `- ${commit.message.trim().split('\n').join('\n  ')}`);
  // One commit mostly repeats the title and description.
  if (messages.length < 2) return '';
  return fence('commit messages', text(messages.join('\n'), limits.commits));
}

function discussion(pullRequest: PullRequest, fence: Fence): string {
  const threads = pullRequest.threads.map(renderThread);
  const comments = pullRequest.conversation
    .filter((comment) => !comment.isSelf)
    .map((comment) => `${comment.author}: ${text(comment.body, limits.comment)}`);
  const all = [...threads, ...comments];
  if (all.length === 0) return '';
  return `Already discussed. Do not raise again what was raised, unless the code shows that it is still wrong and nobody answered:\n${fence('discussion', text(all.join('\n\n'), limits.discussion))}`;
}

function renderThread(thread: ReviewThread): string {
  const state = [thread.isResolved ? 'resolved' : 'open', thread.isOutdated ? 'outdated' : ''].filter(
    (word) => word !== '',
  );
  const place = thread.line === null ? thread.path : `${thread.path}:${thread.line}`;
  const comments = thread.comments.map(
    (comment) => `  ${comment.isSelf ? 'you' : comment.author}: ${text(comment.body, limits.comment)}`,
  );
  return [`[${state.join(', ')}] ${place}`, ...comments].join('\n');
}

function fileList(files: readonly ChangedFile[]): string {
  const listed = files.slice(0, limits.files).map((file) => {
    const from = file.oldPath === file.path ? '' : ` (from ${file.oldPath})`;
    return `${file.status} ${file.path}${from} +${file.additions} -${file.deletions}`;
  });
  const rest = files.length - listed.length;
  return [...shown(listed).map((shownLine) => shownLine.text), ...(rest > 0 ? [`… and ${rest} more`] : [])].join('\n');
}

function line(value: string, limit: number): string {
  return text(value.replaceAll(/\s+/g, ' '), limit);
}

/** Hidden text of a description (HTML comments, invisible characters) is shown, not hidden: it is where injections live. */
function text(value: string, limit: number): string {
  // Redacted before it is cut, or the part of a secret that is left would no longer look like one.
  const readable = shown(value.slice(0, limit + longestSecret).split('\n')).map((shownLine) => shownLine.text);
  return cut(readable.join('\n'), { limit, of: value.length });
}

const longestSecret = 4_000;

function cut(value: string, { limit, of }: { limit: number; of: number }): string {
  return value.length <= limit ? value.trim() : `${value.slice(0, limit).trim()} … [cut: ${of} characters in all]`;
}
