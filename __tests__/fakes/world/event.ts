import type { World } from './create-world.ts';

export type WorldEvent = {
  readonly name: string;
  readonly payload: object;
  /** GITHUB_SHA and GITHUB_REF of such a run. */
  readonly sha: string;
  readonly ref: string;
};

export type EventName =
  | 'pull_request'
  | 'pull_request_target'
  | 'workflow_run'
  | 'workflow_dispatch'
  | 'push'
  | 'merge_group'
  | 'issues';

/** The event as the runner gets it, cut to the parts of GitHub's payload that mean something here. */
export function eventOf(world: World, name: EventName = 'pull_request'): WorldEvent {
  const { commits } = world;
  const number = world.pull.number;
  const main = { sha: commits.base, ref: 'refs/heads/main' };
  switch (name) {
    case 'pull_request':
      return { name, sha: commits.merge, ref: `refs/pull/${number}/merge`, payload: pullPayload(world) };
    case 'pull_request_target':
      return { name, ...main, payload: pullPayload(world) };
    case 'workflow_run':
      return { name, ...main, payload: workflowRunPayload(world) };
    case 'workflow_dispatch':
      return {
        name,
        ...main,
        payload: { ...common(world), inputs: {}, ref: main.ref, workflow: '.github/workflows/review.yml' },
      };
    case 'push':
      return {
        name,
        ...main,
        payload: { ...common(world), ...main, before: commits.mergeBase, after: commits.base, commits: [] },
      };
    case 'merge_group':
      return { name, ...main, payload: mergeGroupPayload(world) };
    case 'issues':
      return {
        name,
        ...main,
        payload: { ...common(world), action: 'opened', issue: { number: 99, title: 'A question' } },
      };
  }
}

function pullPayload(world: World): object {
  const { pull } = world;
  return {
    ...common(world),
    action: 'synchronize',
    number: pull.number,
    pull_request: {
      number: pull.number,
      title: pull.title,
      body: pull.body,
      state: pull.state === 'open' ? 'open' : 'closed',
      draft: pull.draft,
      merged: pull.state === 'merged',
      user: person(pull.author),
      labels: pull.labels.map((label) => ({ name: label })),
      base: { ref: pull.base.ref, sha: pull.base.sha, repo: repository(world) },
      head: {
        ref: pull.head.ref,
        sha: pull.head.sha,
        repo: pull.head.repository === null ? null : { full_name: pull.head.repository, fork: isFork(world) },
      },
    },
  };
}

function workflowRunPayload(world: World): object {
  const { pull } = world;
  return {
    ...common(world),
    action: 'completed',
    workflow_run: {
      id: 555,
      name: 'CI',
      event: 'pull_request',
      conclusion: 'success',
      head_branch: pull.head.ref,
      head_sha: pull.head.sha,
      head_repository:
        pull.head.repository === null ? null : { full_name: pull.head.repository, owner: person(ownerOfHead(world)) },
      // GitHub leaves the list empty for forks.
      pull_requests: isFork(world) ? [] : [{ number: pull.number, head: { ref: pull.head.ref, sha: pull.head.sha } }],
    },
  };
}

function mergeGroupPayload(world: World): object {
  const { base, merge } = world.commits;
  const head = { head_sha: merge, head_ref: 'refs/heads/gh-readonly-queue/main/pr-7' };
  return {
    ...common(world),
    action: 'checks_requested',
    merge_group: { ...head, base_sha: base, base_ref: 'refs/heads/main' },
  };
}

function common(world: World): object {
  return { repository: repository(world), sender: person(world.pull.author) };
}

function repository(world: World): object {
  const { owner, repository: name } = world.github;
  return { id: 4242, name, full_name: `${owner}/${name}`, owner: person(owner), default_branch: 'main', private: true };
}

function person(login: string): object {
  return { login, type: login.endsWith('[bot]') ? 'Bot' : 'User' };
}

function isFork(world: World): boolean {
  return world.pull.head.repository !== `${world.github.owner}/${world.github.repository}`;
}

function ownerOfHead(world: World): string {
  return world.pull.head.repository?.split('/')[0] ?? world.github.owner;
}
