import type { Comment, PostedReview, ReviewThread } from '../../core/pull-request/pull-request.ts';
import type { Infer } from '../../core/schema.ts';
import { remember } from './api-repository.ts';
import { type GitHub, inPull, inRepository, type RepositoryName } from './client.ts';
import { answerParser, knowable, knowableThreads, listedOf } from './graphql.ts';
import { type Pull, readPull } from './pull.ts';

type Subject = RepositoryName & { readonly number: number };

/**
 * The parts of a discussion over REST, for when GraphQL does not tell them. REST knows neither who resolved a thread nor what is minimised, so
 * every thread counts as open, and none can be resolved. Each throws where GitHub counts more than it lists, also the second time.
 */
export function restDiscussion(github: GitHub, subject: Subject) {
  const isSelf = identity(github);
  const inConversation = { ...inRepository(subject), issue_number: subject.number, per_page: 100 };
  const inReviews = { ...inPull(subject), per_page: 100 };
  const listComments = async () =>
    parseReviewComments(await github.paginate(github.rest.pulls.listReviewComments, inReviews));
  return {
    threads: async (): Promise<readonly ReviewThread[]> => {
      const listed = await counted(github, { subject, list: listComments, count: (pull) => pull.review_comments });
      const threads = [...byThread(listed).values()].map((comments) =>
        threadFrom(github, { subject, comments, isSelf }),
      );
      return knowableThreads(await Promise.all(threads));
    },
    conversation: async (): Promise<readonly Comment[]> => {
      const list = async () => parseComments(await github.paginate(github.rest.issues.listComments, inConversation));
      const listed = await counted(github, { subject, list, count: (pull) => pull.comments });
      return knowable(await Promise.all(listed.map((comment) => commentFrom(comment, isSelf))));
    },
    reviews: async (): Promise<readonly PostedReview[]> => {
      const [comments, listed] = await Promise.all([
        listComments(),
        github.paginate(github.rest.pulls.listReviews, inReviews).then(parseReviews),
      ]);
      // The only number that GitHub gives of them.
      if (listed.length === 0 && comments.some((comment) => typeof comment.pull_request_review_id === 'number')) {
        throw new Error('GitHub lists comments of reviews and no review.');
      }
      return await Promise.all(listed.map((review) => reviewFrom(review, isSelf)));
    },
  };
}

/** A list that is as long as GitHub counts, by the second answer at the latest. */
async function counted<Item extends { readonly id: number }>(
  github: GitHub,
  {
    subject,
    list,
    count,
  }: {
    subject: Subject;
    list: () => Promise<readonly Item[]>;
    count: (pull: Pull) => number | null | undefined;
  },
): Promise<readonly Item[]> {
  const read = async () => listedOf(await list(), count(await readPull(github, subject)) ?? null);
  return await read().catch(read);
}

type User = Infer<typeof userSchema>;

/**
 * Whether the identity of the token wrote something. A token of a person may ask who that is. That of a job may not, but it posts as a bot, and
 * nobody makes themselves one: what another bot repeats has no signature that holds for its place.
 */
function identity(github: GitHub): (user: User) => Promise<boolean> {
  const self = remember(async (_: 'self') => parseUser((await github.rest.users.getAuthenticated()).data).login);
  return async (user) => {
    if (!github.isPersonal) return user !== null && (user.type === 'Bot' || user.login.endsWith('[bot]'));
    return user !== null && user.login === (await self('self'));
  };
}

const text = { type: 'string' } as const;
const integer = { type: 'integer' } as const;
const textOrNull = { type: ['string', 'null'] } as const;
const integerOrNull = { type: ['integer', 'null'] } as const;
// Null for a deleted account.
const userSchema = { type: ['object', 'null'], required: ['login'], properties: { login: text, type: text } } as const;
const parseUser = answerParser({ type: 'object', required: ['login'], properties: { login: text } });

const said = {
  id: integer,
  node_id: text,
  user: userSchema,
  body: textOrNull,
  html_url: text,
} as const;

const commentSchema = {
  type: 'object',
  required: ['id', 'node_id', 'user', 'html_url', 'created_at'],
  properties: { ...said, created_at: text, updated_at: textOrNull },
} as const;

const reviewCommentSchema = {
  type: 'object',
  required: ['id', 'node_id', 'user', 'html_url', 'created_at', 'path'],
  properties: {
    ...commentSchema.properties,
    path: text,
    in_reply_to_id: integerOrNull,
    pull_request_review_id: integerOrNull,
    line: integerOrNull,
    start_line: integerOrNull,
    original_line: integerOrNull,
    original_start_line: integerOrNull,
    side: { enum: ['LEFT', 'RIGHT', null] },
    subject_type: textOrNull,
    reactions: { type: ['object', 'null'], properties: { '-1': integer } },
  },
} as const;

