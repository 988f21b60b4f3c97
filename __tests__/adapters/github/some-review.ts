import { reviewSink } from '../../../src/adapters/github/review-sink.ts';
import type { Review, ReviewComment, ReviewPost } from '../../../src/core/review/review.ts';
import type { Sink } from '../../../src/core/review/sink.ts';
import { finding, pullRequest, review } from '../../fakes/review-record.ts';
import {
  type Asked,
  type Desk,
  pageOf,
  reference,
  reply,
  reviewDesk,
  type Script,
  type ScriptedGitHub,
  scriptedGitHub,
} from './scripted-github.ts';

const base = 'b'.repeat(40);
export const head = 'a'.repeat(40);
export const mergeBase = 'c'.repeat(40);

/** Answers of GitHub for pull request 5 in o/r, with so many of each. */
export function pullAnswers(parts: {
  readonly pull?: object;
  readonly commits?: number;
  readonly comments?: number;
  readonly threads?: number;
  /** How many comments the first thread has; the others have one. */
  readonly threadComments?: number;
  readonly reviews?: number;
  readonly files?: readonly object[];
}): Script {
  return (asked, { url }) => {
    if (asked.path === '/repos/o/r/pulls/5') return reply(200, { ...pull, ...parts.pull });
    if (asked.path === `/repos/o/r/compare/${base}...${head}`) {
      return reply(200, { status: 'ahead', merge_base_commit: { sha: mergeBase } });
    }
    if (asked.path === '/repos/o/r/pulls/5/commits') return pageOf(many(parts.commits, commit), { asked, url });
    if (asked.path === '/repos/o/r/pulls/5/files') return pageOf(parts.files ?? [], { asked, url });
    if (asked.path === '/graphql') return reply(200, { data: graphqlData(asked, parts) });
    return undefined;
  };
}

const pull = {
  number: 5,
  title: 'Add a door',
  body: null,
  user: { login: 'ada' },
  state: 'open',
  merged: false,
  draft: false,
  labels: [{ name: 'feature' }],
  commits: 0,
  changed_files: 0,
  base: { ref: 'main', sha: base, repo: { full_name: 'o/r' } },
  head: { ref: 'door', sha: head, repo: { full_name: 'o/r' } },
};

function commit(index: number) {
  return {
    sha: String(index).padStart(40, '0'),
    commit: { message: `Step ${index}`, author: { name: 'Ada', date: '2026-11-02T10:00:00Z' } },
    author: index % 2 === 0 ? { login: 'ada' } : null,
  };
}

function graphqlData(asked: Asked, parts: Parameters<typeof pullAnswers>[0]): object {
  const { query, variables } = graphqlBody(asked);
  const after = variables.after ?? null;
  if (query.includes('PostilLinked')) return { repository: { pullRequest: linkedNode } };
  const comments = connection(many(parts.comments, comment), after);
  if (query.includes('PostilConversation')) return { repository: { pullRequest: { comments } } };
  const commentsOf = (index: number) => many(index === 0 ? parts.threadComments : 1, comment);
  if (query.includes('PostilThreadComments')) return { node: { comments: connection(commentsOf(0), after) } };
  const threads = many(parts.threads, (index) => thread(index, connection(commentsOf(index), null)));
  const reviewThreads = connection(threads, after);
  if (query.includes('PostilThreads')) return { repository: { pullRequest: { reviewThreads } } };
  const reviews = connection(many(parts.reviews, reviewNode), after);
  if (query.includes('PostilReviews')) return { repository: { pullRequest: { reviews } } };
  return { repository: { pullRequest: { comments, reviewThreads, reviews } } };
}

const linkedNode = {
  closingIssuesReferences: { totalCount: 0, nodes: [] },
  commits: { nodes: [{ commit: { oid: head, statusCheckRollup: null } }] },
};

function graphqlBody(asked: Asked) {
  const body: { query: string; variables: { after?: string | null } } = JSON.parse(JSON.stringify(asked.body));
  return body;
}

