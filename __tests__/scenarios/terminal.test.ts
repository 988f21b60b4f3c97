import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'fast-string-width';
import { describe, expect, it, onTestFinished } from 'vitest';
import { commandsIn } from '../adapters/actions/runner-commands.ts';
import { createRepository } from '../fakes/git-fixture.ts';
import { temporaryFolder, whenFile } from '../fakes/memory-repository.ts';
import { broken, submit } from '../fakes/model-server/script.ts';
import { lacks } from '../fakes/platform.ts';
import { surfaces } from '../fakes/surfaces/surfaces.ts';
import { builtFile, runCli } from './harness.ts';
import { laptopModel, totalWorld, wrongLineFinding } from './review.ts';

/** Two commits, the second of which leaves a debugger behind, with a comment of wide characters. */
function repository(head: Readonly<Record<string, string>> = {}): string {
  const fixture = createRepository();
  const before = 'export function total() {\n  return 0;\n}\n';
  fixture.commit({ files: { ...totalWorld.base, 'src/total.ts': before }, message: 'Start' });
  const after = before.replace(
    '  return',
    '  debugger;\n  eval(total); // 漢字の長いコメントがここにあります、とても長いので切られます\n  return',
  );
  fixture.commit({ files: { 'src/total.ts': after, ...head }, message: 'Look inside' });
  return fixture.directory;
}

type Terminal = {
  readonly columns: number;
  readonly cwd: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** When Ctrl-C is pressed. */
  readonly interruptedAt?: Promise<void>;
};

/** The built command line on a terminal, which script(1) opens. */
async function onTerminal(args: string, { columns, cwd, environment = {}, interruptedAt }: Terminal) {
  const command = `stty cols ${columns} rows 40; exec ${process.execPath} ${builtFile('dist/cli/index.js')} ${args}`;
  const env = { PATH: process.env['PATH'] ?? '', HOME: temporaryFolder(), SHELL: '/bin/sh', TERM: 'xterm-256color' };
  const child = spawn('script', ['-qec', command, '/dev/null'], { cwd, env: { ...env, ...environment } });
  onTestFinished(() => void child.kill());
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  void interruptedAt?.then(() => child.stdin.write('\u0003'));
  const [code] = await once(child, 'close');
  const written = Buffer.concat(chunks).toString('utf8').replaceAll('\r\n', '\n');
  // What the live line wrote is gone again; what stays comes after it.
  const [live = '', report = ''] = written.split('\u001B[?25h').map(stripVTControlCharacters);
  surfaces?.show(`postil ${args} on a terminal of ${columns} columns`, report);
  return { code, written, live, report };
}

const offline = 'review --base HEAD~1 --profile offline';

describe.skipIf(lacks.linux)('on a terminal', () => {
  it.each([40, 80, 120])(
    'of %i columns a review fits, with a code frame, colours and why the exit code is 1',
    async (columns) => {
      const args = `${offline} --fail-on warning`;
      const { code, report, written } = await onTerminal(args, { columns, cwd: repository() });
      expect([code, report.split('\n').filter((line) => stringWidth(line) > columns)]).toEqual([1, []]);
      expect(report).toMatch(/^\nwarning {2}A debugger statement is left\s+in\n {2}src\/total\.ts:2 · /);
      expect(report).toContain('\n  2 │   debugger;\n    │   ^^^^^^^^^\n');
      expect(report.replaceAll('\n', ' ')).toContain('Exit code 1: 2 findings at or above `fail-on: warning`.');
      expect(written).toContain('\u001B[33m^^^^^^^^^\u001B[39m');
    },
  );

  it('Ctrl-C ends with 130, after what was found so far', async () => {
    const progress = join(temporaryFolder(), 'progress.jsonl');
    const { env } = await laptopModel({
      batches: [{ when: ({ prompt }) => prompt.includes('beta = 333'), answers: () => broken('hang') }],
      answers: [submit([{ path: 'src/alpha.ts', quote: 'export const alpha = 222;', title: 'Alpha is too large' }])],
    });
    const texts = { 'src/alpha.ts': 'export const alpha = 222;\n', 'web/beta.ts': 'export const beta = 333;\n' };
    const only = "--files-per-batch 1 --include 'src/alpha.ts' --include 'web/**'";
    const { code, live, report } = await onTerminal(`review --base HEAD~1 ${only} --progress-file ${progress}`, {
      ...{ columns: 100, cwd: repository(texts), environment: env },
      interruptedAt: whenFile(progress, '"type":"batch-end"'),
    });
    expect(code).toBe(130);
    expect(report).toMatch(/Alpha is too large.*The run was cancelled\./s);
    expect(live).toMatch(/batches 1, 2 of 2 · .*tokens.*batch 2\/2 · iteration 1 of \d+ · .*1 finding/);
  });
});

it.each([
  ['no colours', {}, false],
  ['no colours with NO_COLOR', { NO_COLOR: '1' }, false],
  ['colours with FORCE_COLOR', { FORCE_COLOR: '1' }, true],
])('without a terminal there are %s, no live line, and lines as long as they are', async (_, env, colours) => {
  const run = await runCli({ args: offline.split(' '), cwd: repository(), env, start: 'bundle' });
  expect([run.stdout.includes('\u001B['), run.stderr.includes('⠋')]).toEqual([colours, false]);
  expect(run.stdout.split('\n').some((line) => line.length > 120)).toBe(true);
});

describe('--format', () => {
  it('prints a review and nothing else on stdout, and a report file the same once more', async () => {
    const cwd = temporaryFolder();
    const demo = new URL('../../demo/transcript.jsonl', import.meta.url).pathname;
    const print = async (...args: readonly string[]) => (await runCli({ args, cwd })).stdout;
    writeFileSync(join(cwd, 'report.json'), await print('replay', demo, '--format', 'json'));
    const starts = {
      text: 'warning  ',
      json: '{\n  "schema_version"',
      sarif: '{\n  "$schema"',
      markdown: '## Postil',
      github: '::warning file=',
      prompt: 'Fix these findings of a code review.',
      unix: 'index.js:',
    };
    for (const [format, start] of Object.entries(starts)) {
      const replayed = await print('replay', demo, '--format', format);
      expect([format, replayed.slice(0, start.length)]).toEqual([format, start]);
      expect(await print('report', 'report.json', '--format', format)).toBe(replayed);
    }
  });

  it.each([
    ['text', []],
    ['json', []],
    ['markdown', []],
    ['github', ['error']],
    ['prompt', []],
  ])('%s gives the runner of a job no command that a model wrote', async (format, commands) => {
    const hostile = 'Look:\n::add-mask::x\n##[add-mask]y';
    const finding = { ...wrongLineFinding, title: '##[error]z', review: hostile, severity: 'critical' } as const;
    const { env } = await laptopModel([submit([finding])]);
    const args = ['review', '--base', 'HEAD~1', '--format', format];
    const inJob = { ...env, GITHUB_ACTIONS: 'true' };
    const { stdout, stderr } = await runCli({ args, cwd: repository(totalWorld.head), env: inJob });
    expect([stdout.includes('add-mask'), commandsIn(`${stdout}\n${stderr}`)]).toEqual([true, commands]);
  });

  it('ends quietly where nobody reads on', async () => {
    const child = spawn(process.execPath, [builtFile('dist/cli/index.js'), '--help'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.destroy();
    const errors: Buffer[] = [];
    child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
    const [code] = await once(child, 'close');
    expect([code, Buffer.concat(errors).toString()]).toEqual([0, '']);
  });
});
