import type { Comment, PostedReview, ReviewThread } from '../../core/pull-request/pull-request.ts';
import { type Infer, listOf } from '../../core/schema.ts';
import { remember } from './api-repository.ts';
import { type GitHub, inPull, inRepository, type RepositoryName } from './client.ts';
import { listedOf } from './connection.ts';
import { type Pull, readPull } from './pull.ts';
import { answerParser, has, integer, integerOrNull, orNull, reviewState, text, textOrNull } from './shapes.ts';

type Subject = RepositoryName & { readonly number: number };

/**
 * The parts of a discussion over REST, for when GraphQL does not tell them. REST knows neither who resolved a thread nor what is minimised, so
 * every thread counts as open, and none can be resolved. Each throws where GitHub counts more than it lists, also the second time.
 */
export function restDiscussion(github: GitHub, subject: Subject) {
  const { issues, pulls } = github.rest;
  const isSelf = identity(github);
  const inReviews = { ...inPull(subject), per_page: 100 };
  const listComments = async () => parseReviewComments(await github.paginate(pulls.listReviewComments, inReviews));
  /** A list that is as long as GitHub counts, by the second answer at the latest. */
  const counted = async <Item extends { readonly id: number }>(
    list: () => Promise<readonly Item[]>,
    count: (pull: Pull) => number | null | undefined,
  ) => {
    const read = async () => listedOf(await list(), count(await readPull(github, subject)) ?? null);
    return await read().catch(read);
  };
  return {
    threads: async (): Promise<readonly ReviewThread[]> => {
      const listed = await counted(listComments, (pull) => pull.review_comments);
      const threads = [...byThread(listed).values()];
      const read = await Promise.all(
        threads.map(async ([first, ...replies]) => {
          const opening = await commentFrom(first, isSelf);
          const comments = await Promise.all(replies.map((comment) => commentFrom(comment, isSelf)));
          const isVotedDown = opening.isSelf && (first.reactions?.['-1'] ?? 0) > 0;
          const votes = isVotedDown ? await votesAgainst(github, subject, first.id) : {};
          return threadFrom(first, [{ ...opening, ...votes }, ...comments]);
        }),
      );
      return knowableThreads(read);
    },
    conversation: async (): Promise<readonly Comment[]> => {
      const asked = { ...inRepository(subject), issue_number: subject.number, per_page: 100 };
      const list = async () => parseComments(await github.paginate(issues.listComments, asked));
      const listed = await counted(list, (pull) => pull.comments);
      return knowable(await Promise.all(listed.map((comment) => commentFrom(comment, isSelf))));
    },
    reviews: async (): Promise<readonly PostedReview[]> => {
      const [comments, listed] = await Promise.all([
        listComments(),
        github.paginate(pulls.listReviews, inReviews).then(parseReviews),
      ]);
      // The only number that GitHub gives of them.
      if (listed.length === 0 && comments.some((comment) => typeof comment.pull_request_review_id === 'number')) {
        throw new Error('GitHub lists comments of reviews and no review.');
      }
      return await Promise.all(
        listed.map(async (review) => ({
          ...(await saidFrom(review, isSelf)),
          state: review.state,
          commit: review.commit_id ?? null,
        })),
      );
    },
  };
}

type User = Infer<typeof user>;
type IsSelf = (user: User) => Promise<boolean>;

/**
 * Whether the identity of the token wrote something. A token of a person may ask who that is. That of a job may not, but it posts as a bot, and
 * nobody makes themselves one: what another bot repeats has no signature that holds for its place.
 */
function identity(github: GitHub): IsSelf {
  const self = remember(async (_: 'self') => parseUser((await github.rest.users.getAuthenticated()).data).login);
  return async (user) => {
    if (!github.isPersonal) return user !== null && (user.type === 'Bot' || user.login.endsWith('[bot]'));
    return user !== null && user.login === (await self('self'));
  };
}