const reviewSchema = {
  type: 'object',
  required: ['id', 'node_id', 'user', 'html_url', 'state'],
  properties: {
    ...said,
    state: { enum: ['APPROVED', 'CHANGES_REQUESTED', 'COMMENTED', 'DISMISSED', 'PENDING'] },
    commit_id: textOrNull,
  },
} as const;

const parseComments = answerParser({ type: 'array', items: commentSchema });
const parseReviewComments = answerParser({ type: 'array', items: reviewCommentSchema });
const parseReviews = answerParser({ type: 'array', items: reviewSchema });
const parseVotes = answerParser({
  type: 'array',
  items: { type: 'object', required: ['user', 'created_at'], properties: { user: userSchema, created_at: text } },
});

type ReviewComment = Infer<typeof reviewCommentSchema>;

async function commentFrom(
  { id, node_id, user, body, html_url, created_at, updated_at }: Infer<typeof commentSchema>,
  isSelf: (user: User) => Promise<boolean>,
): Promise<Comment> {
  return {
    id: node_id,
    author: authorOf(user, body),
    date: created_at,
    body: body ?? '',
    isSelf: await isSelf(user),
    url: html_url,
    restId: id,
    // Not by whom: then it is nobody's deliberate act.
    ...(updated_at && updated_at !== created_at ? { edited: { date: updated_at, by: null } } : {}),
    thumbsDown: [],
    isMinimized: false,
    viewerCanMinimize: false,
  };
}

async function reviewFrom(
  { id, node_id, user, body, html_url, state, commit_id }: Infer<typeof reviewSchema>,
  isSelf: (user: User) => Promise<boolean>,
): Promise<PostedReview> {
  return {
    id: node_id,
    restId: id,
    author: authorOf(user, body),
    isSelf: await isSelf(user),
    state,
    commit: commit_id ?? null,
    body: body ?? '',
    url: html_url,
  };
}

/** @throws Error where GitHub does not say who wrote what may be ours. */
function authorOf(user: User, body: string | null | undefined): string {
  if (user === null && body?.includes('<!-- postil:v') === true)
    throw new Error('GitHub does not say who wrote a comment.');
  return user?.login ?? 'ghost';
}

/** By the comment that opened the thread, which may be deleted. */
function byThread(
  comments: readonly ReviewComment[],
): ReadonlyMap<number, readonly [ReviewComment, ...ReviewComment[]]> {
  const threads = new Map<number, [ReviewComment, ...ReviewComment[]]>();
  const opener = new Map<number, number>();
  for (const comment of comments.toSorted((one, other) => one.id - other.id)) {
    const before = comment.in_reply_to_id ?? comment.id;
    const first = opener.get(before) ?? before;
    opener.set(comment.id, first);
    const thread = threads.get(first);
    if (thread === undefined) threads.set(first, [comment]);
    else thread.push(comment);
  }
  return threads;
}

type Thread = {
  readonly subject: Subject;
  readonly comments: readonly [ReviewComment, ...ReviewComment[]];
  readonly isSelf: (user: User) => Promise<boolean>;
};

async function threadFrom(github: GitHub, { subject, comments, isSelf }: Thread): Promise<ReviewThread> {
  const [first] = comments;
  const [opening, ...replies] = await Promise.all(comments.map((comment) => commentFrom(comment, isSelf)));
  const isVotedDown = opening?.isSelf === true && (first.reactions?.['-1'] ?? 0) > 0;
  const votes = isVotedDown ? await votesAgainst(github, { subject, comment: first.id }) : [];
  const thumbsDown = votes.map(({ by }) => by);
  const voted = votes.length === 0 ? { thumbsDown } : { thumbsDown, thumbsDownDates: votes.map(({ date }) => date) };
  const onFile = first.subject_type === 'file';
  const line = first.line ?? null;
  return {
    id: `REST_${first.id}`,
    path: first.path,
    line,
    startLine: line === null ? null : (first.start_line ?? null),
    side: first.side ?? 'RIGHT',
    originalLine: first.original_line ?? null,
    originalStartLine: first.original_start_line ?? null,
    subject: onFile ? 'file' : 'line',
    isOutdated: line === null && !onFile,
    isResolved: false,
    resolvedBy: null,
    viewerCanResolve: false,
    isStateUnknown: true,
    comments: opening === undefined ? [] : [{ ...opening, ...voted }, ...replies],
  };
}

/** Few people vote on a comment. Where it cannot be read, nobody has declined: the finding stands. */
async function votesAgainst(
  github: GitHub,
  { subject, comment }: { subject: Subject; comment: number },
): Promise<readonly { readonly by: string; readonly date: string }[]> {
  try {
    const asked = { ...inRepository(subject), comment_id: comment, content: '-1', per_page: 10 } as const;
    const votes = await github.rest.reactions.listForPullRequestReviewComment(asked);
    return parseVotes(votes.data).flatMap(({ user, created_at: date }) =>
      user === null || user === undefined ? [] : [{ by: user.login, date }],
    );
  } catch {
    return [];
  }
}
