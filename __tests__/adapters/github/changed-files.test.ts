import { describe, expect, it } from 'vitest';
import { gitHubPullRequestSource } from '../../../src/adapters/github/pull-request.ts';
import { inEnglish } from '../../../src/core/messages/languages.ts';
import { page } from '../../fakes/github-server/route.ts';
import { pullRequest } from '../../fakes/review-record.ts';
import { reference, reply, scriptedGitHub } from './scripted-github.ts';

describe('changes by the files API', () => {
  const file = { sha: 'd'.repeat(40), status: 'modified', additions: 1, deletions: 1, changes: 2 };
  const patch = '@@ -1 +1 @@ function door()\n-shut\n+open';
  const named = (name: string, more: object = {}) => ({ ...file, filename: name, patch, ...more });

  const changesOf = async (files: readonly object[], pull: object = {}) => {
    const known = { number: 5, base: { sha: 'b' }, head: pullRequest.head, changed_files: files.length, ...pull };
    const { github, log } = await scriptedGitHub((asked) =>
      asked.path.endsWith('/files') ? page(asked, files) : reply(200, known),
    );
    const changes = await gitHubPullRequestSource(github, reference).changes(pullRequest);
    return { ...changes, lists: log.filter((line) => line.endsWith('/files')).length };
  };

  it('gives paths, counts and parsed hunks', async () => {
    const changes = await changesOf([named('src/door.ts')]);
    const hunk = { heading: 'function door()', oldStart: 1, oldLines: 1, newStart: 1, newLines: 1 };
    expect(changes.files).toEqual([
      {
        additions: 1,
        deletions: 1,
        generated: false,
        hunks: [{ ...hunk, lines: ['-shut', '+open'] }],
        incomplete: null,
        kind: 'text',
        modeChange: null,
        oldPath: 'src/door.ts',
        path: 'src/door.ts',
        status: 'modified',
      },
    ]);
    expect(changes.missing).toEqual([]);
  });

  const none = { additions: 0, deletions: 0, changes: 0, patch: undefined };
  const renamed = { ...none, previous_filename: 'old.ts', status: 'renamed' };
  const empty = { ...none, sha: 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391', status: 'added' };
  const bump = `@@ -1 +1 @@\n-Subproject commit ${'1'.repeat(40)}\n+Subproject commit ${'2'.repeat(40)}`;
  const whole = { kind: 'text', incomplete: null };

  it.each<[string, object, object]>([
    ['an added file', { status: 'added' }, { status: 'added', ...whole }],
    ['a removed file', { status: 'removed' }, { status: 'deleted', ...whole }],
    ['a copied file', { status: 'copied' }, { status: 'copied', ...whole }],
    ['a file of another type', { status: 'changed' }, { status: 'type-changed', ...whole }],
    ['a rename, which needs no patch', renamed, { oldPath: 'old.ts', path: 'a.ts', status: 'renamed', ...whole }],
    ['an empty file', empty, { status: 'added', hunks: [], ...whole }],
    ['a submodule that moved', { patch: bump }, { kind: 'submodule', incomplete: null }],
    ['a binary file', none, { kind: 'binary', incomplete: { code: 'diff.no-lines' } }],
    [
      'a file too large for a patch',
      { additions: 30_000, changes: 30_001, patch: undefined },
      { kind: 'text', incomplete: { code: 'diff.no-patch' } },
    ],
    [
      'a patch that was cut',
      { additions: 2, changes: 3 },
      { kind: 'text', incomplete: { code: 'diff.fewer-patch-lines' } },
    ],
  ])('takes %s for what it is', async (_name, more, expected) => {
    expect((await changesOf([named('a.ts', more)])).files[0]).toMatchObject(expected);
  });

  it('reads three pages, in order', async () => {
    const paths = Array.from({ length: 250 }, (_, index) => `file-${index}.ts`);
    const changes = await changesOf(paths.map((path) => named(path)));
    expect(changes.files.map(({ path }) => path)).toEqual(paths);
    expect([changes.missing, changes.lists]).toEqual([[], 3]);
  });

  it('says how many files GitHub does not list', async () => {
    const changes = await changesOf([named('a.ts')], { changed_files: 3412 });
    expect(changes.missing.map(inEnglish)).toEqual([
      'GitHub lists 1 of 3,412 changed files: the other 3,411 could not be read.',
    ]);
    expect(changes.lists).toBe(1);
  });

  const many = Array.from({ length: 121 }, (_, index) => named(`file-${index}.ts`));
  const again = [...many.slice(0, 100), ...many.slice(0, 21)];
  const uncounted = ['GitHub does not say how many files changed, so its list may lack some.'];
  it.each<[string, readonly object[], object, number, readonly string[]]>([
    ['is null', many, { changed_files: null }, 121, uncounted],
    ['is missing', many, { changed_files: undefined }, 121, uncounted],
    ['is null, and the list empty', [], { changed_files: null }, 0, uncounted],
    [
      'is larger than the paths, of which the second page repeats some',
      again,
      {},
      100,
      ['GitHub lists 100 of 121 changed files: the other 21 could not be read.'],
    ],
  ])('believes no list that the count does not confirm: it %s', async (_name, listed, pull, files, missing) => {
    const changes = await changesOf(listed, pull);
    expect([changes.files.length, changes.missing.map(inEnglish)]).toEqual([files, missing]);
  });

  it('says that the head moved meanwhile', async () => {
    const changes = await changesOf([named('a.ts')], { head: { sha: 'f'.repeat(40) } });
    expect(changes.missing.map(inEnglish)).toEqual([
      'The head moved to ffffffffffff meanwhile: the patches are those of the newer commit.',
    ]);
  });
});
