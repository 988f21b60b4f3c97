import { type Asked, pageOf, reply, type Script } from './scripted-github.ts';

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
