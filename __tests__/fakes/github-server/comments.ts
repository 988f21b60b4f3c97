import { at, textAt } from '../every-pair.ts';
import type { Reply } from '../loopback.ts';
import type { DiffFile } from './changed-files.ts';
import { checkAnchor, unknownNames } from './checks.ts';
import { renderIssueComment, renderReviewComment } from './render-rest.ts';
import {
  type Call,
  filesAt,
  forbidden,
  invalidRequest,
  json,
  notFound,
  page,
  type Route,
  validationFailed,
  withPull,
} from './route.ts';
import { reviewComments, type StoredComment, type StoredPull, type StoredThread } from './store.ts';

const read = [{ permission: 'pull-requests', level: 'read' }] as const;
const write = [{ permission: 'pull-requests', level: 'write' }] as const;
// A pull request's conversation is an issue's: either permission opens it.
const readIssue = [{ permission: 'issues', level: 'read' }, ...read] as const;
const writeIssue = [{ permission: 'issues', level: 'write' }, ...write] as const;

export const commentRoutes: readonly Route[] = [
  { method: 'GET', pattern: /^\/issues\/(?<number>\d+)\/comments$/, needs: readIssue, handle: listConversation },
  { method: 'POST', pattern: /^\/issues\/(?<number>\d+)\/comments$/, needs: writeIssue, handle: addToConversation },
  { method: 'GET', pattern: /^\/issues\/comments\/(?<id>\d+)$/, needs: readIssue, handle: getComment },
  { method: 'PATCH', pattern: /^\/issues\/comments\/(?<id>\d+)$/, needs: writeIssue, handle: editComment },
  { method: 'DELETE', pattern: /^\/issues\/comments\/(?<id>\d+)$/, needs: writeIssue, handle: deleteComment },
  { method: 'GET', pattern: /^\/pulls\/(?<number>\d+)\/comments$/, needs: read, handle: listReviewComments },
  { method: 'POST', pattern: /^\/pulls\/(?<number>\d+)\/comments$/, needs: write, handle: createReviewComment },
  { method: 'DELETE', pattern: /^\/pulls\/comments\/(?<id>\d+)$/, needs: write, handle: deleteReviewComment },
];

function listConversation(call: Call): Promise<Reply> {
  return withPull(call, (pull) =>
    page(call, pull.conversation, (comment) => renderIssueComment(call.store.world, { pull, comment })),
  );
}

function addToConversation(call: Call): Promise<Reply> {
  return withPull(call, (pull) => {
    const refusal = bodyRefusal(call, 'IssueComment');
    if (refusal !== null) return refusal;
    const comment = newComment(call);
    pull.conversation.push(comment);
    return json(201, renderIssueComment(call.store.world, { pull, comment }));
  });
}

function getComment(call: Call): Reply {
  const found = findComment(call);
  return found === undefined ? notFound() : json(200, renderIssueComment(call.store.world, found));
}

function editComment(call: Call): Reply {
  const found = findComment(call);
  if (found === undefined) return notFound();
  if (found.comment.author !== call.store.world.viewer) return forbidden('issues=write; pull_requests=write');
  const refusal = bodyRefusal(call, 'IssueComment');
  if (refusal !== null) return refusal;
  found.comment.body = textAt(call.body, 'body');
  found.comment.updatedAt = new Date().toISOString();
  return json(200, renderIssueComment(call.store.world, found));
}

function deleteComment(call: Call): Reply {
  const found = findComment(call);
  if (found === undefined) return notFound();
  found.pull.conversation.splice(found.pull.conversation.indexOf(found.comment), 1);
  return { status: 204, body: '' };
}

function listReviewComments(call: Call): Promise<Reply> {
  return withPull(call, (pull) => {
    const oldestFirst = reviewComments(pull);
    // GitHub looks at the direction only where a sort is given.
    const newestFirst = call.query.has('sort') && call.query.get('direction') === 'desc';
    const comments = newestFirst ? oldestFirst.toReversed() : oldestFirst;
    return page(call, comments, (one) => renderReviewComment(call.store.world, { pull, ...one }));
  });
}

