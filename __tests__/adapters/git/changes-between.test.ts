import { describe, expect, it } from 'vitest';
import type { ChangedFile } from '../../../src/core/pull-request/changed-file.ts';
import { cloneRepository, createRepository } from '../../fakes/git-fixture.ts';
import { startGitHttpServer } from '../../fakes/git-http-server.ts';
import { open } from './open-fixture.ts';

const gone = 'd'.repeat(40);
const text = (...lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');
const told = (files: readonly ChangedFile[] | null) =>
  files?.map(({ oldPath, path, status, hunks }) => [oldPath, path, status, hunks.flatMap((hunk) => hunk.lines)]);

/** A branch that was pushed twice, and rewritten in between: nothing but its hash leads to the first push. */
function rewritten() {
  const origin = createRepository();
  const base = origin.commit({ files: { 'a.ts': text('1', '2', '3', '4', '5', '6', '7', '8') } });
  const early = origin.commit({ files: { 'a.ts': text('1', '2', 'early', '4', '5', '6', '7', '8') } });
  const second = origin.commit({ files: { 'b.ts': text('second') } });
  origin.git('reset', '--quiet', '--hard', base);
  const moved = text('1', '2', 'late', '4', '5', '6', '7', '8');
  const head = origin.commit({ files: { 'a.ts': null, 'moved.ts': moved } });
  return { origin, base, early, second, head, commits: { base, mergeBase: base, head } };
}

describe('the diff between the commits of two pushes', () => {
  it('follows renames, from a commit that no branch leads to any more', async () => {
    const { origin, early, head, commits } = rewritten();
    const git = await open({ commits, remote: { url: origin.url, authorization: null } });
    expect(told(await git.changesBetween(early, head))).toEqual([
      ['a.ts', 'moved.ts', 'renamed', [' 1', ' 2', '-early', '+late', ' 4', ' 5', ' 6']],
    ]);
  });

  it('is the same through a shallow checkout, and leaves the pinned commits readable', async () => {
    const { origin, early, head, commits } = rewritten();
    const checkout = cloneRepository(origin, '--depth', '1');
    const git = await open({ commits, checkout: checkout.directory, remote: { url: origin.url, authorization: null } });
    expect(told(await git.changesBetween(early, head))).toHaveLength(1);
    expect(await git.repository.readFile('moved.ts', 'head')).toMatchObject({ text: expect.stringContaining('late') });
    expect((await git.changes()).files.map(({ path }) => path)).toEqual(['moved.ts']);
  });

  it('is empty between a commit and itself', async () => {
    const { origin, head, commits } = rewritten();
    const git = await open({ commits, checkout: origin.directory });
    expect(await git.changesBetween(head, head)).toEqual([]);
  });

  it('is answered for several commits at once', async () => {
    const { origin, early, second, base, head, commits } = rewritten();
    const git = await open({ commits, remote: { url: origin.url, authorization: null } });
    const from = [early, second, gone, base];
    const diffs = await Promise.all(from.map((commit) => git.changesBetween(commit, head)));
    expect(diffs.map((diff) => diff?.map(({ path }) => path) ?? null)).toEqual([
      ['moved.ts'],
      ['b.ts', 'moved.ts'],
      null,
      ['moved.ts'],
    ]);
  });

  it('costs one fetch, and none for what is here', async () => {
    const { origin, early, second, base, head, commits } = rewritten();
    const server = await startGitHttpServer({ repositories: { 'octo/spoon': origin.directory }, authorization: null });
    try {
      const remote = { url: `${server.url}/octo/spoon`, authorization: null };
      const git = await open({ commits, checkout: origin.directory, remote });
      await git.changesBetween(base, head);
      const fetches = () => server.requests.filter(({ path }) => path.includes('info/refs')).length;
      const before = fetches();
      const fresh = await open({ commits, remote });
      const opening = fetches();
      await fresh.changesBetween(early, second);
      await fresh.changesBetween(second, early);
      expect([before, fetches() - opening]).toEqual([0, 1]);
    } finally {
      await server.close();
    }
  });

  it.each([
    ['that the server does not have', gone],
    ['that is written as an option', '--upload-pack=touch /tmp/owned'],
    ['that is written as a branch', 'main'],
    ['of another kind of hash', 'd'.repeat(64)],
    ['that is empty', ''],
  ])('is not known for a commit %s', async (_, commit) => {
    const { origin, head, commits } = rewritten();
    const git = await open({ commits, remote: { url: origin.url, authorization: null } });
    expect([await git.changesBetween(commit, head), await git.changesBetween(head, commit)]).toEqual([null, null]);
  });

  it('is not known without a remote to fetch from', async () => {
    const { origin, early, head, commits } = rewritten();
    const checkout = cloneRepository(origin, '--single-branch');
    const git = await open({ commits, checkout: checkout.directory });
    expect(await git.changesBetween(early, head)).toBeNull();
  });
});
