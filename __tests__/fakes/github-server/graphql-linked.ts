import { connection, refusal } from './graphql-connection.ts';
import type { Store, StoredPull } from './store.ts';
import type { WorldCheck, WorldIssue } from './world.ts';

/** What of a `PullRequest` leads elsewhere: to issues and to the checks of its head. */
export function linkedFields(store: Store, pull: StoredPull): object {
  const { world } = store;
  return {
    closingIssuesReferences: connection(
      'closingIssuesReferences',
      () => pull.given.closes ?? [],
      (issue) => issueNode(store, issue),
    ),
    commits: connection(
      'commits',
      () => [pull.headSha],
      (oid) => ({
        commit: {
          __typename: 'Commit',
          oid,
          statusCheckRollup: () => rollup(pull.given.checks ?? [], world.permissions.checks !== 'none'),
        },
      }),
    ),
  };
}

/** An issue of a private repository comes as nothing, and one that the token may not see as an error in its place. */
function issueNode({ world }: Store, issue: WorldIssue): object | null {
  if (issue.repository !== undefined && issue.isPrivate === true) return null;
  if (world.permissions.issues === 'none') return notAccessible();
  const nameWithOwner = issue.repository ?? `${world.owner}/${world.repository}`;
  const { number, title, body } = issue;
  return { __typename: 'Issue', id: `I_${number}`, number, title, body, repository: { nameWithOwner } };
}

function rollup(checks: readonly WorldCheck[], readable: boolean): object | null {
  if (checks.length === 0) return null;
  const contexts = connection(
    'contexts',
    () => checks,
    (check) => (readable ? checkNode(check) : notAccessible()),
  );
  return { __typename: 'StatusCheckRollup', id: 'SCR_1', state: rollupState(checks), contexts };
}

function rollupState(checks: readonly WorldCheck[]): string {
  if (checks.some(({ conclusion }) => conclusion === 'FAILURE')) return 'FAILURE';
  return checks.some(({ conclusion }) => conclusion === null) ? 'PENDING' : 'SUCCESS';
}

function checkNode({ name, workflow, run, conclusion }: WorldCheck): object {
  if (workflow === undefined) return { __typename: 'StatusContext', context: name, state: conclusion ?? 'PENDING' };
  const workflowRun = { databaseId: run ?? 1, workflow: { name: workflow } };
  const status = conclusion === null ? 'IN_PROGRESS' : 'COMPLETED';
  return { __typename: 'CheckRun', name, status, conclusion, checkSuite: { workflowRun } };
}

/** In a list, an error stands where its item would be. */
function notAccessible(): object {
  return refusal('FORBIDDEN', 'Resource not accessible by integration');
}