function thread(index: number, comments: object) {
  const line = index + 10;
  const place = {
    path: 'src/a.ts',
    line,
    startLine: null,
    originalLine: line,
    originalStartLine: null,
    diffSide: 'RIGHT',
  };
  const resolved = { isResolved: index === 1, resolvedBy: index === 1 ? { __typename: 'User', login: 'bob' } : null };
  return { id: `T${index}`, ...place, subjectType: 'LINE', ...resolved, isOutdated: index === 2, comments };
}

function comment(index: number) {
  return {
    id: `C${index}`,
    fullDatabaseId: String(index + 500),
    author: [{ __typename: 'User', login: 'bob' }, { __typename: 'Bot', login: 'github-actions' }, null][index % 3],
    createdAt: '2026-11-02T11:00:00Z',
    body: `Remark ${index}`,
    viewerDidAuthor: index % 3 === 1,
    url: `https://github.example/o/r/pull/5#c${index}`,
  };
}

function reviewNode(index: number) {
  return {
    id: `R${index}`,
    fullDatabaseId: String(index + 900),
    author: { __typename: 'Bot', login: 'github-actions' },
    state: 'COMMENTED',
    body: `Review ${index}`,
    viewerDidAuthor: true,
    url: `https://github.example/o/r/pull/5#r${index}`,
    commit: { oid: head },
  };
}

function connection(items: readonly object[], after: string | null) {
  const start = Number(after ?? 0);
  const end = start + 100;
  return { pageInfo: { hasNextPage: end < items.length, endCursor: String(end) }, nodes: items.slice(start, end) };
}

function many<Item>(count: number | undefined, make: (index: number) => Item): readonly Item[] {
  return Array.from({ length: count ?? 0 }, (_, index) => make(index));
}

/** A review whose findings with these ids go into the body. */
export function someReview(more: { readonly inBody?: readonly string[]; readonly pullRequest?: object } = {}): Review {
  return review({
    outcome: 'findings',
    pullRequest: { ...pullRequest, repository: 'o/r', number: 5, ...more.pullRequest },
    placements: (more.inBody ?? []).map((id) => ({
      finding: finding({ id }),
      place: 'body',
      reason: 'outside the diff',
    })),
  });
}

/** A post with one comment for each path, on line 12; the findings are called `f1`, `f2` and so on. */
export function somePost(paths: readonly string[], more: Partial<ReviewPost> = {}): ReviewPost {
  const comments = paths.map((path, index) => someComment({ path, findingIds: [`f${index + 1}`], body: `At ${path}` }));
  return {
    commit: head,
    event: 'COMMENT',
    body: 'What was found.',
    bodyFindings: [],
    comments,
    fileComments: [],
    ...more,
  };
}

export function someComment(more: Partial<ReviewComment> = {}): ReviewComment {
  return { findingIds: ['f1'], path: 'a.ts', side: 'RIGHT', startLine: null, line: 12, body: 'Text', ...more };
}

export type SinkOver = { readonly sink: Sink; readonly desk: Desk; readonly server: ScriptedGitHub };

/** A sink that posts this to a desk of its own. */
export async function sinkOver(
  post: ReviewPost | null,
  options: {
    readonly signal?: AbortSignal;
    readonly currentHead?: () => Promise<string | null>;
    readonly whyNotApprove?: () => Promise<string | null>;
  } = {},
): Promise<SinkOver> {
  const desk = reviewDesk();
  const { currentHead = async () => head, whyNotApprove = async () => null, ...client } = options;
  const server = await scriptedGitHub(desk.script, client);
  const sink = reviewSink({
    github: server.github,
    reference,
    identity: { name: 'Review', run: '1-1', settings: '0123456789abcdef' },
    commit: head,
    signs: false,
    render: () => post,
    currentHead,
    whyNotApprove,
    look: async () => ({ threads: [], conversation: [], reviews: [] }),
    blocking: () => false,
  });
  return { sink, desk, server };
}