const names = [
  'body',
  'commit_id',
  'path',
  'position',
  'side',
  'line',
  'start_line',
  'start_side',
  'in_reply_to',
  'subject_type',
];

function createReviewComment(call: Call): Promise<Reply> {
  return withPull(call, async (pull) => {
    const [unknown] = unknownNames(call.body, names);
    if (unknown !== undefined) return invalidRequest(`"${unknown}" is not a permitted key.`);
    const refusal = bodyRefusal(call, 'PullRequestReviewComment');
    if (refusal !== null) return refusal;
    if (textAt(call.body, 'commit_id') === '') return invalidRequest('"commit_id" wasn\'t supplied.');
    const files = await filesAt(call, { pull, commit: textAt(call.body, 'commit_id') });
    if (files === null) return anchorRefusal([{ field: 'commit_id', words: 'is not part of the pull request' }]);
    const thread = newThread(call, files);
    if ('status' in thread) return thread;
    const comment = { ...newComment(call), reviewId: null, replyTo: null };
    thread.comments.push(comment);
    pull.threads.push(thread);
    return json(201, renderReviewComment(call.store.world, { pull, thread, comment }));
  });
}

function newThread(call: Call, files: readonly DiffFile[]): StoredThread | Reply {
  const common = {
    id: `PRRT_${call.store.nextId()}`,
    commit: textAt(call.body, 'commit_id'),
    outdated: false,
    resolved: false,
    resolvedBy: null,
    comments: [],
  };
  if (at(call.body, 'subject_type') === 'file') {
    const path = textAt(call.body, 'path');
    if (!files.some((file) => file.filename === path)) {
      return anchorRefusal([{ field: 'path', words: 'is invalid' }]);
    }
    return { ...common, path, side: 'RIGHT', line: null, startLine: null };
  }
  const checked = checkAnchor(files, call.body);
  return checked.ok ? { ...common, ...checked.anchor } : anchorRefusal(checked.problems);
}

function anchorRefusal(problems: readonly { field: string; words: string }[]): Reply {
  return validationFailed(
    ...problems.map(({ field, words }) => {
      const name = `pull_request_review_thread.${field}`;
      if (field === 'diff_hunk') return { resource, code: 'missing_field', field: name };
      return { resource, code: 'custom', field: name, message: `${name} ${words}` };
    }),
  );
}

const resource = 'PullRequestReviewComment';

function deleteReviewComment(call: Call): Reply {
  for (const pull of call.store.pulls) {
    for (const thread of pull.threads) {
      const index = thread.comments.findIndex((one) => String(one.id) === call.names['id']);
      if (index === -1) continue;
      thread.comments.splice(index, 1);
      if (thread.comments.length === 0) pull.threads.splice(pull.threads.indexOf(thread), 1);
      return { status: 204, body: '' };
    }
  }
  return notFound();
}

function bodyRefusal(call: Call, resourceName: string): Reply | null {
  const body = textAt(call.body, 'body');
  if (body === '') return validationFailed({ resource: resourceName, code: 'missing_field', field: 'body' });
  if (body.length <= 65_536) return null;
  const message = 'body is too long (maximum is 65536 characters)';
  return validationFailed({ resource: resourceName, code: 'custom', field: 'body', message });
}

function newComment(call: Call): StoredComment {
  const now = new Date().toISOString();
  const { nextId, world } = call.store;
  return {
    id: nextId(),
    author: world.viewer,
    body: textAt(call.body, 'body'),
    createdAt: now,
    updatedAt: now,
    thumbsDown: [],
    isMinimized: false,
  };
}

function findComment(call: Call): { pull: StoredPull; comment: StoredComment } | undefined {
  return call.store.pulls
    .flatMap((pull) => pull.conversation.map((comment) => ({ pull, comment })))
    .find(({ comment }) => String(comment.id) === call.names['id']);
}
