import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { explain, UserError } from '../../../src/core/errors.ts';
import { inEnglish } from '../../../src/core/messages/languages.ts';
import { cleanGitEnvironment, cloneRepository, createRepository, type GitFixture } from '../../fakes/git-fixture.ts';
import { temporaryFolder } from '../../fakes/memory-repository.ts';
import { lacks } from '../../fakes/platform.ts';
import { clone, lfsPointer, linkedTo, merging, review, staged, trap, write } from './fixtures.ts';

type Given = { readonly directory: string; readonly base?: string; readonly head?: string };

function openLocal({ directory, base = 'HEAD~1', head = 'HEAD' }: Given) {
  return review(directory, { subject: { kind: 'range', base, head } });
}

function branches() {
  const fixture = createRepository();
  const first = fixture.commit({ files: { 'src/a': 'a\n' }, message: 'First' });
  fixture.git('checkout', '--quiet', '-b', 'topic');
  const second = fixture.commit({ files: { 'src/b': 'b\n' }, message: 'Add b\n\nBecause.', author: 'Grace Hopper' });
  const third = fixture.commit({ files: { 'src/c': 'c\n' }, message: 'Add c', author: 'Alan Turing' });
  fixture.git('checkout', '--quiet', 'main');
  const main = fixture.commit({ files: { 'src/d': 'd\n' }, message: 'Add d' });
  fixture.git('checkout', '--quiet', 'topic');
  return { fixture, first, second, third, main };
}

describe('openLocalPullRequest', () => {
  it('shows one commit as a pull request', async () => {
    const { fixture, second, third } = branches();
    const { pullRequest, files, source } = await openLocal({ directory: fixture.directory });
    expect(pullRequest).toMatchObject({
      ...{ repository: null, serverUrl: null, number: null, state: 'open', draft: false, fromFork: false },
      ...{ title: 'Add c', body: '', author: 'Alan Turing', mergeBase: second },
      base: { ref: 'HEAD~1', sha: second },
      head: { ref: 'HEAD', sha: third },
      commits: [{ sha: third, message: 'Add c', author: 'Alan Turing' }],
    });
    expect(files.map((file) => file.path)).toEqual(['src/c']);
    expect(await source.currentHead()).toBeNull();
  });

  it('shows a branch since it left its base', async () => {
    const { fixture, first, main } = branches();
    const { pullRequest, files } = await openLocal({ directory: fixture.directory, base: 'main', head: 'topic' });
    expect(pullRequest).toMatchObject({ title: 'Add c (and 1 more commit)', body: '' });
    expect(pullRequest).toMatchObject({ base: { ref: 'main', sha: main }, mergeBase: first });
    expect(pullRequest.commits.map((commit) => commit.message)).toEqual(['Add b\n\nBecause.', 'Add c']);
    expect(files.map((file) => file.path)).toEqual(['src/b', 'src/c']);
  });

  it('works in a folder below, in a linked work tree, and in a bare repository', async () => {
    const { fixture } = branches();
    const bare = cloneRepository(fixture, '--bare');
    for (const directory of [join(fixture.directory, 'src'), linkedTo(fixture), bare.directory]) {
      expect((await openLocal({ directory })).files.map((file) => file.path)).toEqual(['src/c']);
    }
  });

  it('believes no bare repository that a commit brought along', async () => {
    const { fixture } = branches();
    const inside = join(fixture.directory, 'vendor', 'evil');
    const evil = createRepository();
    evil.commit({ files: { 'src/c': 'evil\n' }, message: 'Not ours' });
    evil.commit({ files: { 'src/evil': 'evil\n' }, message: 'Not ours either' });
    cpSync(join(evil.directory, '.git'), inside, { recursive: true });
    const address = '[remote "origin"]\n\turl = http://127.0.0.1:9/fetched\n\tpromisor = true\n';
    writeFileSync(join(inside, 'config'), `[core]\n\tbare = true\n${address}`);
    for (const directory of [inside, join(inside, 'refs')]) {
      const { pullRequest, files } = await openLocal({ directory });
      expect([pullRequest.title, files.map((file) => file.path)]).toEqual(['Add c', ['src/c']]);
    }
  });

  it('fetches the old files of a partial clone, and takes the new ones from it', async () => {
    const { fixture } = branches();
    const partial = cloneRepository(fixture, '--filter=blob:none');
    partial.commit({ files: { 'src/b': 'B\n' }, message: 'Never pushed' });
    const { files } = await openLocal({ directory: partial.directory });
    expect(files.map((file) => file.hunks[0]?.lines)).toEqual([['-b', '+B']]);
  });

  it('has no files when base is head', async () => {
    const { fixture } = branches();
    const { pullRequest, files } = await openLocal({ directory: fixture.directory, base: 'HEAD' });
    expect([pullRequest.title, pullRequest.commits, files]).toEqual(['Add c', [], []]);
  });
});

