import { type HeadCheck, type Linked, nothingLinked } from '../../core/pull-request/pull-request.ts';
import { type Infer, listOf } from '../../core/schema.ts';
import { isRecord, messageOf } from './answers.ts';
import type { GitHub } from './client.ts';
import {
  ask,
  type Connection,
  connection,
  type GraphNode,
  type Page,
  pageIn,
  pagesOf,
  pullRequestPlace,
} from './connection.ts';
import type { PullRequestReference } from './pull.ts';
import { answerParser, has, integer, integerOrNull, orNull, text, textOrNull } from './shapes.ts';

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
export async function readLinked(github: GitHub, { reference, head, onNote }: LinkedOptions): Promise<Linked> {
  const place = pullRequestPlace(github, reference);
  const checks = checksOf(head);
  const together = await ask(place, [issues, checks]);
  const read = async <P extends Page<unknown>>(row: Connection<P>, note: string) => {
    const part = pageIn(isRecord(together.found) ? together : await ask(place, [row]), row);
    if (part.error !== null) onNote(`${note} ${messageOf(part.error)}.`);
    return part;
  };
  const [closed, checked] = await Promise.all([read(issues, issuesNote), read(checks, checksNote)]);
  return {
    ...nothingLinked,
    ...(closed.page === null ? {} : issuesIn(closed.page)),
    ...(checked.page === null || checked.error !== null ? {} : await allChecks(place, checks, checked.page)),
  };
}

const issuesNote =
  'Could not read the issues that the pull request closes (needs `issues: read`), so the review does without them. GitHub says:';
const checksNote =
  'Could not read the CI results of the head (needs `checks: read` and `statuses: read`), so the review does without them. GitHub says:';

const issues = connection({
  name: 'closingIssuesReferences',
  page: 'first: 10, after: $after',
  select: 'number title body repository { nameWithOwner }',
  node: has({ number: integer, title: text, body: text, repository: has({ nameWithOwner: text }) }),
  from: ({ number, title, body, repository }) => ({ repository: repository.nameWithOwner, number, title, body }),
});

function issuesIn({ items, total }: Page<Linked['issues'][number]>): Pick<Linked, 'issues' | 'otherIssues'> {
  return { issues: items, otherIssues: Math.max(0, total - items.length) };
}

type ChecksPage = Page<HeadCheck> & {
  /** What GitHub makes of all of them. */
  readonly rollup: HeadCheck['state'];
};

/** More than this is no list that a person looks through: the rest is reported as a number. */
const maxChecks = 500;

/** Follows the pages of the checks; where one is refused, those before it stay. */
async function allChecks(
  place: GraphNode,
  row: Connection<ChecksPage>,
  first: ChecksPage,
): Promise<Pick<Linked, 'checks' | 'unreadChecks'>> {
  const checks: HeadCheck[] = [];
  try {
    for await (const { items } of pagesOf(place, row, first)) {
      checks.push(...items);
      // An empty page leads nowhere.
      if (items.length === 0 || checks.length >= maxChecks) break;
    }
  } catch {
    // The number of the others says it.
  }
  const count = first.total - checks.length;
  return count > 0 ? { checks, unreadChecks: { count, rollup: first.rollup } } : { checks };
}

const workflowRun = orNull(has({}, { databaseId: integerOrNull, workflow: orNull(has({}, { name: text })) }));
const checkNode = has(
  { __typename: text },
  {
    name: text,
    status: text,
    conclusion: textOrNull,
    checkSuite: orNull(has({}, { workflowRun })),
    context: text,
    state: text,
  },
);

const contexts = connection({
  name: 'contexts',
  select: `__typename ... on CheckRun { name status conclusion checkSuite { workflowRun { databaseId workflow { name } } } }
    ... on StatusContext { context state }`,
  node: checkNode,
  from: checkFrom,
});

/** The checks of the commit `head`, which is the last one; null when GitHub says nothing about them. */
function checksOf(head: string): Connection<ChecksPage> {
  return {
    name: 'commits',
    fields: `commits(last: 1) { nodes { commit { oid statusCheckRollup { state ${contexts.fields} } } } }`,
    // The name of a workflow needs more than its checks do.
    unneeded: 'workflowRun',
    read: (value) => {
      const commit = (parseCommits(value)?.nodes ?? []).find((node) => node?.commit.oid === head)?.commit;
      if (commit === undefined) return null;
      // A commit without any check has no rollup.
      const { state = '', contexts: listed = null } = commit.statusCheckRollup ?? {};
      const page = contexts.read(listed) ?? { items: [], total: 0, next: null };
      return { ...page, rollup: stateOf(state) };
    },
  };
}

const rollup = orNull(has({}, { state: text, contexts: {} }));
const commit = orNull(has({ commit: has({ oid: text }, { statusCheckRollup: rollup }) }));
const parseCommits = answerParser(orNull(has({}, { nodes: orNull(listOf(commit)) })));

function checkFrom(node: Infer<typeof checkNode>): HeadCheck {
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
