import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { World, WorldOptions } from './create-world.ts';
import type { WorldFiles } from './git.ts';

export type EventName =
  | 'pull_request'
  | 'pull_request_target'
  | 'workflow_run'
  | 'workflow_dispatch'
  | 'push'
  | 'issues';

/** The event as the runner gets it, cut to the parts of GitHub's payload that mean something here, with its GITHUB_SHA and GITHUB_REF. */
export function eventOf(world: World, name: EventName = 'pull_request') {
  const { commits, pull } = world;
  const main = { sha: commits.base, ref: 'refs/heads/main' };
  const merge = { sha: commits.merge, ref: `refs/pull/${pull.number}/merge` };
  const payloads: Readonly<Record<EventName, () => object>> = {
    pull_request: () => pullPayload(world),
    pull_request_target: () => pullPayload(world),
    workflow_run: () => workflowRunPayload(world),
    workflow_dispatch: () => ({ inputs: {}, ref: main.ref, workflow: '.github/workflows/review.yml' }),
    push: () => ({ ...main, before: commits.mergeBase, after: commits.base, commits: [] }),
    issues: () => ({ action: 'opened', issue: { number: 99, title: 'A question' } }),
  };
  const payload = { repository: repository(world), sender: person(pull.author), ...payloads[name]() };
  return { name, ...(name === 'pull_request' ? merge : main), payload };
}

function pullPayload(world: World): object {
  const { pull } = world;
  return {
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
    action: 'completed',
    workflow_run: {
      id: 555,
      name: 'CI',
      event: 'pull_request',
      conclusion: 'success',
      head_branch: pull.head.ref,
      head_sha: pull.head.sha,
      head_repository:
        pull.head.repository === null
          ? null
          : { full_name: pull.head.repository, owner: person(pull.head.repository.split('/')[0] ?? '') },
      // GitHub leaves the list empty for forks.
      pull_requests: isFork(world) ? [] : [{ number: pull.number, head: { ref: pull.head.ref, sha: pull.head.sha } }],
    },
  };
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

/**
 * A real change of a real project: get-stream 8.0.0 to 8.0.1, on a history that begins with 7.0.1, as they were published. Six files change, and they
 * import each other. What a team adds for its reviewer comes on top.
 */
export function getStreamWorld({
  base = {},
  head = {},
  ...options
}: Partial<WorldOptions> & { readonly base?: WorldFiles; readonly head?: WorldFiles } = {}): WorldOptions {
  const [first, before, after] = [filesOf('7.0.1'), filesOf('8.0.0'), filesOf('8.0.1')];
  return {
    history: [first],
    base: { ...removed(first, before), ...before, ...base },
    head: { ...changed(before, after), ...head },
    pullRequest: { title: 'Fix ArrayBuffer and truncated contents' },
    ...options,
  };
}

function filesOf(version: string): { readonly [path: string]: string } {
  const folder = fileURLToPath(new URL(`../../../node_modules/get-stream-${version}`, import.meta.url));
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(paths.map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]));
}

function removed(before: WorldFiles, after: WorldFiles): WorldFiles {
  const gone = Object.keys(before).filter((path) => !Object.hasOwn(after, path));
  return Object.fromEntries(gone.map((path) => [path, null]));
}

function changed(before: WorldFiles, after: WorldFiles): WorldFiles {
  return Object.fromEntries(Object.entries(after).filter(([path, text]) => before[path] !== text));
}
