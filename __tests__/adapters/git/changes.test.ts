import { describe, expect, it } from 'vitest';
import type { ChangedFile } from '../../../src/core/pull-request/changed-file.ts';
import { cloneRepository, createRepository, type GitFixture, startGitHttpServer } from '../../fakes/git-fixture.ts';
import { change, type Files, open, openChange } from './fixtures.ts';

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
  const remote = { url: origin.url, authorization: null };
  return { origin, base, early, second, head, commits: { base, mergeBase: base, head }, remote };
}

describe('the diff between the commits of two pushes', () => {
  it.each([
    ['without a checkout', () => null],
    ['through a shallow checkout', (origin: GitFixture) => cloneRepository(origin, '--depth', '1').directory],
  ])('follows renames from a commit that no branch leads to, and keeps what is pinned, %s', async (_, checkoutOf) => {
    const { origin, early, head, commits, remote } = rewritten();
    const git = await open({ commits, checkout: checkoutOf(origin), remote });
    expect(told(await git.changesBetween(early, head))).toEqual([
      ['a.ts', 'moved.ts', 'renamed', [' 1', ' 2', '-early', '+late', ' 4', ' 5', ' 6']],
    ]);
    expect(await git.repository.readFile('moved.ts', 'head')).toMatchObject({ text: expect.stringContaining('late') });
    expect((await git.changes()).files.map(({ path }) => path)).toEqual(['moved.ts']);
  });

  it('takes no name for what git says of the next file', async () => {
    const [moved, added] = [':1 2 3 4 M', ':100644 R100'];
    const repository = createRepository();
    const base = repository.commit({ files: { 'a.ts': text('1', '2', '3', '4'), 'z.ts': 'z\n' } });
    const head = repository.commit({
      files: { 'a.ts': null, [moved]: text('1', '2', '3', '5'), [added]: 'new\n', 'z.ts': 'y\n' },
    });
    const git = await open({ commits: { base, mergeBase: base, head }, checkout: repository.directory });
    expect((await git.changes()).files).toMatchObject([
      { path: moved, status: 'renamed', additions: 1, deletions: 1 },
      { path: added, status: 'added', additions: 1, deletions: 0 },
      { path: 'z.ts', status: 'modified', additions: 1, deletions: 1 },
    ]);
  });

  it('names what git stores on both sides, under the old name where it was renamed', async () => {
    const repository = createRepository();
    const long = text('1', '2', '3', '4');
    const base = repository.commit({ files: { 'a.ts': long, 'gone.ts': 'gone\n', 'same.ts': 'same\n' } });
    const head = repository.commit({ files: { 'a.ts': null, 'b.ts': long, 'gone.ts': null, 'new.ts': 'new\n' } });
    const git = await open({ commits: { base, mergeBase: base, head }, checkout: repository.directory });
    const blob = (of: string) => repository.git('rev-parse', of).trim();
    const moved = { mode: '100644', blob: blob(`${head}:b.ts`) };
    expect((await git.changes()).files.map(({ path, sides }) => [path, sides])).toEqual([
      ['b.ts', { before: moved, after: moved }],
      ['gone.ts', { before: { mode: '100644', blob: blob(`${base}:gone.ts`) }, after: null }],
      ['new.ts', { before: null, after: { mode: '100644', blob: blob(`${head}:new.ts`) } }],
    ]);
    expect(await git.blobs(['same.ts', 'gone.ts', '../a.ts'], 'head')).toEqual([blob(`${head}:same.ts`), null, null]);
    expect(await git.blobs(['gone.ts'], 'base')).toEqual([blob(`${base}:gone.ts`)]);
  });

  it('is answered for several commits at once', async () => {
    const { early, second, base, head, commits, remote } = rewritten();
    const git = await open({ commits, remote });
    const from = [early, second, gone, base, head];
    const diffs = await Promise.all(from.map((commit) => git.changesBetween(commit, head)));
    const paths = diffs.map((diff) => diff?.map(({ path }) => path) ?? null);
    expect(paths).toEqual([['moved.ts'], ['b.ts', 'moved.ts'], null, ['moved.ts'], []]);
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
    const { head, commits, remote } = rewritten();
    const git = await open({ commits, remote });
    expect([await git.changesBetween(commit, head), await git.changesBetween(head, commit)]).toEqual([null, null]);
  });

  it('is not known without a remote to fetch from', async () => {
    const { origin, early, head, commits } = rewritten();
    const checkout = cloneRepository(origin, '--single-branch');
    const git = await open({ commits, checkout: checkout.directory });
    expect(await git.changesBetween(early, head)).toBeNull();
  });
});

