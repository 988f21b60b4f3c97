import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { at, listAt } from './every-pair.ts';
import { readPullDiff } from './github-server/changed-files.ts';
import { type FakeGitHub, startGitHub } from './github-server/start-github.ts';
import { type GitHubWorld, readOnly, type WorldPullRequest } from './github-server/store.ts';
import { type CheckoutOptions, checkOut, createWorld, type World, type WorldOptions } from './world/create-world.ts';
import { type EventName, eventOf } from './world/event.ts';
import { git } from './world/git.ts';

const numbers = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`);
const edited = numbers.map((line, index) => (index === 4 || index === 29 ? `${line} changed` : line));

let github: FakeGitHub | undefined;

afterEach(() => github?.close());

/** Hunks 2..8 and 27..33 of `src/lines.txt`. */
const plain: WorldOptions = {
  base: { 'src/lines.txt': `${numbers.join('\n')}\n`, 'src/other.txt': 'other\n' },
  head: { 'src/lines.txt': `${edited.join('\n')}\n` },
};
const plainWorld = createWorld(plain);

async function start(more: Partial<GitHubWorld> = {}): Promise<World> {
  return startIn({ ...plainWorld, github: { ...plainWorld.github, ...more } });
}

async function startIn(world: World): Promise<World> {
  github = await startGitHub(world.github);
  return world;
}

async function ask(method: string, path: string, body?: unknown) {
  const response = await fetch(`${github?.apiUrl}${path}`, {
    method,
    headers: { authorization: `token ${github?.world.token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) };
}

const review = (...comments: readonly object[]) =>
  ask('POST', '/repos/octo/spoon/pulls/7/reviews', { event: 'COMMENT', body: 'Read it.', comments });
const on = (line: number, more: object = {}) => ({
  path: 'src/lines.txt',
  line,
  side: 'RIGHT',
  body: 'Look.',
  ...more,
});

describe('a review on the fake GitHub', () => {
  it('takes comments on changed lines and on their context', async () => {
    await start();
    expect((await review(on(2), on(5), on(8, { start_line: 5 }))).status).toBe(200);
    expect(github?.comments().map(({ line, startLine }) => [startLine, line])).toEqual([
      [null, 2],
      [null, 5],
      [5, 8],
    ]);
  });

  it.each([
    [
      'a line outside the hunks',
      on(20),
      "line must be part of the diff and Pull request review thread diff hunk can't be blank",
    ],
    ['line 0', on(0), "line must be part of the diff and Pull request review thread diff hunk can't be blank"],
    [
      'a file outside the diff',
      on(1, { path: 'src/other.txt' }),
      "path is invalid and Pull request review thread diff hunk can't be blank",
    ],
    ['start and end on one line', on(5, { start_line: 5 }), 'start line must precede the end line.'],
    ['start and end in two hunks', on(30, { start_line: 5 }), 'start line must be part of the same hunk as the line.'],
  ])('refuses %s as a whole, and creates nothing', async (_, comment, words) => {
    await start();
    const refused = await review(on(5), comment);
    expect([refused.status, refused.body.errors]).toEqual([422, [`Pull request review thread ${words}`]]);
    expect([github?.reviews(), github?.comments()]).toEqual([[], []]);
  });

  it('takes no comment on a file as a whole, but a single comment may be one', async () => {
    await start();
    expect((await review(on(5, { subject_type: 'file' }))).status).toBe(422);
    const single = {
      path: 'src/lines.txt',
      subject_type: 'file',
      body: 'Look.',
      commit_id: github?.world.pullRequests[0]?.head.sha,
    };
    expect((await ask('POST', '/repos/octo/spoon/pulls/7/comments', single)).status).toBe(201);
    expect(github?.comments()[0]?.line).toBeNull();
  });

  it('allows one pending review, which its author may delete', async () => {
    await start();
    const pending = await ask('POST', '/repos/octo/spoon/pulls/7/reviews', { comments: [on(5)] });
    expect(pending.body.state).toBe('PENDING');
    expect((await review(on(5))).body.errors).toEqual(['User can only have one pending review per pull request']);
    expect((await ask('DELETE', `/repos/octo/spoon/pulls/7/reviews/${pending.body.id}`)).status).toBe(200);
    expect((await review(on(5))).status).toBe(200);
  });

  it('is refused to a token that may only read', async () => {
    await start({ permissions: readOnly });
    const refused = await review(on(5));
    expect([refused.status, refused.body.message]).toEqual([403, 'Resource not accessible by integration']);
    expect(refused.headers.get('x-accepted-github-permissions')).toBe('pull_requests=write');
  });

  it('may exist although its answer was lost', async () => {
    const match = { method: 'POST', path: /\/reviews$/ };
    await start({ faults: [{ match, times: 1, after: 'status 502' }] });
    expect((await review(on(5))).status).toBe(502);
    expect(github?.reviews()).toHaveLength(1);
  });
});

