import { execFileSync } from 'node:child_process';
import { linkSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRepository } from '../fakes/git-fixture.ts';
import { temporaryFolder } from '../fakes/memory-repository.ts';
import { lacks } from '../fakes/platform.ts';
import { builtFile } from './harness.ts';
import { totalWorld } from './review.ts';
import { runNode } from './runner/start.ts';

function repository(): string {
  const fixture = createRepository();
  fixture.commit({ files: totalWorld.base, message: 'Start' });
  fixture.commit({ files: totalWorld.head, message: 'Change it' });
  return fixture.directory;
}

const cwd = repository();

describe.skipIf(lacks.linux)('in bad conditions', () => {
  const offline = 'review --base HEAD~1 --profile offline';
  const hook = `--import=data:text/javascript,${encodeURIComponent('setTimeout(() => { throw new Error("a hook"); }, 20);')}`;
  const shell = (command: string, environment: Readonly<Record<string, string>> = {}, before = '') =>
    runNode({
      node: '/bin/sh',
      args: ['-c', `${before} exec ${process.execPath} ${builtFile('dist/cli/index.js')} ${command}`],
      directory: cwd,
      environment: { PATH: process.env['PATH'] ?? '', HOME: temporaryFolder(), ...environment },
      timeout: 100_000,
    });

  const folder = temporaryFolder();
  const [pipe, one, other] = [join(folder, 'pipe'), join(folder, 'a.json'), join(folder, 'b.sarif')];
  execFileSync('mkfifo', [pipe]);
  writeFileSync(one, '');
  linkSync(one, other);

  it.each<[string, string, Readonly<Record<string, string>>, string]>([
    ['a full disk behind stdout', `${offline} > /dev/full`, {}, 'What was to be printed could not be written. ENOSPC'],
    ['a full disk behind the help', 'help > /dev/full', {}, 'What was to be printed could not be written. ENOSPC'],
    ['no temporary folder', offline, { TMPDIR: '/nowhere' }, 'ENOENT: no such file or directory, mkdtemp'],
    ['an error of a hook', offline, { NODE_OPTIONS: hook }, 'a hook.'],
  ])('%s ends with 3 and one sentence, not with a page of the bundle', async (_, command, environment, words) => {
    const { code, stderr } = await shell(command, environment);
    const last = stderr.trimEnd().split('\n').at(-1) ?? '';
    expect([code, last.slice(0, words.length), last.length < 200, stderr.length < 1_000]).toEqual([
      3,
      words,
      true,
      true,
    ]);
  });

  it.each([
    ['a full disk behind stderr', '2> /dev/full', {}],
    ['a home where nothing can be made', '', { HOME: '/proc/nowhere' }],
  ])('%s loses nothing of what is printed', async (_, more, environment) => {
    const { code, stdout } = await shell(`${offline} ${more}`, environment);
    expect([code, /Rules only/.test(stdout)]).toEqual([0, true]);
  });

  it.each([
    ['a pipe that the shell opened', `${offline} --report-file /dev/fd/9 9>&1`, "'report-file' names /dev/fd/9"],
    ['a named pipe as a transcript', `replay ${pipe}`, `The transcript ${pipe} could not be read.`],
    ['a device as a transcript', 'replay /dev/zero', 'The transcript /dev/zero could not be read.'],
    ['two names of one file', `${offline} --report-file ${one} --sarif-file ${other}`, "'sarif-file' names"],
  ])('%s ends with 2 before anything is done', async (_, command, words) => {
    const { code, stderr } = await shell(command);
    expect([code, stderr.slice(0, words.length)]).toEqual([2, words]);
  });

  it('a report that cannot be written ends with 3, after the review was printed, and leaves nothing behind', async () => {
    const full = temporaryFolder();
    // Blocks of 512 bytes: the report is larger than one, and what the run itself keeps is not.
    const { code, stdout, stderr } = await shell(`${offline} --report-file ${full}/r.json`, {}, 'ulimit -f 1;');
    expect([code, /Rules only/.test(stdout), /^Not written: .*EFBIG/m.test(stderr)]).toEqual([3, true, true]);
    expect(readdirSync(full)).toEqual([]);
  });

  it.each(['help', 'rules', offline])('`%s` in a folder that is gone ends with 3 and one sentence', async (command) => {
    const gone = temporaryFolder();
    const script = `rmdir ${gone}; exec ${process.execPath} ${builtFile('dist/cli/index.js')} ${command}`;
    const { code, stderr } = await runNode({
      ...{ node: '/bin/sh', args: ['-c', script], directory: gone, timeout: 100_000 },
      environment: { PATH: process.env['PATH'] ?? '', HOME: temporaryFolder() },
    });
    expect([code, stderr]).toEqual([3, 'Postil cannot start: the current folder is gone.\n']);
  });
});
