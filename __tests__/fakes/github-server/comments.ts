import { at, textAt } from '../every-pair.ts';
import type { Reply } from '../loopback.ts';
import { commentNames, unknownNames } from './checks.ts';
import { renderIssueComment, renderReviewComment, renderUser } from './render-rest.ts';
import {
  type Call,
  filesAt,
  forbidden,
  invalidRequest,
  json,
  notFound,
  page,
  pullRoute,
  type Route,
  route,
  unprocessable,
  validationFailed,
} from './route.ts';
import { newComment, newThread, reviewComments, type StoredComment, type StoredPull } from './store.ts';

// A pull request's conversation is an issue's: either permission opens it.
const read = ['issues: read', 'pull-requests: read'] as const;
const write = ['issues: write', 'pull-requests: write'] as const;

export const commentRoutes: readonly Route[] = [
  pullRoute('POST /issues/:number/comments', write, addToConversation),
  pullRoute('GET /issues/:number/comments', read, listConversation),
  route('GET /issues/comments/:id', read, (call) => withComment(call, ({ rendered }) => json(200, rendered()))),
  route('PATCH /issues/comments/:id', write, editComment),
  route('DELETE /issues/comments/:id', write, deleteComment),
  pullRoute('GET /pulls/:number/comments', ['pull-requests: read'], listReviewComments),
  pullRoute('POST /pulls/:number/comments', ['pull-requests: write'], createReviewComment),
  route('GET /pulls/comments/:id/reactions', ['pull-requests: read'], listReactions),
  route('PATCH /pulls/comments/:id', ['pull-requests: write'], editReviewComment),
  route('DELETE /pulls/comments/:id', ['pull-requests: write'], deleteReviewComment),
];

function addToConversation(call: Call, pull: StoredPull): Reply {
  const refusal = bodyRefusal(call, 'IssueComment');
  if (refusal !== null) return refusal;
  const comment = posted(call);
  pull.conversation.push(comment);
  return json(201, renderIssueComment(call.store.world, { pull, comment }));
}

/** The oldest first: nothing asks for another order, and of one issue GitHub knows no other. */
function listConversation(call: Call, pull: StoredPull): Reply {
  return page(call, pull.conversation, (comment) => renderIssueComment(call.store.world, { pull, comment }));
}

function editComment(call: Call): Reply {
  return withComment(call, ({ comment, rendered }) => {
    if (comment.author !== call.store.world.viewer) return forbidden('issues=write; pull_requests=write');
    const refusal = bodyRefusal(call, 'IssueComment');
    if (refusal !== null) return refusal;
    comment.body = textAt(call.body, 'body');
    return json(200, rendered());
  });
}

function deleteComment(call: Call): Reply {
  return withComment(call, ({ pull, comment }) => {
    pull.conversation.splice(pull.conversation.indexOf(comment), 1);
    return { status: 204, body: '' };
  });
}

function listReviewComments(call: Call, pull: StoredPull): Reply {
  const oldestFirst = reviewComments(pull);
  // GitHub looks at the direction only where a sort is given.
  const newestFirst = call.query.has('sort') && call.query.get('direction') === 'desc';
  const comments = newestFirst ? oldestFirst.toReversed() : oldestFirst;
  return page(call, comments, (one) => renderReviewComment(call.store.world, { pull, ...one }));
}

function listReactions(call: Call): Reply {
  if (call.query.get('content') !== '-1') throw new Error('The fake knows 👎 only.');
  const found = findReviewComment(call);
  if (found === undefined) return notFound();
  return page(call, found.comment.thumbsDown, ({ by, date }) => ({
    user: renderUser(by),
    content: '-1',
    created_at: date,
  }));
}

const names = [...commentNames, 'commit_id', 'in_reply_to', 'subject_type'];
const resource = 'PullRequestReviewComment';

async function createReviewComment(call: Call, pull: StoredPull): Promise<Reply> {
  const [unknown] = unknownNames(call.body, names);
  if (unknown !== undefined) return invalidRequest(`"${unknown}" is not a permitted key.`);
  const refusal = bodyRefusal(call, resource);
  if (refusal !== null) return refusal;
  const commit = textAt(call.body, 'commit_id');
  if (commit === '') return invalidRequest('"commit_id" wasn\'t supplied.');
  const files = await filesAt(call, { pull, commit });
  if (files === null) return refusedField('commit_id', 'is not part of the pull request');
  if (at(call.body, 'subject_type') !== 'file') throw new Error('The fake takes single comments on files only.');
  const path = textAt(call.body, 'path');
  if (!files.some((file) => file.filename === path)) return refusedField('path', 'is invalid');
  const thread = newThread(call.store, { path, side: 'RIGHT', line: null, startLine: null, commit });
  const comment = { ...posted(call), reviewId: null };
  thread.comments.push(comment);
  pull.threads.push(thread);
  return json(201, renderReviewComment(call.store.world, { pull, thread, comment }));
}

function refusedField(name: string, words: string): Reply {
  const field = `pull_request_review_thread.${name}`;
  return validationFailed({ resource, code: 'custom', field, message: `${field} ${words}` });
}

function editReviewComment(call: Call): Reply {
  const found = findReviewComment(call);
  if (found === undefined) return notFound();
  if (found.comment.author !== call.store.world.viewer) return forbidden('pull_requests=write');
  const body = textAt(call.body, 'body');
  if (body === '' || body.length > 65_536) return unprocessable('Body is blank or too long');
  found.comment.body = body;
  return json(200, renderReviewComment(call.store.world, found));
}

function deleteReviewComment(call: Call): Reply {
  const found = findReviewComment(call);
  if (found === undefined) return notFound();
  const { pull, thread, comment } = found;
  thread.comments.splice(thread.comments.indexOf(comment), 1);
  if (thread.comments.length === 0) pull.threads.splice(pull.threads.indexOf(thread), 1);
  return { status: 204, body: '' };
}

function findReviewComment({ store, names }: Call) {
  return store.pulls
    .flatMap((pull) => reviewComments(pull).map((one) => ({ pull, ...one })))
    .find(({ comment }) => String(comment.id) === names['id']);
}

function bodyRefusal(call: Call, resource: string): Reply | null {
  const body = textAt(call.body, 'body');
  if (body === '') return validationFailed({ resource, code: 'missing_field', field: 'body' });
  if (body.length <= 65_536) return null;
  const message = 'body is too long (maximum is 65536 characters)';
  return validationFailed({ resource, code: 'custom', field: 'body', message });
}

function posted({ store, body }: Call): StoredComment {
  return newComment(store, { author: store.world.viewer, body: textAt(body, 'body') });
}

type Found = { readonly pull: StoredPull; readonly comment: StoredComment; readonly rendered: () => object };

function withComment({ store, names }: Call, use: (found: Found) => Reply): Reply {
  const found = store.pulls
    .flatMap((pull) => pull.conversation.map((comment) => ({ pull, comment })))
    .find(({ comment }) => String(comment.id) === names['id']);
  return found === undefined ? notFound() : use({ ...found, rendered: () => renderIssueComment(store.world, found) });
}
