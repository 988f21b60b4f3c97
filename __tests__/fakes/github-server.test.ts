import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readPullDiff } from './github-server/changed-files.ts';
import { type FakeGitHub, startGitHub } from './github-server/start-github.ts';
import type { GitHubWorld } from './github-server/store.ts';
import { type CheckoutOptions, checkOut, createWorld } from './world/create-world.ts';
import { git } from './world/git.ts';

const numbers = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`);
const edited = numbers.map((line, index) => (index === 4 || index === 29 ? `${line} changed` : line));

/** Hunks 2..8 and 27..33 of `src/lines.txt`. */
const changed = createWorld({
  base: { 'src/lines.txt': `${numbers.join('\n')}\n`, 'src/other.txt': 'other\n' },
  head: { 'src/lines.txt': `${edited.join('\n')}\n` },
});

async function start(world: GitHubWorld = changed.github): Promise<FakeGitHub> {
  const github = await startGitHub(world);
  onTestFinished(() => github.close());
  return github;
}

async function ask({ apiUrl, world }: FakeGitHub, asked: string, body?: unknown) {
  const [method = '', path = ''] = asked.split(' ');
  const response = await fetch(`${apiUrl}${path}`, {
    method,
    headers: { authorization: `token ${world.token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

const reviews = 'POST /repos/octo/spoon/pulls/7/reviews';
const review = (github: FakeGitHub, ...comments: readonly object[]) =>
  ask(github, reviews, { event: 'COMMENT', body: 'Read it.', comments });
const place = { path: 'src/lines.txt', side: 'RIGHT', body: 'Look.' };
const on = (line: number, more: object = {}) => ({ ...place, line, ...more });

describe('a review on the fake GitHub', () => {
  it('takes comments on changed lines and on their context', async () => {
    const github = await start();
    expect((await review(github, on(2), on(5), on(8, { start_line: 5 }))).status).toBe(200);
    expect(github.comments().map(({ line, startLine }) => [startLine, line])).toEqual([
      [null, 2],
      [null, 5],
      [5, 8],
    ]);
  });

  const noHunk = "and Pull request review thread diff hunk can't be blank";

  it.each([
    ['a line outside the hunks', on(20), `line must be part of the diff ${noHunk}`],
    ['line 0', on(0), `line must be part of the diff ${noHunk}`],
    ['a file outside the diff', on(1, { path: 'src/other.txt' }), `path is invalid ${noHunk}`],
    ['start and end on one line', on(5, { start_line: 5 }), 'start line must precede the end line.'],
    ['start and end in two hunks', on(30, { start_line: 5 }), 'start line must be part of the same hunk as the line.'],
  ])('refuses %s as a whole, and creates nothing', async (_, comment, words) => {
    const github = await start();
    const refused = await review(github, on(5), comment);
    expect([refused.status, refused.body.errors]).toEqual([422, [`Pull request review thread ${words}`]]);
    expect([github.reviews(), github.comments()]).toEqual([[], []]);
  });

  it('takes no comment on a file as a whole, but a single comment may be one', async () => {
    const github = await start();
    expect((await review(github, on(5, { subject_type: 'file' }))).status).toBe(422);
    const single = { path: 'src/lines.txt', subject_type: 'file', body: 'Look.', commit_id: changed.commits.head };
    expect((await ask(github, 'POST /repos/octo/spoon/pulls/7/comments', single)).status).toBe(201);
    expect(github.comments()[0]?.line).toBeNull();
  });

  it('allows one pending review, which its author may delete', async () => {
    const github = await start();
    const pending = await ask(github, reviews, { comments: [on(5)] });
    expect(pending.body.state).toBe('PENDING');
    const second = await review(github, on(5));
    expect(second.body.errors).toEqual(['User can only have one pending review per pull request']);
    const deleting = `DELETE /repos/octo/spoon/pulls/7/reviews/${pending.body.id}`;
    expect((await ask(github, deleting)).status).toBe(200);
    expect((await review(github, on(5))).status).toBe(200);
  });
});

describe('the fake GitHub', () => {
  it('knows no user behind a workflow token', async () => {
    expect((await ask(await start(), 'GET /user')).status).toBe(403);
  });

  it('refuses unknown fields and unbounded connections in GraphQL', async () => {
    const { graphqlUrl, world } = await start();
    const problemOf = async (fields: string) => {
      const query = `{ repository(owner: "octo", name: "spoon") { pullRequest(number: 7) { ${fields} } } }`;
      const headers = { authorization: `token ${world.token}` };
      const response = await fetch(graphqlUrl, { method: 'POST', headers, body: JSON.stringify({ query }) });
      return JSON.parse(await response.text()).errors[0];
    };
    expect(await problemOf('isDraught')).toMatchObject({
      message: "Field 'isDraught' doesn't exist on type 'PullRequest'",
    });
    expect(await problemOf('comments { totalCount }')).toMatchObject({ type: 'MISSING_PAGINATION_BOUNDARIES' });
  });
});

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
    const github = await start(world.github);
    const folder = await checkOut(github, options);
    expect([await git(folder, ['rev-list', '--count', 'HEAD']), existsSync(join(folder, 'kept.txt'))]).toEqual([
      commits,
      true,
    ]);
  });

  it('leaves the token in the checkout unless it is asked not to', async () => {
    const github = await start(world.github);
    const [kept, removed] = await Promise.all([checkOut(github), checkOut(github, { persistCredentials: false })]);
    const [one, other] = [kept, removed].map((folder) => readFileSync(join(folder, '.git/config'), 'utf8'));
    expect([one?.includes('AUTHORIZATION: basic'), other?.includes('AUTHORIZATION')]).toEqual([true, false]);
  });

  it.runIf(process.getuid?.() === 0)('can be given to another user', async () => {
    const github = await start(world.github);
    expect(statSync(join(await checkOut(github, { owner: 12_345 }), 'kept.txt')).uid).toBe(12_345);
  });
});
