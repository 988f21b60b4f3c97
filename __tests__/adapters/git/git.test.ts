import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { createGit, type Git } from '../../../src/adapters/git/git.ts';
import { openObjectStream } from '../../../src/adapters/git/objects.ts';
import type { GitRepository } from '../../../src/adapters/git/open-repository.ts';
import { UserError } from '../../../src/core/errors.ts';
import {
  cleanGitEnvironment,
  cloneRepository,
  createRepository,
  type GitFixture,
  startGitHttpServer,
} from '../../fakes/git-fixture.ts';
import { temporaryFolder } from '../../fakes/memory-repository.ts';
import { lacks } from '../../fakes/platform.ts';
import { change, open, query, review, trap } from './fixtures.ts';

/** Everything that a review asks of git. */
async function useAll(git: GitRepository): Promise<void> {
  await git.changes();
  await git.markedPaths(['a.ts']);
  await git.repository.readFile('a.ts', 'head');
  await git.repository.listFiles('base');
  await git.search.search(query({ pattern: 'a' }));
  await git.search.search(query({ pattern: 'a+', regex: true }));
  await git.history.blame('a.ts', 1, 1);
  await git.history.log('a.ts', 5);
}

/** Gives the repository every kind of setting that makes git start a program, each leaving the marker behind. */
function boobyTrap(fixture: GitFixture): string {
  const marker = trap(fixture, 'post-checkout post-index-change reference-transaction pre-auto-gc post-rewrite');
  const flags = ['log.showSignature', 'grep.fallbackToNoIndex', 'diff.noprefix', 'diff.mnemonicPrefix'];
  for (const flag of flags) fixture.git('config', flag, 'true');
  fixture.git('config', 'diff.algorithm', 'patience');
  fixture.git('config', 'color.ui', 'always');
  fixture.git('config', 'diff.renames', 'false');
  return marker;
}

const attributes = '* diff=trap filter=trap merge=trap\n';

describe('git children', () => {
  it.skipIf(lacks.shellScripts)('start no program that the checkout configures', async () => {
    const { fixture, commits } = change({ 'a.ts': 'a\n', '.gitattributes': attributes }, { 'a.ts': 'b\n' });
    const marker = boobyTrap(fixture);
    const git = await open({ checkout: fixture.directory, commits });
    await useAll(git);
    expect((await git.changes()).files[0]?.hunks[0]?.lines).toEqual(['-a', '+b']);
    expect(existsSync(marker)).toBe(false);
  });

  it.skipIf(lacks.shellScripts)(
    'start none either when they fetch into a repository that borrows from it, or resolve revisions in it',
    async () => {
      const { fixture, commits } = change({ 'a.ts': 'a\n', '.gitattributes': attributes }, { 'a.ts': 'b\n' });
      const checkout = cloneRepository(fixture, '--depth', '1');
      const marker = boobyTrap(checkout);
      const remote = { url: fixture.url, authorization: null };
      await useAll(await open({ checkout: checkout.directory, commits, remote }));
      const localMarker = boobyTrap(fixture);
      const { git } = await review(fixture.directory, { subject: { kind: 'range', base: 'HEAD~1', head: 'main' } });
      await useAll(git);
      expect([existsSync(marker), existsSync(localMarker)]).toEqual([false, false]);
    },
  );

  it('do not believe replaced objects', async () => {
    const { fixture, commits } = change({ 'a.ts': 'a\n' }, { 'a.ts': 'evil\n', 'b.ts': 'harmless\n' });
    fixture.git('replace', fixture.git('rev-parse', 'HEAD:a.ts'), fixture.git('rev-parse', 'HEAD:b.ts'));
    expect(fixture.git('show', 'HEAD:a.ts')).toBe('harmless');
    const git = await open({ checkout: fixture.directory, commits });
    expect(await git.repository.readFile('a.ts', 'head')).toMatchObject({ text: 'evil\n' });
  });

  it.skipIf(lacks.shellScripts)('see no secret, and only the one that fetches sees the header', async () => {
    const { fixture, commits } = change({ 'a.ts': 'a\n' }, { 'a.ts': 'b\n' });
    const { path, log } = loggingGit();
    const authorization = 'basic aGVhZGVy';
    const server = await startGitHttpServer({ repositories: { spoon: fixture.directory }, authorization });
    const secrets = { OPENAI_API_KEY: 's3cret', GITHUB_TOKEN: 's3cret', INPUT_TOKEN: 's3cret', GIT_DIR: '/s3cret' };
    const environment = { PATH: path, ...secrets };
    const git = await open({ commits, remote: { url: `${server.url}/spoon`, authorization }, environment });
    await useAll(git);
    await git.close();
    await server.close();
    const calls = readFileSync(log, 'utf8').split('=== ').slice(1);
    expect(calls.length).toBeGreaterThan(8);
    expect(calls.filter((call) => call.includes('s3cret'))).toEqual([]);
    const withHeader = calls.filter((call) => call.includes(authorization));
    expect(withHeader.length).toBeGreaterThan(0);
    expect(withHeader.filter((call) => !/^\S.* fetch /.test(call))).toEqual([]);
    expect(calls.filter((call) => call.split('\n')[0]?.includes(authorization))).toEqual([]);
  });
});

