import { type HeadCheck, type Linked, type LinkedIssue, nothingLinked } from '../../core/pull-request/pull-request.ts';
import type { Infer } from '../../core/schema.ts';
import { isQueryRefusal, messageOf, partialData, refusedFields } from './answers.ts';
import type { GitHub } from './client.ts';
import { answerParser, pageInfoSchema } from './graphql.ts';
import type { PullRequestReference } from './pull.ts';

type LinkedOptions = {
  reference: PullRequestReference;
  /** Full hash of the head. */
  head: string;
  /** Called with one sentence about what the token may not see. */
  onNote: (text: string) => void;
};

/**
 * The issues that a pull request closes and what CI says of its head, in one request where a hundred checks are enough; never
 * throws. Many tokens may see only one of them, and an older server does not know a field: what is refused is noted, and the rest is kept.
 */
export async function readLinked(github: GitHub, options: LinkedOptions): Promise<Linked> {
  const asking = (query: string) => ask(github, { ...options, query, after: null });
  const whole = await asking(linkedQueries.all);
  const part = (query: string) => (whole.kind === 'rejected' ? asking(query) : whole);
  const parts = await Promise.all([part(linkedQueries.issues), part(linkedQueries.checks)]);
  const issues = found(parts[0], 'closingIssuesReferences');
  const checks = found(parts[1], 'commits');
  if (issues.refusal !== null) options.onNote(`${issuesNote} ${issues.refusal}.`);
  if (checks.refusal !== null) options.onNote(`${checksNote} ${checks.refusal}.`);
  const first = checksPage(checks, options.head);
  return {
    ...nothingLinked,
    ...(issues.node === null ? {} : issuesIn(issues.node)),
    ...(first === null ? {} : await allChecks(github, { ...options, first })),
  };
}

/** More than this is no list that a person looks through: the rest is reported as a number. */
const maxChecks = 500;

/** Follows the pages of the checks; where one is refused, those before it stay. */
async function allChecks(
  github: GitHub,
  { reference, head, first }: LinkedOptions & { readonly first: ChecksPage },
): Promise<Pick<Linked, 'checks' | 'unreadChecks'>> {
  const checks = [...first.checks];
  for (let { next } = first; next !== null && checks.length < maxChecks; ) {
    const answered = await ask(github, { reference, query: linkedQueries.checks, after: next });
    const page = checksPage(found(answered, 'commits'), head);
    checks.push(...(page?.checks ?? []));
    // An empty page leads nowhere.
    next = page === null || page.checks.length === 0 ? null : page.next;
  }
  const count = first.total - checks.length;
  return count > 0 ? { checks, unreadChecks: { count, rollup: first.rollup } } : { checks };
}

function checksPage({ node, refusal }: Found, head: string): ChecksPage | null {
  return node === null || refusal !== null ? null : checksIn(node, head);
}

const issuesNote =
  'Could not read the issues that the pull request closes (needs `issues: read`), so the review does without them. GitHub says:';
const checksNote =
  'Could not read the CI results of the head (needs `checks: read` and `statuses: read`), so the review does without them. GitHub says:';

type Answered =
  | {
      readonly kind: 'answered';
      readonly node: PullNode | null;
      /** Null when nothing was refused. */
      readonly error: unknown;
    }
  /** The server does not take the query as it is. */
  | { readonly kind: 'rejected'; readonly error: unknown }
  /** It took none. */
  | { readonly kind: 'unreached'; readonly error: unknown };

async function ask(
  github: GitHub,
  // `after` is where the page of the checks begins; null for the first.
  { reference, query, after }: { reference: PullRequestReference; query: string; after: string | null },
): Promise<Answered> {
  const { owner, repository: name, number } = reference;
  try {
    const data = await github.graphql(query, { owner, name, number, ...(after === null ? {} : { after }) });
    return { kind: 'answered', node: nodeIn(data), error: null };
  } catch (error) {
    return isQueryRefusal(error) ? answeredInPart(error) : { kind: 'unreached', error };
  }
}

function answeredInPart(error: unknown): Answered {
  try {
    const node = nodeIn(partialData(error));
    return node === null ? { kind: 'rejected', error } : { kind: 'answered', node, error };
  } catch {
    return { kind: 'rejected', error };
  }
}

function nodeIn(data: unknown): PullNode | null {
  return parseLinked(data).repository?.pullRequest ?? null;
}

type Found = { readonly node: PullNode | null; readonly refusal: string | null };

function found(answered: Answered, field: string): Found {
  const { error } = answered;
  if (answered.kind !== 'answered') return { node: null, refusal: messageOf(error) };
  // The name of a workflow needs more than its checks do, and is not missed.
  const fields = refusedFields(error).filter((path) => !path.includes('workflowRun'));
  const isRefused = fields.some((path) => path.length === 0 || path.includes(field));
  return { node: answered.node, refusal: isRefused ? messageOf(error) : null };
}

const issueFields =
  'closingIssuesReferences(first: 10) { totalCount nodes { number title body repository { nameWithOwner } } }';
const checkFields = `commits(last: 1) { nodes { commit { oid statusCheckRollup { state contexts(first: 100, after: $after) {
  totalCount
  pageInfo { hasNextPage endCursor }
  nodes {
    __typename
    ... on CheckRun { name status conclusion checkSuite { workflowRun { databaseId workflow { name } } } }
    ... on StatusContext { context state }
  }
} } } } }`;

/** Both, and each by itself. `after` is where a further page of the checks begins. */
export const linkedQueries = {
  all: query('PostilLinked($after: String,', `${issueFields} ${checkFields}`),
  issues: query('PostilIssues(', issueFields),
  checks: query('PostilChecks($after: String,', checkFields),
} as const;

