import { lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect } from 'vitest';
import { openLocalPullRequest } from '../../../src/adapters/git/local-pull-request.ts';
import type { LocalSubject } from '../../../src/adapters/git/local-subject.ts';
import {
  type GitRepository,
  openRepository,
  type RepositoryOptions,
} from '../../../src/adapters/git/open-repository.ts';
import type { TextQuery } from '../../../src/core/repository/repository.ts';
import { cloneRepository, createRepository, type FixtureFile, type GitFixture } from '../../fakes/git-fixture.ts';
import { temporaryFolder } from '../../fakes/memory-repository.ts';
import { importCommits } from '../../fakes/world/git.ts';

const opened: GitRepository[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((repository) => repository.close()));
});

/** Opens what a test needs to say, with the defaults of a local checkout; it is closed when the test ends. */
export async function open(
  options: Pick<RepositoryOptions, 'commits'> & Partial<RepositoryOptions>,
): Promise<GitRepository> {
  const repository = await openRepository({
    checkout: null,
    remote: null,
    pullRequestNumber: null,
    temporaryFolder: temporaryFolder(),
    environment: { PATH: process.env['PATH'] },
    signal: new AbortController().signal,
    ...options,
  });
  opened.push(repository);
  return repository;
}

/** A search for a fixed string in all files, but for what a test says. */
export function query(part: Pick<TextQuery, 'pattern'> & Partial<TextQuery>): TextQuery {
  return { regex: false, path: '', filePattern: '', limit: 100, ...part };
}

export type Files = { readonly [path: string]: FixtureFile };

export type Change = {
  readonly fixture: GitFixture;
  readonly commits: { readonly base: string; readonly mergeBase: string; readonly head: string };
};

/** A repository with two commits: the files before, and what the second one does to them. */
export function change(before: Files, after: Files): Change {
  const fixture = createRepository();
  const base = fixture.commit({ files: before, message: 'Before' });
  const head = fixture.commit({ files: after, message: 'After' });
  return { fixture, commits: { base, mergeBase: base, head } };
}

/** Both commits, of a repository without a work tree: the same hashes, and one process. */
export async function openChange(before: Files, after: Files): Promise<GitRepository> {
  const { directory } = createRepository();
  const [base = '', head = ''] = importChange(directory, before, after);
  return open({ checkout: directory, commits: { base, mergeBase: base, head } });
}

/** Adds two commits that no branch has. Gives their hashes. */
export function importChange(directory: string, before: Files, after: Files): readonly string[] {
  return importCommits(directory, [
    { changes: [{ files: before }], message: 'Before', minute: 1 },
    { parent: 0, changes: [{ files: after }], message: 'After', minute: 2 },
  ]);
}

const changes = { kind: 'changes' } as const;
export const staged = { kind: 'staged' } as const;

type Given = {
  readonly subject?: LocalSubject;
  readonly home?: string;
  readonly temporary?: string;
  readonly index?: string;
};

/** What a review of uncommitted or local commits sees. */
export async function review(
  directory: string,
  { subject = changes, home = '/nonexistent', temporary, index }: Given = {},
) {
  const local = await openLocalPullRequest({
    ...{ directory, subject, temporaryFolder: temporary ?? temporaryFolder() },
    environment: { PATH: process.env['PATH'], HOME: home, GIT_INDEX_FILE: index },
    signal: new AbortController().signal,
  });
  opened.push(local.git);
  const pullRequest = await local.source.read();
  const { files, missing, nothing = '' } = await local.source.changes(pullRequest);
  return {
    ...{ git: local.git, source: local.source, pullRequest, files, missing },
    reviewing: (local.reviewing ?? nothing).replaceAll(/\([0-9a-f]{7}\)/g, '(1a2b3c4)'),
    paths: files.map(({ path, status }) => `${status} ${path}`),
    text: async (path: string) => {
      const file = await local.git.repository.readFile(path, 'head');
      return file.kind === 'text' ? file.text : file;
    },
  };
}

export function write(fixture: GitFixture, path: string, content: string | Uint8Array): GitFixture {
  mkdirSync(join(fixture.directory, path, '..'), { recursive: true });
  writeFileSync(join(fixture.directory, path), content);
  return fixture;
}

/** One commit with a few files. */
export function repository(
  files: Readonly<Record<string, string>> = { 'a.ts': 'a\n', 'b.ts': 'b\n', 'c.ts': 'c\n' },
): GitFixture {
  const fixture = createRepository();
  fixture.commit({ files, message: 'Start' });
  return fixture;
}

/** Every path below a folder with its size and times: nothing may change. */
export function stateOf(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).map((path) => {
    const { size, mtimeMs, ctimeMs } = lstatSync(join(directory, path));
    return [path, size, mtimeMs, ctimeMs].join(' ');
  });
}

/** A second work tree of a repository. */
export function linkedTo(fixture: GitFixture, revision = 'HEAD'): string {
  const linked = join(temporaryFolder(), 'linked');
  fixture.git('worktree', 'add', '--quiet', '--detach', linked, revision);
  return linked;
}

/** What Git LFS leaves in the place of a file of so many bytes. */
export function lfsPointer(bytes: number): string {
  return `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize ${bytes}\n`;
}

/** A clone with an upstream. */
export function clone(files?: Readonly<Record<string, string>>): GitFixture {
  return cloneRepository(repository(files));
}

/** A branch in the middle of merging main, with a conflict in a.ts. */
export function merging(): GitFixture {
  const fixture = repository();
  fixture.git('checkout', '--quiet', '-b', 'topic');
  fixture.commit({ files: { 'a.ts': 'mine\n', 'mine.ts': 'mine\n' } });
  fixture.git('checkout', '--quiet', 'main');
  fixture.commit({ files: { 'a.ts': 'theirs\n', 'theirs.ts': 'theirs\n' } });
  fixture.git('checkout', '--quiet', 'topic');
  expect(() => fixture.git('merge', '--quiet', 'main')).toThrow();
  return fixture;
}

/** Makes a repository start a program wherever git lets one be configured: as its hooks, and for `trap` of its attributes. Gives what they touch. */
export function trap(fixture: GitFixture, hooks: string): string {
  const folder = temporaryFolder();
  const marker = join(folder, 'ran');
  const script = join(folder, 'trap');
  const hooksPath = join(fixture.directory, '.git', 'hooks');
  mkdirSync(hooksPath, { recursive: true });
  for (const path of [script, ...hooks.split(' ').map((hook) => join(hooksPath, hook))]) {
    writeFileSync(path, `#!/bin/sh\ntouch '${marker}'\ncat "$1" 2>/dev/null\n`, { mode: 0o755 });
  }
  fixture.git('config', 'core.hooksPath', hooksPath);
  for (const key of programs.trim().split(/\s+/)) fixture.git('config', key, script);
  for (const key of ['alias.diff-tree', 'alias.ls-files']) fixture.git('config', key, `!${script}`);
  return marker;
}

const programs = `
  core.fsmonitor core.pager core.editor core.sshCommand core.askPass core.alternateRefsCommand credential.helper gpg.program
  diff.external diff.trap.textconv diff.trap.command merge.trap.driver uploadpack.packObjectsHook
  filter.trap.smudge filter.trap.clean
`;