describe('the fake GitHub', () => {
  it('gives files in pages, with patches that git made', async () => {
    const files = Object.fromEntries(Array.from({ length: 130 }, (_, index) => [`f${index}.txt`, `${index}\n`]));
    await startIn(createWorld({ ...plain, head: files }));
    const first = await ask('GET', '/repos/octo/spoon/pulls/7/files?per_page=100');
    expect(first.headers.get('link')).toContain('page=2>; rel="next"');
    const second = await ask('GET', '/repos/octo/spoon/pulls/7/files?per_page=100&page=2');
    expect([first.body.length, second.body.length, second.body[0].patch]).toEqual([100, 30, '@@ -0,0 +1 @@\n+72']);
  });

  it('knows the merge base, which is not the tip of main', async () => {
    const { commits } = await start();
    const compared = await ask('GET', `/repos/octo/spoon/compare/${commits.base}...${commits.head}`);
    expect([compared.body.merge_base_commit.sha, compared.body.status]).toEqual([commits.mergeBase, 'diverged']);
  });

  it('knows no user behind a workflow token', async () => {
    await start();
    expect((await ask('GET', '/user')).status).toBe(403);
  });

  it('answers GraphQL by GitHub’s schema, in pages', async () => {
    const pull: Partial<WorldPullRequest> = {
      threads: [5, 6, 7].map((line) => ({ path: 'src/lines.txt', line, comments: [{ author: 'ada', body: 'Hm.' }] })),
    };
    await start({ pullRequests: [{ ...plainWorld.pull, ...pull }] });
    const pages: unknown[] = [];
    let after: unknown = null;
    for (let more: unknown = true; more === true; ) {
      const query = `query($after: String) { repository(owner: "octo", name: "spoon") { pullRequest(number: 7) {
        reviewThreads(first: 2, after: $after) { nodes { line isResolved comments(first: 1) { nodes { viewerDidAuthor author { login } } } }
        pageInfo { hasNextPage endCursor } } } } }`;
      const threads: unknown = (await graphql(query, { after })).data.repository.pullRequest.reviewThreads;
      pages.push(listAt(threads, 'nodes').map((node) => at(node, 'line')));
      after = at(threads, 'pageInfo', 'endCursor');
      more = at(threads, 'pageInfo', 'hasNextPage');
    }
    expect(pages).toEqual([[5, 6], [7]]);
  });

  it('refuses unknown fields and unbounded connections in GraphQL', async () => {
    await start();
    const ofPull = (fields: string) =>
      graphql(`{ repository(owner: "octo", name: "spoon") { pullRequest(number: 7) { ${fields} } } }`);
    expect((await ofPull('isDraught')).errors[0].message).toBe("Field 'isDraught' doesn't exist on type 'PullRequest'");
    expect((await ofPull('comments { totalCount }')).errors[0].type).toBe('MISSING_PAGINATION_BOUNDARIES');
  });
});