describe('what a person can fix', () => {
  const failureOf = async (options: Parameters<typeof openLocal>[0]) => {
    const failure: unknown = await openLocal(options).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(UserError);
    return explain(failure);
  };

  const shallow = (fixture: GitFixture, ...more: readonly string[]) =>
    cloneRepository(fixture, '--depth', '1', ...more);
  const unrelated = (fixture: GitFixture) => {
    fixture.git('checkout', '--quiet', '--orphan', 'other');
    fixture.commit({ message: 'Unrelated' });
    return fixture;
  };
  const first = () => {
    const fixture = createRepository();
    fixture.commit({ files: { a: 'a\n' } });
    return fixture;
  };

  it.each<[string, (fixture: GitFixture) => { readonly directory: string; readonly base?: string }, RegExp]>([
    ['no repository', () => ({ directory: temporaryFolder() }), /is not in a git repository\. Run it inside a clone/],
    ['nothing committed yet', createRepository, /There is no commit "HEAD" in this repository\./],
    [
      'a branch that is damaged',
      (fixture) => {
        writeFileSync(join(fixture.directory, '.git', fixture.git('symbolic-ref', 'HEAD')), '');
        return { directory: fixture.directory, base: 'nowhere' };
      },
      /^HEAD of this repository cannot be read\./,
    ],
    ['nothing before a first commit', first, /no commit "HEAD~1".*HEAD has 1 commit in its history/],
    ['a shallow clone without the base', shallow, /no commit "HEAD~1".*shallow: fetch more history/],
    [
      'a shallow clone that hides where the branches meet',
      (fixture) => ({ ...shallow(fixture, '--no-single-branch'), base: 'origin/main' }),
      /no common ancestor.*shallow: fetch more history/,
    ],
    ['unrelated histories', (fixture) => ({ ...unrelated(fixture), base: 'main' }), /no common ancestor.*unrelated/],
  ])('%s', async (_, make, words) => {
    const { directory, base = 'HEAD~1' } = make(branches().fixture);
    expect(await failureOf({ directory, base })).toMatch(words);
  });

  it.each([
    ['^main', 'There is no commit "^main" in this repository. Its parent is main^.'],
    ['main..topic', 'Two revisions belong to --range: --range main..topic.'],
  ])('%s is not one revision, as base and as head', async (revision, words) => {
    const { directory } = branches().fixture;
    expect(await failureOf({ directory, base: revision })).toContain(words);
    expect(await failureOf({ directory, head: revision })).toContain(words);
  });

  it.each(['--upload-pack=x', '', 'nope', 'HEAD:src', 'main^!', '-1'])('%j is no revision', async (base) => {
    const { fixture } = branches();
    mkdirSync(join(fixture.directory, 'nope'));
    expect(await failureOf({ directory: fixture.directory, base })).toContain('Name a commit, a branch, a tag');
  });
});

