import type { Comment, ReviewThread } from '../../core/pull-request/pull-request.ts';
import { type Infer, type Parsed, parserFor, type Schema } from '../../core/schema.ts';
import { grouped } from '../../core/text.ts';

export type Page<Node> = {
  readonly totalCount: number;
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  readonly nodes: readonly Node[];
};

/** Pages of one list, a hundred items each: more than people write, and an end for a server that always has another. */
const maxPages = 100;

/**
 * Follows the cursor from the beginning, or from where a first page that is already there ends.
 * @throws Error beyond `maxPages`, and where GitHub counts more than it lists: who looks whether something is there must not take a part
 * for the whole.
 */
export async function allPages<Node extends { readonly id: string }>(
  page: (after: string | null) => Promise<Page<Node>>,
  first?: Page<Node>,
): Promise<readonly Node[]> {
  const nodes: Node[] = [];
  let current = first ?? (await page(null));
  for (let pages = 1; pages <= maxPages; pages += 1) {
    nodes.push(...current.nodes);
    const { hasNextPage, endCursor } = current.pageInfo;
    if (!hasNextPage || endCursor === null) return listedOf(nodes, current.totalCount);
    current = await page(endCursor);
  }
  throw new Error(`GitHub lists more than ${grouped(nodes.length)} of one kind, which is more than Postil reads.`);
}

/** The items. @throws Error where GitHub lists one twice, counts more than it lists, or does not count: that is no answer. */
export function listedOf<Item extends { readonly id: string | number }>(
  items: readonly Item[],
  counted: number | null,
): readonly Item[] {
  const distinct = new Set(items.map(({ id }) => id)).size;
  if (counted !== null && distinct === items.length && distinct >= counted) return items;
  throw new Error(`GitHub counts ${counted ?? 'none'} of one kind and lists ${grouped(distinct)}.`);
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

/** The same ways, each of which throws where the pull request itself counts more than is listed. */
export function confirmed<Item>(
  ways: readonly (() => Promise<readonly Item[]>)[],
  counted: number | null | undefined,
  sizeOf: (items: readonly Item[]) => number,
): readonly (() => Promise<readonly Item[]>)[] {
  return ways.map((way) => async () => {
    const items = await way();
    if (sizeOf(items) >= (counted ?? 0)) return items;
    throw new Error(`GitHub counts ${counted} of one kind and lists ${sizeOf(items)}.`);
  });
}

export function countComments(threads: readonly ReviewThread[]): number {
  return threads.reduce((sum, { comments }) => sum + comments.length, 0);
}

export const pageInfoSchema = {
  type: 'object',
  required: ['hasNextPage', 'endCursor'],
  properties: { hasNextPage: { type: 'boolean' }, endCursor: { type: ['string', 'null'] } },
} as const;

/** The schema of one page of a connection. */
export function pageOf<const Node extends Schema>(node: Node) {
  return {
    type: 'object',
    required: ['totalCount', 'pageInfo', 'nodes'],
    properties: {
      totalCount: { type: 'integer' },
      pageInfo: pageInfoSchema,
      nodes: { type: 'array', items: node },
    },
  } as const;
}

/** Parses the `data` of an answer; an older server may answer in another shape than was asked for. */
export function answerParser<const S extends Schema>(schema: S): (data: unknown) => Infer<S> {
  const parse = parserFor(schema);
  return (data) => {
    const parsed: Parsed<Infer<S>> = parse(data);
    if (parsed.ok) return parsed.value;
    throw new Error(`GitHub's answer has an unexpected shape: ${parsed.problems.slice(0, 3).join('; ')}.`);
  };
}

// Few people vote on a comment; the first ten are enough to find one who may.
const thumbsDown = 'reactions(content: THUMBS_DOWN, first: 10) { nodes { createdAt user { login } } }';

/** What is asked of an issue comment and of a review comment alike. */
export const commentFields = `id fullDatabaseId author { __typename login } createdAt lastEditedAt editor { __typename login } body viewerDidAuthor url isMinimized viewerCanMinimize ${thumbsDown}`;

export const actorSchema = {
  type: ['object', 'null'],
  required: ['login'],
  properties: { login: { type: 'string' }, __typename: { type: 'string' } },
} as const;

export const commentSchema = {
  type: 'object',
  required: ['id', 'author', 'createdAt', 'body', 'viewerDidAuthor', 'url'],
  properties: {
    id: { type: 'string' },
    fullDatabaseId: { type: ['string', 'integer', 'null'] },
    author: actorSchema,
    createdAt: { type: 'string' },
    lastEditedAt: { type: ['string', 'null'] },
    editor: actorSchema,
    body: { type: 'string' },
    viewerDidAuthor: { type: 'boolean' },
    url: { type: 'string' },
    isMinimized: { type: 'boolean' },
    viewerCanMinimize: { type: 'boolean' },
    reactions: {
      type: 'object',
      required: ['nodes'],
      properties: {
        nodes: {
          type: 'array',
          items: {
            type: 'object',
            required: ['user'],
            properties: { createdAt: { type: 'string' }, user: actorSchema },
          },
        },
      },
    },
  },
} as const;

export type CommentNode = Infer<typeof commentSchema>;

export function commentFrom(comment: CommentNode): Comment {
  const { lastEditedAt = null, editor = null } = comment;
  const votes = (comment.reactions?.nodes ?? []).flatMap(({ user, createdAt = '' }) =>
    user === null ? [] : [{ by: user.login, date: createdAt }],
  );
  return {
    id: comment.id,
    author: loginOf(comment.author),
    date: comment.createdAt,
    body: comment.body,
    ...(lastEditedAt === null ? {} : { edited: { date: lastEditedAt, by: editor === null ? null : loginOf(editor) } }),
    isSelf: comment.viewerDidAuthor,
    url: comment.url,
    restId: restIdOf(comment.fullDatabaseId),
    thumbsDown: votes.map(({ by }) => by),
    ...(votes.length === 0 ? {} : { thumbsDownDates: votes.map(({ date }) => date) }),
    isMinimized: comment.isMinimized ?? false,
    viewerCanMinimize: comment.viewerCanMinimize ?? false,
  };
}

/** A number too large for GraphQL's integers comes as text. */
export function restIdOf(id: string | number | null | undefined): number | null {
  const number = Number(id ?? Number.NaN);
  return Number.isSafeInteger(number) ? number : null;
}

// GraphQL leaves out the suffix that REST gives to the logins of bots; a deleted account is GitHub's user `ghost`.
export function loginOf(author: Infer<typeof actorSchema>): string {
  if (author === null) return 'ghost';
  return author.__typename === 'Bot' && !author.login.endsWith('[bot]') ? `${author.login}[bot]` : author.login;
}

/** Needs `contents: write`. */
export const resolveThreadMutation = `mutation PostilResolve($thread: ID!) {
  resolveReviewThread(input: { threadId: $thread }) { thread { id } }
}`;

/** Needs what resolving needs. */
export const unresolveThreadMutation = `mutation PostilUnresolve($thread: ID!) {
  unresolveReviewThread(input: { threadId: $thread }) { thread { id } }
}`;

export const minimizeMutation = `mutation PostilMinimize($comment: ID!, $why: ReportedContentClassifiers!) {
  minimizeComment(input: { subjectId: $comment, classifier: $why }) { minimizedComment { isMinimized } }
}`;

export const unminimizeMutation = `mutation PostilUnminimize($comment: ID!) {
  unminimizeComment(input: { subjectId: $comment }) { unminimizedComment { isMinimized } }
}`;