async function graphql(query: string, variables: object = {}) {
  const response = await fetch(`${github?.graphqlUrl}`, {
    method: 'POST',
    headers: { authorization: `token ${github?.world.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  return JSON.parse(await response.text());
}

const body = Array.from({ length: 30 }, (_, index) => `line ${index}`).join('\n');

const world = createWorld({
  base: {
    'kept.txt': 'kept\n',
    'old name.txt': body,
    'gone.txt': 'gone\n',
    'kind.txt': 'text\n',
    module: { submodule: 'a'.repeat(40) },
  },
  head: {
    'old name.txt': null,
    'ñew "name".txt': body.replace('line 9', 'line nine'),
    'gone.txt': null,
    'kind.txt': { symlink: 'kept.txt' },
    'picture.png': Buffer.from([137, 80, 78, 71, 0, 1, 2, 0]),
    'tool.sh': { executable: '#!/bin/sh\n' },
    module: { submodule: 'b'.repeat(40) },
  },
});

describe('a world', () => {
  it('has the files of a true three-dot diff, whatever their kind', async () => {
    const { mergeBase, files } = await readPullDiff(world.remote.directory, world.commits);
    expect(mergeBase).toBe(world.commits.mergeBase);
    expect(files.map((file) => [file.filename, file.status, file.hunks.length, file.previousFilename])).toEqual([
      ['gone.txt', 'removed', 1, null],
      ['kind.txt', 'changed', 2, null],
      ['module', 'modified', 1, null],
      ['picture.png', 'added', 0, null],
      ['tool.sh', 'added', 1, null],
      ['ñew "name".txt', 'renamed', 1, 'old name.txt'],
    ]);
    expect(files[2]?.patch).toBe(
      `@@ -1 +1 @@\n-Subproject commit ${'a'.repeat(40)}\n+Subproject commit ${'b'.repeat(40)}`,
    );
  });

  it.each<[string, CheckoutOptions, string]>([
    ['the merge commit alone', {}, '1'],
    ['all of the head', { ref: 'refs/pull/7/head', depth: 0 }, '2'],
    ['trees without files', { depth: 0, filter: 'blob:none' }, '4'],
  ])('is checked out as %s', async (_, options, commits) => {
    const github = await startGitHub(world.github);
    onTestFinished(() => github.close());
    const folder = await checkOut(github, options);
    expect([await git(folder, ['rev-list', '--count', 'HEAD']), existsSync(join(folder, 'kept.txt'))]).toEqual([
      commits,
      true,
    ]);
  });

  it('leaves the token in the checkout unless it is asked not to', async () => {
    const github = await startGitHub(world.github);
    onTestFinished(() => github.close());
    const [kept, removed] = await Promise.all([checkOut(github), checkOut(github, { persistCredentials: false })]);
    const [one, other] = [kept, removed].map((folder) => readFileSync(join(folder, '.git/config'), 'utf8'));
    expect([one?.includes('AUTHORIZATION: basic'), other?.includes('AUTHORIZATION')]).toEqual([true, false]);
  });

  it.runIf(process.getuid?.() === 0)('can be given to another user', async () => {
    const github = await startGitHub(world.github);
    onTestFinished(() => github.close());
    expect(statSync(join(await checkOut(github, { owner: 12_345 }), 'kept.txt')).uid).toBe(12_345);
  });

  it.each<[EventName, string, string]>([
    ['pull_request', 'refs/pull/7/merge', world.commits.merge],
    ['pull_request_target', 'refs/heads/main', world.commits.base],
    ['workflow_run', 'refs/heads/main', world.commits.base],
    ['push', 'refs/heads/main', world.commits.base],
  ])('tells of itself in a %s event', (name, ref, sha) => {
    expect(eventOf(world, name)).toMatchObject({
      name,
      ref,
      sha,
      payload: { repository: { full_name: 'octo/spoon' } },
    });
  });

  it('names no pull request in the workflow run of a fork', () => {
    const fork = createWorld({ base: { a: 'a\n' }, head: { a: 'b\n' }, fork: true });
    expect(eventOf(fork, 'workflow_run').payload).toMatchObject({
      workflow_run: {
        head_sha: fork.commits.head,
        head_repository: { full_name: 'contributor/spoon' },
        pull_requests: [],
      },
    });
  });
});