describe('the changes of a pull request', () => {
  async function changed(before: Files, after: Files): Promise<readonly ChangedFile[]> {
    const git = await openChange(before, after);
    const { files, missing } = await git.changes();
    expect(missing).toEqual([]);
    expect(files.filter((file) => file.incomplete !== null)).toEqual([]);
    return files;
  }

  const allLines = (file: ChangedFile | undefined) => file?.hunks.flatMap((hunk) => hunk.lines);
  const text = Array.from({ length: 20 }, (_, index) => `line ${index}\n`).join('');
  const someCommit = '1234567890123456789012345678901234567890';

  it.each([
    ['a space', 'a b/c d.txt'],
    ['quotes and a backslash', 'a "b" \'c\' \\d'],
    ['a tab', 'a\tb'],
    ['a newline', 'a\nb'],
    ['UTF-8', 'grüße/日本語 🙂.txt'],
    ['what looks like a header', 'x b/y'],
    ['a leading dash', '-rf'],
    ['pathspec magic', ':(glob)*'],
  ])('names a path with %s', async (_, path) => {
    const [file, ...others] = await changed({ [path]: 'one\n' }, { [path]: 'two\n' });
    expect(others).toEqual([]);
    expect(file).toMatchObject({ path, oldPath: path, status: 'modified', additions: 1, deletions: 1 });
    expect(allLines(file)).toEqual(['-one', '+two']);
  });

  it('knows added, deleted, renamed and mode-changed files', async () => {
    const files = await changed(
      { gone: 'gone\n', 'old name': text, moved: `${text}${text}`, run: 'run\n' },
      {
        ...{ gone: null, new: 'new\n', 'old name': null, 'new name': text },
        ...{ moved: null, there: `${text}${text}more\n`, run: { executable: 'run\n' } },
      },
    );
    expect(files).toMatchObject([
      { additions: 0, deletions: 1, modeChange: null, oldPath: 'gone', path: 'gone', status: 'deleted' },
      { additions: 1, deletions: 0, modeChange: null, oldPath: 'new', path: 'new', status: 'added' },
      { additions: 0, deletions: 0, modeChange: null, oldPath: 'old name', path: 'new name', status: 'renamed' },
      { additions: 0, deletions: 0, modeChange: '100644 → 100755', oldPath: 'run', path: 'run', status: 'modified' },
      { additions: 1, deletions: 0, modeChange: null, oldPath: 'moved', path: 'there', status: 'renamed' },
    ]);
  });

  it('gives both halves of a type change, and does not mix up the files after it', async () => {
    const files = await changed({ a: 'one\ntwo\n', b: 'x\n' }, { a: { symlink: 'b' }, b: 'y\n' });
    expect(files.map((file) => [file.path, file.status, file.kind, file.modeChange, allLines(file)])).toEqual([
      ['a', 'type-changed', 'symlink', '100644 → 120000', ['-one', '-two', '+b', '\\ No newline at end of file']],
      ['b', 'modified', 'text', null, ['-x', '+y']],
    ]);
  });

  it('gives the lines of a file with a NUL byte that was a submodule before', async () => {
    const [file] = await changed({ a: { submodule: someCommit } }, { a: '// \0\nexecSync(cmd);\n' });
    expect([file?.status, allLines(file)]).toEqual(['type-changed', ['+// \0', '+execSync(cmd);']]);
  });

  it('shows a submodule bump that .gitmodules wants to hide', async () => {
    const gitmodules = '[submodule "lib"]\n\tpath = lib\n\turl = https://example.com/lib\n\tignore = all\n';
    const files = await changed(
      { '.gitmodules': gitmodules, lib: { submodule: someCommit } },
      { lib: { submodule: someCommit.replace('1', 'a') } },
    );
    expect(files).toMatchObject([{ path: 'lib', kind: 'submodule', additions: 1, deletions: 1 }]);
    expect(allLines(files[0])).toEqual([
      `-Subproject commit ${someCommit}`,
      `+Subproject commit ${someCommit.replace('1', 'a')}`,
    ]);
  });

  it('shows the lines of files that .gitattributes calls binary', async () => {
    const [, file] = await changed(
      { 'a.ts': 'one\n' },
      { 'a.ts': 'two\n', '.gitattributes': '*.ts -diff\n* binary\n' },
    );
    expect(allLines(file)).toEqual(['-one', '+two']);
  });

  it('knows binary files', async () => {
    const files = await changed({ 'a.png': Buffer.from([1, 0, 2]) }, { 'a.png': Buffer.from([1, 0, 3]) });
    expect(files).toMatchObject([{ path: 'a.png', kind: 'binary', additions: 0, deletions: 0, hunks: [] }]);
  });

  it('blames the author of head only for what head changed since the merge base', async () => {
    const fixture = createRepository();
    const mergeBase = fixture.commit({ files: { a: 'a\n', b: 'b\n' } });
    fixture.git('checkout', '--quiet', '-b', 'topic');
    const head = fixture.commit({ files: { a: 'A\n' } });
    fixture.git('checkout', '--quiet', 'main');
    const base = fixture.commit({ files: { b: 'B\n' } });
    const git = await open({ checkout: fixture.directory, commits: { base, mergeBase, head } });
    expect((await git.changes()).files.map((file) => file.path)).toEqual(['a']);
  });

  it('believes linguist-generated of the base only', async () => {
    const { fixture, commits } = change(
      { '.gitattributes': 'gen/** linguist-generated\n', 'gen/a b': '1\n', 'src/c': '1\n' },
      { '.gitattributes': '* linguist-generated\n', 'gen/a b': '2\n', 'src/c': '2\n' },
    );
    const git = await open({ checkout: fixture.directory, commits });
    const { files } = await git.changes();
    expect(files.filter((file) => file.generated).map((file) => file.path)).toEqual(['gen/a b']);
    expect((await git.markedPaths(['gen/new', 'src/c'])).generated).toEqual(new Set(['gen/new']));
  });
});
