import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openLocalPullRequest } from '../../../src/adapters/git/local-pull-request.ts';
import type { GitRepository } from '../../../src/adapters/git/open-repository.ts';
import { explain, UserError } from '../../../src/core/errors.ts';
import { cloneRepository, createRepository } from '../../fakes/git-fixture.ts';
import { temporaryFolder } from '../../fakes/temporary-folder.ts';

const opened: GitRepository[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((git) => git.close()));
});

type Given = { readonly directory: string; readonly base?: string; readonly head?: string };

async function openLocal({ directory, base = 'HEAD~1', head = 'HEAD' }: Given) {
  const local = await openLocalPullRequest({
    ...{ directory, subject: { kind: 'range', base, head }, temporaryFolder: temporaryFolder() },
    ...{ environment: { PATH: process.env['PATH'] }, signal: new AbortController().signal },
  });
  opened.push(local.git);
  const pullRequest = await local.source.read();
  const { files } = await local.source.changes(pullRequest);
  return { pullRequest, files, git: local.git, source: local.source };
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
    const linked = join(temporaryFolder(), 'linked');
    fixture.git('worktree', 'add', '--quiet', '--detach', linked, 'topic');
    const bare = cloneRepository(fixture, '--bare');
    for (const directory of [join(fixture.directory, 'src'), linked, bare.directory]) {
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

describe('what a person can mend', () => {
  const failureOf = async (options: Parameters<typeof openLocal>[0]) => {
    const failure: unknown = await openLocal(options).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(UserError);
    return explain(failure);
  };

  it('no repository', async () => {
    const directory = temporaryFolder();
    expect(await failureOf({ directory })).toMatch(/is not in a git repository\. Run it inside a clone/);
  });

  it('nothing committed yet', async () => {
    const { directory } = createRepository();
    expect(await failureOf({ directory })).toContain('There is no commit "HEAD" in this repository.');
  });

  it('a first commit has nothing before it', async () => {
    const fixture = createRepository();
    fixture.commit({ files: { a: 'a\n' } });
    expect(await failureOf({ directory: fixture.directory })).toMatch(
      /no commit "HEAD~1".*HEAD has 1 commit in its history/,
    );
  });

  it('a shallow clone does not reach the base', async () => {
    const { fixture } = branches();
    const { directory } = cloneRepository(fixture, '--depth', '1');
    expect(await failureOf({ directory })).toMatch(/no commit "HEAD~1".*shallow: fetch more history/);
  });

  it('a shallow clone hides where the branches meet', async () => {
    const { fixture } = branches();
    const { directory } = cloneRepository(fixture, '--depth', '1', '--no-single-branch');
    expect(await failureOf({ directory, base: 'origin/main' })).toMatch(
      /no common ancestor.*shallow: fetch more history/,
    );
  });

  it('unrelated histories', async () => {
    const { fixture } = branches();
    fixture.git('checkout', '--quiet', '--orphan', 'other');
    fixture.commit({ message: 'Unrelated' });
    expect(await failureOf({ directory: fixture.directory, base: 'main' })).toMatch(/no common ancestor.*unrelated/);
  });

  it.each(['--upload-pack=x', '', 'nope', 'HEAD:src', 'main..topic', '-1'])('%j is no revision', async (base) => {
    const { fixture } = branches();
    mkdirSync(join(fixture.directory, 'nope'));
    expect(await failureOf({ directory: fixture.directory, base })).toContain('Name a commit, a branch, a tag');
  });
});
