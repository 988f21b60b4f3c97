import { at, textAt } from '../every-pair.ts';
import type { Reply } from '../loopback.ts';
import { commentNames, unknownNames } from './checks.ts';
import { removeSaid } from './people.ts';
import { renderIssueComment, renderReviewComment } from './render-rest.ts';
import {
  type Call,
  filesAt,
  forbidden,
  invalidRequest,
  json,
  notFound,
  page,
  problem,
  pullRoute,
  type Route,
  route,
  unprocessable,
  validationFailed,
} from './route.ts';
import {
  addReply,
  isLocked,
  newComment,
  newThread,
  reviewComments,
  type StoredComment,
  type StoredPull,
} from './store.ts';

// A pull request's conversation is an issue's: either permission opens it.
const read = ['issues: read', 'pull-requests: read'] as const;
const write = ['issues: write', 'pull-requests: write'] as const;

export const commentRoutes: readonly Route[] = [
  pullRoute('POST /issues/:number/comments', write, addToConversation),
  route('GET /issues/comments/:id', read, (call) => withComment(call, ({ rendered }) => json(200, rendered()))),
  route('PATCH /issues/comments/:id', write, editComment),
  route('DELETE /issues/comments/:id', write, deleteComment),
  pullRoute('GET /pulls/:number/comments', ['pull-requests: read'], listReviewComments),
  pullRoute('POST /pulls/:number/comments', ['pull-requests: write'], createReviewComment),
  pullRoute('POST /pulls/:number/comments/:id/replies', ['pull-requests: write'], replyToReviewComment),
  route('GET /pulls/comments/:id', ['pull-requests: read'], (call) =>
    withReviewComment(call, (found) => json(200, renderReviewComment(call.store.world, found))),
  ),
  route('PATCH /pulls/comments/:id', ['pull-requests: write'], editReviewComment),
  route('DELETE /pulls/comments/:id', ['pull-requests: write'], deleteReviewComment),
];

function addToConversation(call: Call, pull: StoredPull): Reply {
  const refusal = lockRefusal(call, { pull, verb: 'create' }) ?? bodyRefusal(call, 'IssueComment');
  if (refusal !== null) return refusal;
  const comment = posted(call);
  pull.conversation.push(comment);
  return json(201, renderIssueComment(call.store.world, { pull, comment }));
}

function editComment(call: Call): Reply {
  return withComment(call, ({ pull, comment, rendered }) => {
    if (comment.author !== call.store.world.viewer) return forbidden('issues=write; pull_requests=write');
    const refusal = lockRefusal(call, { pull, verb: 'update' }) ?? bodyRefusal(call, 'IssueComment');
    if (refusal !== null) return refusal;
    rewrite(call, comment);
    return json(200, rendered());
  });
}

function deleteComment(call: Call): Reply {
  return withComment(call, ({ pull, comment }) => {
    removeSaid({ kind: 'issue_comment', pull, said: comment });
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

const names = [...commentNames, 'commit_id', 'in_reply_to', 'subject_type'];
const resource = 'PullRequestReviewComment';

async function createReviewComment(call: Call, pull: StoredPull): Promise<Reply> {
  const locked = lockRefusal(call, { pull, verb: 'create' });
  if (locked !== null) return locked;
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

/** Only the first comment of a thread is answered: a reply to a reply is refused. */
function replyToReviewComment(call: Call, pull: StoredPull): Reply {
  return withReviewComment(call, (found) => {
    const { store } = call;
    const { viewer } = store.world;
    const { thread, comment } = found;
    if (found.pull !== pull) return notFound();
    const [unknown] = unknownNames(call.body, ['body']);
    if (unknown !== undefined) return invalidRequest(`"${unknown}" is not a permitted key.`);
    const refusal = lockRefusal(call, { pull, verb: 'create' }) ?? bodyRefusal(call, resource);
    if (refusal !== null) return refusal;
    if (thread.comments[0] !== comment) {
      const message = 'in_reply_to must be the first comment of its thread';
      return validationFailed({ resource, code: 'custom', field: 'in_reply_to', message });
    }
    if (pull.reviews.some(({ state, author }) => state === 'PENDING' && author === viewer)) {
      const message = 'user_id can only have one pending review per pull request';
      return validationFailed({ resource: 'PullRequestReview', code: 'custom', field: 'user_id', message });
    }
    const reply = addReply(store, { pull, thread }, { author: viewer, body: textAt(call.body, 'body') });
    return json(201, renderReviewComment(store.world, { pull, thread, comment: reply }));
  });
}

function editReviewComment(call: Call): Reply {
  return withReviewComment(call, (found) => {
    if (found.comment.author !== call.store.world.viewer) return forbidden('pull_requests=write');
    const locked = lockRefusal(call, { pull: found.pull, verb: 'update' });
    if (locked !== null) return locked;
    const body = textAt(call.body, 'body');
    if (body === '' || body.length > 65_536) return unprocessable('Body is blank or too long');
    rewrite(call, found.comment);
    return json(200, renderReviewComment(call.store.world, found));
  });
}

function deleteReviewComment(call: Call): Reply {
  return withReviewComment(call, ({ pull, thread, comment }) => {
    removeSaid({ kind: 'pull_request_review_comment', pull, thread, said: comment });
    return { status: 204, body: '' };
  });
}

type FoundInThread = { readonly pull: StoredPull } & ReturnType<typeof reviewComments>[number];

function withReviewComment({ store, names }: Call, use: (found: FoundInThread) => Reply): Reply {
  const found = store.pulls
    .flatMap((pull) => reviewComments(pull).map((one) => ({ pull, ...one })))
    .find(({ comment }) => String(comment.id) === names['id']);
  return found === undefined ? notFound() : use(found);
}

function lockRefusal({ store }: Call, { pull, verb }: { pull: StoredPull; verb: 'create' | 'update' }): Reply | null {
  return isLocked(store, pull) ? problem(403, `Unable to ${verb} comment because issue is locked.`) : null;
}

function rewrite({ store, body }: Call, comment: StoredComment): void {
  comment.body = textAt(body, 'body');
  comment.edited = { by: store.world.viewer, date: new Date().toISOString() };
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