describe('what the snapshot cannot hold is named', () => {
  it('a folder of many files that no ignore file names', async () => {
    const fixture = clone();
    mkdirSync(join(fixture.directory, 'node_modules', 'x'), { recursive: true });
    for (let index = 0; index <= 1_000; index += 1)
      writeFileSync(join(fixture.directory, `node_modules/x/${index}`), '');
    write(fixture, 'new.ts', 'new\n');
    const { paths, missing } = await review(fixture.directory);
    const words = 'not tracked, 1,001 files. Ignore it, or stage what counts.';
    expect([paths, missing.map(inEnglish)]).toEqual([
      ['added new.ts'],
      [`Uncommitted changes of node_modules/ are not part of the review: ${words}`],
    ]);
  });

  it.skipIf(lacks.namesOfBytes)(
    'a file that cannot be read, and a name that is not text, without losing the others',
    async () => {
      const fixture = clone();
      for (const path of ['a.ts', 'b.ts', 'c.ts', 'd.ts']) write(fixture, path, 'changed\n');
      // A device stands for what may not be read: whoever runs the tests may be allowed to read all files.
      rmSync(join(fixture.directory, 'b.ts'));
      execFileSync('mkfifo', [join(fixture.directory, 'b.ts')]);
      writeFileSync(Buffer.concat([Buffer.from(`${fixture.directory}/`), Buffer.from([0xff])]), 'odd\n');
      const { paths, missing } = await review(fixture.directory);
      expect([paths, missing.map(inEnglish)]).toEqual([
        ['modified a.ts', 'modified c.ts', 'added d.ts'],
        [
          'Uncommitted changes of \ufffd are not part of the review: its name is not UTF-8.',
          'Uncommitted changes of b.ts are not part of the review: git cannot read it.',
        ],
      ]);
    },
  );

  it('a file that a filter encrypts: its text stays out of the review', async () => {
    const fixture = clone({ '.gitattributes': '*.key filter=git-crypt\n', 'a.key': 'ciphertext\n' });
    write(fixture, 'a.key', 'plain text\n');
    const { paths, missing, text } = await review(fixture.directory);
    expect([paths, missing.map(inEnglish), await text('a.key')]).toEqual([
      [],
      ['Uncommitted changes of a.key are not part of the review: the git filter git-crypt is not run.'],
      'ciphertext\n',
    ]);
  });

  it('a staged file in conflict', async () => {
    const { directory } = merging();
    const { paths, missing } = await review(directory, { subject: staged });
    expect([paths, missing.map(inEnglish)]).toEqual([
      ['added theirs.ts'],
      ['Uncommitted changes of a.ts are not part of the review: in conflict.'],
    ]);
  });
});

describe('a hostile repository', () => {
  it.skipIf(lacks.shellScripts)(
    'starts no filter, hook, file system monitor or helper of its configuration',
    async () => {
      const fixture = clone({ 'a.ts': 'a\n', '.gitattributes': '*.ts filter=trap diff=trap merge=trap text\n' });
      const marker = trap(fixture, 'pre-commit post-index-change reference-transaction fsmonitor-watchman');
      fixture.git('config', 'filter.trap.process', `sh -c "touch ${marker}; cat"`);
      fixture.git('config', 'commit.gpgSign', 'true');
      fixture.git('config', 'core.worktree', '/');
      // As long as before: git has to read it, through the filter, to see that it differs.
      write(fixture, 'a.ts', 'b\n');
      write(fixture, 'new.js', 'new\n');
      const { paths } = await review(fixture.directory);
      expect([paths, existsSync(marker)]).toEqual([['added new.js'], false]);
      // The trap is one: git itself steps into it.
      fixture.git('config', '--unset', 'core.worktree');
      execFileSync('git', ['add', '-A'], { cwd: fixture.directory, env: cleanGitEnvironment, stdio: 'ignore' });
      expect(existsSync(marker)).toBe(true);
    },
  );

  it('is believed about Git LFS no more than its pointers say', async () => {
    const pointer = lfsPointer(6);
    const fixture = clone({ '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n' });
    write(fixture, 'a.bin', 'large\n');
    write(fixture, 'never-followed.bin', pointer);
    const { git, paths } = await review(fixture.directory);
    expect(paths).toEqual(['added a.bin', 'added never-followed.bin']);
    expect(await git.repository.readFile('a.bin', 'head')).toMatchObject({ reason: 'lfs-pointer' });
    const files = (await git.repository.listFiles('head')).filter(({ path }) => path.endsWith('.bin'));
    expect(files.map(({ bytes }) => bytes)).toEqual([pointer.length, pointer.length]);
  });
});
