import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  pageOf,
  renderIssueComment,
  renderReview,
  renderReviewComment,
  renderUser,
} from '../github-server/render-rest.ts';
import type { FakeGitHub } from '../github-server/start-github.ts';
import type { Said } from '../github-server/store.ts';
import type { World, WorldOptions } from './create-world.ts';
import type { WorldFiles } from './git.ts';

export type EventName =
  | 'pull_request'
  | 'pull_request_target'
  | 'workflow_run'
  | 'workflow_dispatch'
  | 'push'
  | 'merge_group'
  | 'issues'
  | 'issue_comment';

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
    merge_group: () => ({ action: 'checks_requested', merge_group: { head_ref: main.ref, base_ref: main.ref } }),
    issues: () => ({ action: 'opened', issue: question }),
    // On an issue that is no pull request; for the others see `commentEvent`.
    issue_comment: () => ({
      action: 'created',
      issue: question,
      comment: { ...remark, user: renderUser(pull.author) },
    }),
  };
  const payload = { repository: repository(world), sender: renderUser(pull.author), ...payloads[name]() };
  return { name, ...(name === 'pull_request' ? merge : main), payload };
}

/** The event of a change that is no push, such as `labeled` with its label. */
export function changeEvent(world: World, action: 'labeled' | 'unlabeled' | 'edited', label = '') {
  const event = eventOf(world, 'pull_request');
  return { ...event, payload: { ...event.payload, action, ...(label === '' ? {} : { label: { name: label } }) } };
}

const question = { number: 99, title: 'A question', state: 'open', locked: false };
const remark = {
  ...{ id: 98, node_id: 'IC_98', body: '/postil review', author_association: 'COLLABORATOR' },
  html_url: 'https://github.example/octo/spoon/issues/99#issuecomment-98',
};

/** What tells of a comment or review that stands on the fake GitHub, and what the payload says otherwise of it. */
export function commentEvent(
  { world, github }: { readonly world: World; readonly github: FakeGitHub },
  id: number,
  changes: CommentChanges = {},
) {
  const found = github.said(id);
  const { kind, pull, said } = found;
  const { commits } = world;
  const now = { github: world.github, pull: { ...pull.given, head: { ...pull.given.head, sha: pull.headSha } } };
  const { action = kind === 'pull_request_review' ? 'submitted' : 'created', sender = said.author, ...words } = changes;
  const payload = { action, ...payloadOf(now, found, words), repository: repository(now), sender: renderUser(sender) };
  if (kind === 'issue_comment') return { name: kind, sha: commits.base, ref: 'refs/heads/main', payload };
  return { name: kind, sha: commits.merge, ref: `refs/pull/${now.pull.number}/merge`, payload };
}

type CommentChanges = {
  /** `created` unless told, and `submitted` for a review. */
  readonly action?: string;
  readonly body?: string;
  /** Of its author's account, such as Bot. */
  readonly type?: string;
  /** Who acts, where that is not the author. */
  readonly sender?: string;
};

function payloadOf(now: Now, found: Said, { body, type }: CommentChanges): object {
  const { github } = now;
  const changed = <Shown extends { readonly user?: object | null; readonly body?: string }>(shown: Shown) => ({
    ...shown,
    body: body ?? shown.body,
    user: { ...shown.user, ...(type === undefined ? {} : { type }) },
  });
  const pullRequest = pullObject(now);
  if (found.kind === 'issue_comment') {
    const { pull, said: comment } = found;
    return { issue: issueObject(now), comment: changed(renderIssueComment(github, { pull, comment })) };
  }
  if (found.kind === 'pull_request_review_comment') {
    const { pull, thread, said: comment } = found;
    return { pull_request: pullRequest, comment: changed(renderReviewComment(github, { pull, thread, comment })) };
  }
  const { pull, said: review } = found;
  const shown = changed(renderReview(github, { pull, review }));
  const state = review.state.toLowerCase();
  // GitHub sends null for a review without words of its own.
  return { pull_request: pullRequest, review: { ...shown, state, body: shown.body === '' ? null : shown.body } };
}

/** The pull request as it stands, and where. */
type Now = Pick<World, 'github' | 'pull'>;

function pullPayload(world: Now): object {
  return { action: 'synchronize', number: world.pull.number, pull_request: pullObject(world) };
}

function pullObject(world: Now): object {
  const { pull } = world;
  return {
    ...sharedObject(pull),
    merged: pull.state === 'merged',
    base: { ref: pull.base.ref, sha: pull.base.sha, repo: repository(world) },
    head: {
      ref: pull.head.ref,
      sha: pull.head.sha,
      repo: pull.head.repository === null ? null : { full_name: pull.head.repository, fork: isFork(world) },
    },
  };
}

/** A pull request as issues are told of: nothing says from where and to where. */
function issueObject({ github, pull }: Now): object {
  const page = pageOf(github, `/pull/${pull.number}`);
  return { ...sharedObject(pull), html_url: page, pull_request: { html_url: page, merged_at: null } };
}

function sharedObject(pull: World['pull']): object {
  return {
    number: pull.number,
    title: pull.title,
    body: pull.body,
    state: pull.state === 'open' ? 'open' : 'closed',
    locked: pull.locked ?? false,
    draft: pull.draft,
    user: renderUser(pull.author),
    labels: pull.labels.map((label) => ({ name: label })),
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
          : { full_name: pull.head.repository, owner: renderUser(pull.head.repository.split('/')[0] ?? '') },
      // GitHub leaves the list empty for forks.
      pull_requests: isFork(world) ? [] : [{ number: pull.number, head: { ref: pull.head.ref, sha: pull.head.sha } }],
    },
  };
}

function repository(world: Now): object {
  const { owner, repository: name } = world.github;
  return {
    id: 4242,
    name,
    full_name: `${owner}/${name}`,
    owner: renderUser(owner),
    default_branch: 'main',
    private: true,
  };
}

function isFork(world: Now): boolean {
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
