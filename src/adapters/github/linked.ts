import { type Linked, nothingLinked } from '../../core/pull-request/pull-request.ts';
import { isQueryRefusal, messageOf, partialData, refusedFields } from './answers.ts';
import type { GitHub } from './client.ts';
import { type ChecksPage, checksIn, issuesIn, linkedQueries, parseLinked } from './linked-query.ts';
import type { PullRequestReference } from './pull.ts';

export type LinkedOptions = {
  readonly reference: PullRequestReference;
  /** Full hash of the head. */
  readonly head: string;
  /** Called with one sentence about what the token may not see. */
  readonly onNote: (text: string) => void;
};

/**
 * The issues that a pull request closes and what CI says of its head, in one request where a hundred checks are enough; never
 * throws. Many tokens may see only one of them, and an older server does not know a field: what is refused is noted, and the rest is kept.
 */
export async function readLinked(github: GitHub, options: LinkedOptions): Promise<Linked> {
  const whole = await ask(github, { ...options, query: linkedQueries.all, after: null });
  const parts = whole.kind === 'rejected' ? await askParts(github, options) : { issues: whole, checks: whole };
  const issues = found(parts.issues, 'closingIssuesReferences');
  const checks = found(parts.checks, 'commits');
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

type PullNode = Parameters<typeof issuesIn>[0];
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
  {
    reference,
    query,
    after,
  }: {
    reference: PullRequestReference;
    query: string;
    /** Where the page of the checks begins; null for the first. */
    after: string | null;
  },
): Promise<Answered> {
  const { owner, repository: name, number } = reference;
  try {
    const data = await github.graphql(query, { owner, name, number, ...(after === null ? {} : { after }) });
    return { kind: 'answered', node: nodeIn(data), error: null };
  } catch (error) {
    if (!isQueryRefusal(error)) return { kind: 'unreached', error };
    return answeredInPart(error);
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

async function askParts(github: GitHub, { reference }: LinkedOptions) {
  const [issues, checks] = await Promise.all([
    ask(github, { reference, query: linkedQueries.issues, after: null }),
    ask(github, { reference, query: linkedQueries.checks, after: null }),
  ]);
  return { issues, checks };
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
