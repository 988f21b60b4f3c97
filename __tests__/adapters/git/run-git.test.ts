import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openObjectStream } from '../../../src/adapters/git/object-stream.ts';
import { createGit, type Git } from '../../../src/adapters/git/run-git.ts';
import { UserError } from '../../../src/core/errors.ts';
import { cleanGitEnvironment, createRepository } from '../../fakes/git-fixture.ts';
import { temporaryFolder } from '../../fakes/temporary-folder.ts';

/** A Git whose program is this shell script. */
function scriptedGit(script: string, signal = new AbortController().signal) {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'git'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return createGit({ directory: folder, environment: { PATH: `${folder}:${process.env['PATH']}` }, signal });
}

const hanging = 'echo started; sleep 60';

describe('run', () => {
  it('stops a child that takes too long, even when its own children hold the pipes', async () => {
    const output = await scriptedGit(hanging).run(['grep'], { timeout: 300 });
    expect([output.stopped, output.stdout.toString()]).toEqual(['time', 'started\n']);
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
    const runs = Array.from({ length: 20 }, () => git.run(['log']));
    cancelling.abort(new Error('SIGTERM'));
    const ends = await Promise.allSettled([...runs, git.run(['log'])]);
    expect(new Set(ends.map((end) => (end.status === 'rejected' ? String(end.reason) : end.value)))).toEqual(
      new Set(['GitError: git log was cancelled']),
    );
  });

  it('says what git said when it fails', async () => {
    const failing = scriptedGit('echo "fatal: bad object" >&2; exit 128').run(['log']);
    await expect(failing).rejects.toMatchObject({ message: 'git log failed: fatal: bad object', exitCode: 128 });
  });

  it('says what to do when git is not installed', async () => {
    const environment = { PATH: temporaryFolder() };
    const git = createGit({ directory: temporaryFolder(), environment, signal: new AbortController().signal });
    const failure = await git.run(['log']).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(UserError);
    expect(failure).toMatchObject({ message: 'git could not be started.', cause: { code: 'ENOENT' } });
  });
});

describe('the long-lived git cat-file', () => {
  it('is replaced after it died', async () => {
    const fixture = createRepository();
    fixture.commit({ files: { a: 'text' } });
    const hash = fixture.git('rev-parse', 'HEAD:a');
    const children: { kill(): boolean }[] = [];
    const git = createGit({
      directory: fixture.directory,
      environment: cleanGitEnvironment,
      signal: new AbortController().signal,
    });
    const start: Git['start'] = (args) => {
      const child = git.start(args);
      children.push(child);
      return child;
    };
    const stream = openObjectStream({ ...git, start }, 'batch');
    expect(await stream.request(hash)).toMatchObject({ type: 'blob', bytes: 4 });
    children[0]?.kill();
    await expect(stream.request(hash)).rejects.toThrow('git cat-file stopped answering');
    expect((await stream.request(hash))?.content?.toString()).toBe('text');
    expect(await stream.request('0'.repeat(40))).toBeNull();
    await expect(stream.request('HEAD')).rejects.toThrow('"HEAD" is not a full hash');
    stream.close();
  });
});