// Null for a deleted account.
const user = orNull(has({ login: text }, { type: text }));
const said = { id: integer, node_id: text, user, html_url: text } as const;
const comment = { ...said, created_at: text } as const;
const commentNode = has(comment, { body: textOrNull, updated_at: textOrNull });
const reviewComment = has(
  { ...comment, path: text },
  {
    body: textOrNull,
    updated_at: textOrNull,
    in_reply_to_id: integerOrNull,
    pull_request_review_id: integerOrNull,
    line: integerOrNull,
    start_line: integerOrNull,
    original_line: integerOrNull,
    original_start_line: integerOrNull,
    side: { enum: ['LEFT', 'RIGHT', null] },
    subject_type: textOrNull,
    reactions: orNull(has({}, { '-1': integer })),
  },
);
const review = has({ ...said, state: reviewState }, { body: textOrNull, commit_id: textOrNull });

const parseUser = answerParser(has({ login: text }));
const parseComments = answerParser(listOf(commentNode));
const parseReviewComments = answerParser(listOf(reviewComment));
const parseReviews = answerParser(listOf(review));
const parseVotes = answerParser(listOf(has({ user, created_at: text })));

/** What comments and reviews have in common. */
async function saidFrom(
  { id, node_id, user, body, html_url }: Infer<typeof commentNode | typeof review>,
  isSelf: IsSelf,
) {
  return {
    id: node_id,
    restId: id,
    author: authorOf(user, body),
    isSelf: await isSelf(user),
    body: body ?? '',
    url: html_url,
  };
}

async function commentFrom(comment: Infer<typeof commentNode>, isSelf: IsSelf): Promise<Comment> {
  const { created_at: date, updated_at: edited } = comment;
  return {
    ...(await saidFrom(comment, isSelf)),
    date,
    // Not by whom: then it is nobody's deliberate act.
    ...(edited && edited !== date ? { edited: { date: edited, by: null } } : {}),
    thumbsDown: [],
    isMinimized: false,
    viewerCanMinimize: false,
  };
}

type ReviewComment = Infer<typeof reviewComment>;

/** @throws Error where GitHub does not say who wrote what may be ours. */
function authorOf(user: User, body: string | null | undefined): string {
  if (user === null && body?.includes('<!-- postil:v') === true)
    throw new Error('GitHub does not say who wrote a comment.');
  return user?.login ?? 'ghost';
}

/** By the comment that opened the thread, which may be deleted. */
function byThread(comments: readonly ReviewComment[]) {
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

function threadFrom(first: ReviewComment, comments: readonly Comment[]): ReviewThread {
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
    comments,
  };
}

/** Comments and reviews by which ours can be known. @throws Error without a number, and where what we wrote has no text. */
export function knowable<Said extends Pick<Comment, 'restId' | 'isSelf' | 'body'>>(
  all: readonly Said[],
  { needsText = true }: { needsText?: boolean } = {},
): readonly Said[] {
  if (all.every(({ restId, isSelf, body }) => restId !== null && !(needsText && isSelf && body === ''))) return all;
  throw new Error('GitHub leaves out the number or the text of a comment.');
}

/** The same of threads: each has a comment, and ours the lines that it was opened on. */
export function knowableThreads(threads: readonly ReviewThread[]): readonly ReviewThread[] {
  for (const { comments, subject, originalLine } of threads) {
    const [first] = knowable(comments);
    if (first === undefined || (first.isSelf && subject === 'line' && originalLine === null)) {
      throw new Error('GitHub leaves out the comment of a thread, or its lines.');
    }
  }
  return threads;
}

/** Few people vote on a comment. Where it cannot be read, nobody has declined: the finding stands. */
async function votesAgainst(github: GitHub, subject: Subject, comment: number) {
  try {
    const asked = { ...inRepository(subject), comment_id: comment, content: '-1', per_page: 10 } as const;
    const { data } = await github.rest.reactions.listForPullRequestReviewComment(asked);
    return votesDown(parseVotes(data).map(({ user, created_at: date }) => ({ user, date })));
  } catch {
    return {};
  }
}

/** Of a deleted account nothing is left. */
export function votesDown(
  all: readonly { readonly user: { readonly login: string } | null; readonly date: string }[],
): Pick<Comment, 'thumbsDown' | 'thumbsDownDates'> {
  const votes = all.flatMap(({ user, date }) => (user === null ? [] : [{ by: user.login, date }]));
  const thumbsDown = votes.map(({ by }) => by);
  return votes.length === 0 ? { thumbsDown } : { thumbsDown, thumbsDownDates: votes.map(({ date }) => date) };
}
