import { afterEach, describe, expect, it } from 'vitest';
import { gitHubPullRequestSource } from '../../../src/adapters/github/pull-request-source.ts';
import { pullAnswers } from './pull-answers.ts';
import { reference, type ScriptedGitHub, scriptedGitHub } from './scripted-github.ts';

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
    expect(changes).toMatchInlineSnapshot(`
      {
        "files": [
          {
            "additions": 1,
            "deletions": 1,
            "generated": false,
            "hunks": [
              {
                "heading": "function door()",
                "lines": [
                  "-shut",
                  "+open",
                ],
                "newLines": 1,
                "newStart": 1,
                "oldLines": 1,
                "oldStart": 1,
              },
            ],
            "incomplete": null,
            "kind": "text",
            "modeChange": null,
            "oldPath": "src/door.ts",
            "path": "src/door.ts",
            "status": "modified",
          },
        ],
        "missing": [],
      }
    `);
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