/** A `git` that writes down its arguments and environment before it does its work. */
function loggingGit(): { readonly path: string; readonly log: string } {
  const folder = temporaryFolder();
  const log = join(folder, 'log');
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const script = `#!/bin/sh\n{ echo "=== $*"; env; } >> '${log}'\nexec '${real}' "$@"\n`;
  writeFileSync(join(folder, 'git'), script, { mode: 0o755 });
  return { path: `${folder}${delimiter}${process.env['PATH']}`, log };
}

it.skipIf(lacks.shellScripts)('the traps of this test work', () => {
  const fixture = createRepository();
  fixture.commit({ files: { 'a.ts': 'a\n', '.gitattributes': attributes } });
  fixture.commit({ files: { 'a.ts': 'b\n' } });
  const marker = boobyTrap(fixture);
  fixture.git('diff', 'HEAD~1', 'HEAD');
  expect(existsSync(marker)).toBe(true);
});

/** A Git whose program is this shell script. */
function scriptedGit(script: string, signal = new AbortController().signal, folder = temporaryFolder()) {
  writeFileSync(join(folder, 'git'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const environment = { PATH: `${folder}:${process.env['PATH']}`, EMPTY: '' };
  return createGit({ directory: folder, environment, signal });
}

const hanging = 'echo started; sleep 60';

describe.skipIf(lacks.shellScripts)('run', () => {
  it('stops a child that takes too long, even when its own children hold the pipes', async () => {
    const output = await scriptedGit(hanging).run(['grep'], { timeout: 300 });
    // On a busy machine it may be stopped before it has printed anything.
    expect([output.stopped, 'started\n'.startsWith(output.stdout.toString())]).toEqual(['time', true]);
  });

  it('stops a child that writes too much', async () => {
    const output = await scriptedGit('yes').run(['diff'], { maxBytes: 100_000 });
    expect(output.stopped).toBe('size');
    expect(output.stdout.length).toBeLessThan(1_000_000);
  });

  it('does not take a part for the whole where the caller set no limit', async () => {
    const git = scriptedGit('yes');
    await expect(git.run(['ls-tree'])).rejects.toThrow('git ls-tree took more than 256 MB, and was stopped');
  });

  it('stops all children when the run is cancelled', async () => {
    const cancelling = new AbortController();
    const git = scriptedGit(hanging, cancelling.signal);
    const runs = Array.from({ length: 10 }, () => [git.run(['log']), git.line(['log'])]);
    cancelling.abort(new Error('SIGTERM'));
    const ends = await Promise.allSettled([...runs.flat(), git.run(['log']), git.line(['log'])]);
    expect(new Set(ends.map((end) => (end.status === 'rejected' ? String(end.reason) : end.value)))).toEqual(
      new Set(['GitError: git log was cancelled']),
    );
  });
});

describe.skipIf(lacks.shellScripts).each(['run', 'line'] as const)('%s', (way) => {
  it('says what git said when it fails', async () => {
    const failing = scriptedGit('echo "fatal: bad object" >&2; exit 128')[way](['log']);
    await expect(failing).rejects.toMatchObject({ message: 'git log failed: fatal: bad object', exitCode: 128 });
  });

  it.each([
    ['git is not installed', { PATH: temporaryFolder() }, temporaryFolder()],
    ['the folder is gone', { PATH: process.env['PATH'] ?? '' }, join(temporaryFolder(), 'gone')],
  ])('says what to do when %s', async (_, environment, directory) => {
    const git = createGit({ directory, environment, signal: new AbortController().signal });
    const failure = await git[way](['log']).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(UserError);
    expect(failure).toMatchObject({ message: 'git could not be started.', cause: { code: 'ENOENT' } });
  });
});

describe.skipIf(lacks.shellScripts)('line', () => {
  it('gives git the arguments, folder and environment that run gives it, and nothing to the log', async () => {
    const folder = temporaryFolder();
    const odd = join(folder, 'a "b" c');
    mkdirSync(odd);
    const git = scriptedGit(`printf '<%s>' "$@"; pwd; env | sort; echo "$0" >&2; exit 1`, undefined, odd);
    const args = ['ls-tree', '', 'a b', '"c"', "'d'", 'e\\f', '$PATH', '*', '-z', 'ü'];
    const write = vi.spyOn(process.stdout, 'write');
    const seen = await git.line(args, { accept: [1] });
    expect([/<a b>/.test(seen), /EMPTY=\n/.test(seen), write.mock.calls]).toEqual([true, true, []]);
    write.mockRestore();
    expect(seen).toBe((await git.read(args, { accept: [1] })).toString().trim());
  });

  it('waits no longer than two minutes for a command that hangs', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const hung = scriptedGit('sleep 3').line(['rev-parse']);
    vi.advanceTimersByTime(120_000);
    vi.useRealTimers();
    await expect(hung).rejects.toThrow('git rev-parse took more than 120 seconds, and was stopped');
  });

  it('does not start git with an argument that holds a NUL', async () => {
    const failing = scriptedGit('true').line(['rev-parse', 'a\0b']);
    await expect(failing).rejects.toMatchObject({ cause: { message: 'an argument holds a NUL character' } });
  });
});

describe('the long-lived git cat-file', () => {
  /** `asRun` changes an argument on its way to git; `start` counts from 0. */
  function openStream(asRun = (arg: string, _start: number) => arg) {
    const fixture = createRepository();
    fixture.commit({ files: { a: 'text' } });
    const signal = new AbortController().signal;
    const git = createGit({ directory: fixture.directory, environment: cleanGitEnvironment, signal });
    const started: string[] = [];
    const start: Git['start'] = (args) => {
      const count = started.push(args.join(' '));
      return git.start(args.map((arg) => asRun(arg, count - 1)));
    };
    return { stream: openObjectStream({ ...git, start }), started, hash: fixture.git('rev-parse', 'HEAD:a') };
  }

  it('is replaced after it died', async () => {
    // What takes the question for a path ends with an error, as a broken repository makes it do.
    const dying: Record<string, string> = { 'cat-file': 'hash-object', '--batch-command': '--stdin-paths' };
    const { stream, hash } = openStream((arg, start) => (start === 0 ? (dying[arg] ?? arg) : arg));
    const broken = `git cat-file stopped answering: fatal: could not open 'info ${hash}'`;
    await expect(stream.request(hash, 'info')).rejects.toThrow(broken);
    expect((await stream.request(hash, 'contents'))?.content?.toString()).toBe('text');
    expect(await stream.request(hash, 'info')).toEqual({ type: 'blob', bytes: 4, content: null });
    expect(await stream.request('0'.repeat(40), 'info')).toBeNull();
    await expect(stream.request('HEAD', 'info')).rejects.toThrow('"HEAD" is not a full hash');
    stream.close();
  });

  it('is two of them before git 2.36, which does not know --batch-command', async () => {
    const { stream, started, hash } = openStream((arg) => arg.replace('--batch-command', '--unknown'));
    const answers = await Promise.all([stream.request(hash, 'info'), stream.request(hash, 'contents')]);
    expect(answers.map((answer) => answer?.content?.toString())).toEqual([undefined, 'text']);
    expect(started.map((args) => args.split('--')[1])).toEqual(['batch-command', 'batch-check', 'batch']);
    stream.close();
  });
});
