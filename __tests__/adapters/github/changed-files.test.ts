import { validate } from '@octokit/graphql-schema';
import { afterEach, describe, expect, it } from 'vitest';
import { discussionQueries, threadCommentsQuery } from '../../../src/adapters/github/discussion.ts';
import { minimizeMutation, resolveThreadMutation } from '../../../src/adapters/github/graphql.ts';
import { mergedQuery } from '../../../src/adapters/github/lessons.ts';
import { linkedQueries } from '../../../src/adapters/github/linked-query.ts';
import { gitHubPullRequestSource } from '../../../src/adapters/github/pull-request.ts';
import { explain } from '../../../src/core/errors.ts';
import { reference, reply, type Script, type ScriptedGitHub, scriptedGitHub } from './scripted-github.ts';
import { pullAnswers } from './some-review.ts';

describe('changes by the files API', () => {
  let server: ScriptedGitHub | undefined;
  afterEach(() => server?.close());

  const file = { sha: 'd'.repeat(40), status: 'modified', additions: 1, deletions: 1, changes: 2 };
  const patch = '@@ -1 +1 @@ function door()\n-shut\n+open';
  const named = (name: string, more: object = {}) => ({ ...file, filename: name, patch, ...more });

  const changesOf = async (files: readonly object[], pull: object = {}) => {
    const answers = pullAnswers({ files, pull: { changed_files: files.length } });
    server = await scriptedGitHub(answers);
    const source = gitHubPullRequestSource(server.github, reference);
    const read = await source.read();
    await server.close();
    server = await scriptedGitHub(pullAnswers({ files, pull: { changed_files: files.length, ...pull } }));
    return await gitHubPullRequestSource(server.github, reference).changes(read);
  };

  it('gives paths, counts and parsed hunks', async () => {
    const changes = await changesOf([named('src/door.ts')]);
    expect(changes).toEqual({
      files: [
        {
          additions: 1,
          deletions: 1,
          generated: false,
          hunks: [
            {
              heading: 'function door()',
              lines: ['-shut', '+open'],
              newLines: 1,
              newStart: 1,
              oldLines: 1,
              oldStart: 1,
            },
          ],
          incomplete: null,
          kind: 'text',
          modeChange: null,
          oldPath: 'src/door.ts',
          path: 'src/door.ts',
          status: 'modified',
        },
      ],
      missing: [],
    });
  });

  it.each([
    ['added', 'added'],
    ['removed', 'deleted'],
    ['modified', 'modified'],
    ['copied', 'copied'],
    ['changed', 'type-changed'],
  ])('calls %s %s', async (status, expected) => {
    const changes = await changesOf([named('a.ts', { status })]);
    expect(changes.files[0]?.status).toBe(expected);
  });

  it('knows the old path of a rename, which needs no patch', async () => {
    const renamed = { ...file, filename: 'new.ts', previous_filename: 'old.ts', status: 'renamed' };
    const changes = await changesOf([{ ...renamed, additions: 0, deletions: 0, changes: 0 }]);
    expect(changes.files[0]).toMatchObject({ path: 'new.ts', oldPath: 'old.ts', status: 'renamed', incomplete: null });
  });

  it.each([
    ['a binary file', { additions: 0, deletions: 0, changes: 0, patch: undefined }, 'binary', /binary/],
    ['a file too large for a patch', { additions: 30_000, changes: 30_001, patch: undefined }, 'text', /too large/],
    ['a patch that was cut', { additions: 2, changes: 3 }, 'text', /fewer/],
  ])('says why the change of %s is incomplete', async (_name, more, kind, reason) => {
    const changes = await changesOf([named('a.bin', more)]);
    expect(changes.files[0]?.kind).toBe(kind);
    expect(changes.files[0]?.incomplete).toMatch(reason);
  });

  it('takes an empty file for what it is', async () => {
    const empty = { sha: 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391', status: 'added', patch: undefined };
    const changes = await changesOf([named('empty', { ...empty, additions: 0, deletions: 0, changes: 0 })]);
    expect(changes.files[0]).toMatchObject({ kind: 'text', incomplete: null, hunks: [] });
  });

  it('sees that a submodule moved', async () => {
    const bump = `@@ -1 +1 @@\n-Subproject commit ${'1'.repeat(40)}\n+Subproject commit ${'2'.repeat(40)}`;
    const changes = await changesOf([named('vendor/lib', { patch: bump })]);
    expect(changes.files[0]?.kind).toBe('submodule');
  });

  it('reads three pages, in order', async () => {
    const changes = await changesOf(Array.from({ length: 250 }, (_, index) => named(`file-${index}.ts`)));
    expect(changes.files.map(({ path }) => path)).toEqual(
      Array.from({ length: 250 }, (_, index) => `file-${index}.ts`),
    );
    expect(changes.missing).toEqual([]);
    expect(server?.log.filter((line) => line.endsWith('/files'))).toHaveLength(3);
  });

  it('says how many files GitHub does not list', async () => {
    const changes = await changesOf([named('a.ts')], { changed_files: 3412 });
    expect(changes.missing).toEqual(['GitHub lists 1 of 3412 changed files: the other 3411 could not be read.']);
    expect(server?.log.filter((line) => line.endsWith('/files'))).toHaveLength(30);
  });

  it('says that the head moved meanwhile', async () => {
    const moved = { ref: 'door', sha: 'f'.repeat(40), repo: { full_name: 'o/r' } };
    const changes = await changesOf([named('a.ts')], { head: moved });
    expect(changes.missing).toEqual([
      'The head moved to ffffffffffff meanwhile: the patches are those of the newer commit.',
    ]);
  });
});

it.each([
  ...Object.entries(discussionQueries),
  ['linked issues and checks', linkedQueries.all],
  ['linked issues', linkedQueries.issues],
  ['checks of the head', linkedQueries.checks],
  ['merged pull requests', mergedQuery],
  ['resolving of a thread', resolveThreadMutation],
  ['minimising of a comment', minimizeMutation],
  ['comments of a thread', threadCommentsQuery],
])("asks for the %s in the words of GitHub's schema", (_name, query) => {
  expect(validate(query)).toEqual([]);
});

it('would notice a field that GitHub does not have', () => {
  expect(validate(discussionQueries.threads.replace('isResolved', 'isSettled'))).toHaveLength(1);
});

describe('a pull request that may not be read', () => {
  let server: ScriptedGitHub | undefined;
  afterEach(() => server?.close());

  const readWith = async (script: Script) => {
    server = await scriptedGitHub(script);
    return await gitHubPullRequestSource(server.github, reference).read();
  };
  const permissions = { 'x-accepted-github-permissions': 'pull_requests=read; issues=read,contents=read' };
  const limit = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '4070908800' };

  it.each([
    [
      401,
      {},
      'Bad credentials',
      'GitHub does not accept the token for pull request #5 in o/r. Bad credentials. Check `github-token`: it is wrong or has expired.',
    ],
    [
      403,
      permissions,
      'Resource not accessible by integration',
      'The token may not read pull request #5 in o/r. Resource not accessible by integration. Grant `pull-requests: read` or `issues: read` and `contents: read`.',
    ],
    [
      403,
      limit,
      'API rate limit exceeded',
      "GitHub's rate limit was reached for pull request #5 in o/r. API rate limit exceeded. Run it again after 2099-01-01T00:00:00.000Z.",
    ],
    [
      404,
      {},
      'Not Found',
      'There is no pull request #5 in o/r, or the token may not see it. Not Found. Check the repository and the number, and grant `pull-requests: read`.',
    ],
    [
      451,
      {},
      'Blocked',
      'GitHub answered 451 for pull request #5 in o/r. Blocked. Run it again later; https://www.githubstatus.com shows whether GitHub has an outage.',
    ],
  ])('explains %i with headers %o', async (status, headers, message, expected) => {
    const reading = readWith(() => reply(status, { message }, headers));
    await expect(reading.catch(explain)).resolves.toBe(expected);
    await expect(reading).rejects.toMatchObject({ name: 'UserError', cause: { status } });
  });

  it('keeps the page that a proxy answers with out of the explanation', async () => {
    const page = { status: 451, headers: { 'content-type': 'text/html' }, body: '<html>Blocked by the proxy</html>' };
    await expect(readWith(() => page).catch(explain)).resolves.toMatch(/^GitHub answered 451 for .*\. HTTP 451\. Run/);
  });

  it('explains that the merge base needs the contents', async () => {
    const answers = pullAnswers({});
    const reading = readWith((asked, server) =>
      asked.path.includes('/compare/') ? reply(403, { message: 'Not accessible' }) : answers(asked, server),
    );
    await expect(reading).rejects.toMatchObject({ name: 'UserError', hint: 'Grant `contents: read`.' });
  });
});