function query(head: string, fields: string): string {
  return `query ${head} $owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) { ${fields} } }
}`;
}

const text = { type: 'string' } as const;

const issueSchema = {
  type: ['object', 'null'],
  required: ['number', 'title', 'body', 'repository'],
  properties: {
    number: { type: 'integer' },
    title: text,
    body: text,
    repository: { type: 'object', required: ['nameWithOwner'], properties: { nameWithOwner: text } },
  },
} as const;

const checkSchema = {
  type: ['object', 'null'],
  required: ['__typename'],
  properties: {
    __typename: text,
    name: text,
    status: text,
    conclusion: { type: ['string', 'null'] },
    checkSuite: {
      type: ['object', 'null'],
      properties: {
        workflowRun: {
          type: ['object', 'null'],
          properties: {
            databaseId: { type: ['integer', 'null'] },
            workflow: { type: ['object', 'null'], properties: { name: text } },
          },
        },
      },
    },
    context: text,
    state: text,
  },
} as const;

const rollupSchema = {
  type: ['object', 'null'],
  properties: {
    state: text,
    contexts: {
      type: ['object', 'null'],
      properties: {
        totalCount: { type: 'integer' },
        pageInfo: pageInfoSchema,
        nodes: { type: ['array', 'null'], items: checkSchema },
      },
    },
  },
} as const;

const commitSchema = {
  type: ['object', 'null'],
  required: ['commit'],
  properties: {
    commit: { type: 'object', required: ['oid'], properties: { oid: text, statusCheckRollup: rollupSchema } },
  },
} as const;

/** Every part may be null: where a field is refused, GitHub answers the others. */
const parseLinked = answerParser({
  type: 'object',
  required: ['repository'],
  properties: {
    repository: {
      type: ['object', 'null'],
      properties: {
        pullRequest: {
          type: ['object', 'null'],
          properties: {
            closingIssuesReferences: {
              type: ['object', 'null'],
              required: ['totalCount', 'nodes'],
              properties: { totalCount: { type: 'integer' }, nodes: { type: ['array', 'null'], items: issueSchema } },
            },
            commits: {
              type: ['object', 'null'],
              properties: { nodes: { type: ['array', 'null'], items: commitSchema } },
            },
          },
        },
      },
    },
  },
});

type PullNode = NonNullable<NonNullable<ReturnType<typeof parseLinked>['repository']>['pullRequest']>;

/** Null when GitHub said nothing about them. */
function issuesIn({ closingIssuesReferences }: PullNode): Pick<Linked, 'issues' | 'otherIssues'> | null {
  if (closingIssuesReferences === undefined || closingIssuesReferences === null) return null;
  const { totalCount, nodes } = closingIssuesReferences;
  const found = (nodes ?? []).flatMap((node): readonly LinkedIssue[] => {
    if (node === null) return [];
    const { number, title, body, repository } = node;
    return [{ repository: repository.nameWithOwner, number, title, body }];
  });
  return { issues: found, otherIssues: Math.max(0, totalCount - found.length) };
}

type ChecksPage = {
  readonly checks: readonly HeadCheck[];
  /** On all pages. */
  readonly total: number;
  /** What GitHub makes of all of them. */
  readonly rollup: HeadCheck['state'];
  /** Where the next page begins; null behind the last. */
  readonly next: string | null;
};

/** A page of the checks of the commit `head`; null when GitHub said nothing about them. */
function checksIn({ commits }: PullNode, head: string): ChecksPage | null {
  const commit = (commits?.nodes ?? []).find((node) => node?.commit.oid === head)?.commit;
  if (commit === undefined) return null;
  // A commit without any check has no rollup.
  const { state = '', contexts } = commit.statusCheckRollup ?? {};
  const checks = (contexts?.nodes ?? []).flatMap((node) => (node === null ? [] : [checkFrom(node)]));
  const { hasNextPage = false, endCursor = null } = contexts?.pageInfo ?? {};
  const total = contexts?.totalCount ?? checks.length;
  return { checks, total, rollup: stateOf(state), next: hasNextPage ? endCursor : null };
}

function checkFrom(node: NonNullable<Infer<typeof checkSchema>>): HeadCheck {
  const { __typename, name = '', context = '', status, conclusion, checkSuite, state = '' } = node;
  if (__typename === 'StatusContext') {
    return { name: context, workflow: null, run: null, state: stateOf(state), conclusion: worded(state) };
  }
  const ended = status === 'COMPLETED' ? (conclusion ?? '') : 'PENDING';
  const run = checkSuite?.workflowRun ?? null;
  const number = run?.databaseId ?? null;
  const of = { workflow: run?.workflow?.name ?? null, run: number === null ? null : String(number) };
  return { name, ...of, state: stateOf(ended), conclusion: worded(ended) };
}

const failures = ['FAILURE', 'ERROR', 'TIMED_OUT', 'STARTUP_FAILURE', 'ACTION_REQUIRED', 'CANCELLED'];
const unfinished = ['PENDING', 'EXPECTED', 'STALE', ''];

/** Skipped and neutral ones block nothing: they count as passed, as they do for GitHub. */
function stateOf(conclusion: string): HeadCheck['state'] {
  if (failures.includes(conclusion)) return 'failed';
  return unfinished.includes(conclusion) ? 'unfinished' : 'passed';
}

function worded(conclusion: string): string {
  return conclusion.toLowerCase().replaceAll('_', ' ');
}
