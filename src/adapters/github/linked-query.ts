import type { HeadCheck, Linked, LinkedIssue } from '../../core/pull-request/pull-request.ts';
import type { Infer } from '../../core/schema.ts';
import { answerParser } from './graphql.ts';

const issues =
  'closingIssuesReferences(first: 10) { totalCount nodes { number title body repository { nameWithOwner } } }';
const checks = `commits(last: 1) { nodes { commit { oid statusCheckRollup { state contexts(first: 100, after: $after) {
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
  all: query('PostilLinked($after: String,', `${issues} ${checks}`),
  issues: query('PostilIssues(', issues),
  checks: query('PostilChecks($after: String,', checks),
} as const;

function query(head: string, fields: string): string {
  return `query ${head} $owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) { ${fields} } }
}`;
}

const text = { type: 'string' } as const;
const textOrNull = { type: ['string', 'null'] } as const;

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
    conclusion: textOrNull,
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
        pageInfo: {
          type: 'object',
          required: ['hasNextPage', 'endCursor'],
          properties: { hasNextPage: { type: 'boolean' }, endCursor: textOrNull },
        },
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
export const parseLinked = answerParser({
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
export function issuesIn({ closingIssuesReferences }: PullNode): Pick<Linked, 'issues' | 'otherIssues'> | null {
  if (closingIssuesReferences === undefined || closingIssuesReferences === null) return null;
  const { totalCount, nodes } = closingIssuesReferences;
  const found = (nodes ?? []).flatMap((node): readonly LinkedIssue[] => {
    if (node === null) return [];
    const { number, title, body, repository } = node;
    return [{ repository: repository.nameWithOwner, number, title, body }];
  });
  return { issues: found, otherIssues: Math.max(0, totalCount - found.length) };
}

export type ChecksPage = {
  readonly checks: readonly HeadCheck[];
  /** On all pages. */
  readonly total: number;
  /** What GitHub makes of all of them. */
  readonly rollup: HeadCheck['state'];
  /** Where the next page begins; null behind the last. */
  readonly next: string | null;
};

/** A page of the checks of the commit `head`; null when GitHub said nothing about them. */
export function checksIn({ commits }: PullNode, head: string): ChecksPage | null {
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
