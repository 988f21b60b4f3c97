import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { writeMark } from '../../src/core/history/mark.ts';
import { createRepository } from '../fakes/git-fixture.ts';
import { startGitHub } from '../fakes/github-server/start-github.ts';
import { startLoopback } from '../fakes/loopback.ts';
import { temporaryFolder } from '../fakes/memory-repository.ts';
import { call, submit } from '../fakes/model-server/script.ts';
import { lacks } from '../fakes/platform.ts';
import { finding, marked } from '../fakes/review-record.ts';
import { createWorld } from '../fakes/world/create-world.ts';
import { runCli } from './harness.ts';
import { laptopModel } from './review.ts';

const before = 'export function total() {\n  return 0;\n}\n';
const after = 'export function total() {\n  debugger;\n  return 0;\n}\n';

const needle = {
  path: 'src/new.ts',
  quote: 'export const needle = 1;',
  title: 'Nobody reads the needle',
  review: 'Nothing imports it.',
  severity: 'warning',
} as const;

/** main with two commits, the second of which leaves a debugger behind. */
function history() {
  const fixture = createRepository();
  fixture.commit({ files: { 'src/total.ts': before } });
  fixture.commit({ files: { 'src/total.ts': after } });
  return fixture;
}

describe('the command line reviews without --base', () => {
  it('what is about to be pushed, what is staged, one commit or a range, and leaves the work tree alone', async () => {
    const fixture = history();
    fixture.git('branch', 'topic');
    fixture.git('checkout', '--quiet', 'topic');
    fixture.git('branch', '--force', 'main', 'HEAD~1');
    writeFileSync(join(fixture.directory, 'src', 'staged.ts'), 'debugger;\n');
    fixture.git('add', '--all');
    writeFileSync(join(fixture.directory, 'src', 'untracked.ts'), 'debugger;\n');
    const status = () => fixture.git('status', '--porcelain', '--untracked-files=all');
    const before = status();
    const found: Record<string, readonly string[]> = {};
    for (const args of [[], ['--staged'], ['--commit', 'HEAD'], ['--range', 'HEAD~1..HEAD']]) {
      const { stdout } = await runCli({ args: ['review', ...args], cwd: fixture.directory });
      found[args.join(' ')] = [...stdout.matchAll(/^ {2}(src\/\w+\.ts:\d+)/gm)].map(([, place = '']) => place).sort();
    }
    expect(found).toEqual({
      '': ['src/staged.ts:1', 'src/total.ts:2', 'src/untracked.ts:1'],
      '--staged': ['src/staged.ts:1'],
      '--commit HEAD': ['src/total.ts:2'],
      '--range HEAD~1..HEAD': ['src/total.ts:2'],
    });
    expect(status()).toBe(before);
  });

  it('with a model, whose tools read what is not committed', async () => {
    const { model, env } = await laptopModel((request, turn) => {
      if (turn === 0) return call('read_file', { path: 'src/new.ts' });
      return submit(request.lastResult('read_file').includes('needle') ? [needle] : []);
    });
    const fixture = history();
    writeFileSync(join(fixture.directory, 'src', 'new.ts'), 'export const needle = 1;\n');
    const args = ['review', '--profile', 'quick', '--fail-on', 'warning'];
    const run = await runCli({ args, cwd: fixture.directory, env });
    expect([run.code, model.complaints, run.stdout]).toEqual([1, [], expect.stringContaining('src/new.ts:1')]);
  });

  it.each([
    ['the work tree is clean', 'No uncommitted changes, and no commits that main lacks.', ''],
    ['nothing is staged', 'Nothing is staged.', '--staged'],
    [
      'both ends are one',
      `HEAD has no commits that main lacks. Uncommitted changes are not part of it.`,
      '--base=main',
    ],
    ['a commit changes no file', 'No file is changed.', '--commit=HEAD'],
  ])('nothing where %s, and says so in one line', async (_, why, flag) => {
    const fixture = history();
    fixture.git('commit', '--quiet', '--allow-empty', '--message', 'Empty');
    const run = await runCli({ args: ['review', flag].filter(Boolean), cwd: fixture.directory });
    const started = flag.startsWith('--commit') ? [expect.stringMatching(/^Reviewing commit/), expect.any(String)] : [];
    expect([run.code, linesOf(run.stdout), linesOf(run.stderr)]).toEqual([
      0,
      [`Nothing to review: ${why}`, 'No model calls · 1 s'],
      [...started, `Nothing to review: ${why} 1 s.`],
    ]);
  });

  it('nothing in a repository without a commit, and does not call it by a name of its own', async () => {
    const { stderr } = await runCli({ args: ['review'], cwd: createRepository().directory });
    expect(linesOf(stderr)).toEqual(['Nothing to review: No uncommitted changes. 1 s.']);
  });
});

/** Lines, whatever the time was. */
function linesOf(text: string): readonly string[] {
  return text
    .trimEnd()
    .replaceAll(/\b[\d.]+ m?s\b/g, '1 s')
    .split('\n');
}

const anchor = { kind: 'lines', side: 'RIGHT', startLine: 1, endLine: 1, quote: '' } as const;
const body = `Words.\n\n${writeMark(marked(finding({ title: 'The total may be NaN', anchor })))}`;

/** GitHub, and a clone of the repository whose origin is there. */
async function laptop(reply = 'By design: \u202Eno price, no total.') {
  const answer = { author: 'grace', body: reply, date: '2026-11-03T10:00:00Z' };
  const threads = [{ path: 'src/a.ts', line: 1, comments: [{ author: 'github-actions[bot]', body }, answer] }];
  const world = createWorld({
    base: { 'README.md': 'x\n' },
    head: { 'src/a.ts': 'export {};\n' },
    pullRequest: { state: 'merged', threads },
    github: { viewer: 'grace', collaborators: { grace: 'write' } },
  });
  const github = await startGitHub(world.github);
  onTestFinished(() => github.close());
  const cwd = temporaryFolder();
  execFileSync('git', ['init', '--quiet'], { cwd });
  execFileSync('git', ['remote', 'add', 'origin', `${github.serverUrl}/octo/spoon.git`], { cwd });
  const env = {
    GITHUB_TOKEN: github.world.token,
    GITHUB_API_URL: github.apiUrl,
    GITHUB_GRAPHQL_URL: github.graphqlUrl,
    GITHUB_SERVER_URL: github.serverUrl,
  };
  const learn = (args: readonly string[] = [], more: Readonly<Record<string, string>> = {}, start?: 'bundle') =>
    runCli({ args: ['learn', ...args], cwd, env: { ...env, ...more }, ...(start && { start }) });
  const apply = (patch: string) => execFileSync('git', ['apply', '-'], { cwd, input: patch });
  const memory = () => readFileSync(join(cwd, '.postil/memory.md'), 'utf8');
  return { cwd, learn, apply, memory, github };
}

describe('postil learn', () => {
  it('prints a patch that git applies, writes nothing itself, and has nothing to say the second time', async () => {
    const { cwd, learn, apply, memory, github } = await laptop();
    const first = await learn([], {}, 'bundle');
    expect([first.code, existsSync(join(cwd, '.postil'))]).toEqual([0, false]);
    apply(first.stdout);
    expect(memory()).toBe(
      `# Standing answers\n\n- \`src/a.ts\`: do not report \`The total may be NaN\` again. grace: \`By design: \\u{202E}no price, no total.\` (2026-11-03, https://github.example/octo/spoon/pull/7#discussion_r1003)\n`,
    );
    const second = await learn();
    expect([second.code, second.stdout, second.stderr.includes('Nothing to learn.')]).toEqual([0, '', true]);
    expect(github.writes()).toEqual([]);
  });

  it('needs a token and a repository that exists, and says what to do without', async () => {
    const { learn } = await laptop();
    const ends = [
      await learn([], { GITHUB_TOKEN: '' }),
      await learn([], { GITHUB_TOKEN: 'wrong' }),
      await learn([], { GITHUB_SERVER_URL: 'https://github.com' }),
      await learn(['--repository', 'octo/fork']),
    ];
    const words = ['Set GITHUB_TOKEN', 'token', 'There is no token for 127.0.0.1.', 'pull requests of octo/fork'];
    expect(ends.map(({ code, stdout, stderr }, index) => [code, stdout, stderr.includes(words[index] ?? '')])).toEqual(
      words.map(() => [2, '', true]),
    );
  });

  it('prints no token that a comment or an error of the server repeats, however it is written', async () => {
    const { token } = (await laptop()).github.world;
    const { learn } = await laptop(`By design: ${Buffer.from(token).toString('base64')}`);
    expect((await learn()).stdout).toContain('`By design: [redacted: secret]');
    const server = await startLoopback(async ({ headers }) => {
      const message = `No: ${headers.authorization}, ${encodeURIComponent(token)}`;
      return {
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ errors: [{ message }] }),
      };
    });
    onTestFinished(() => server.close());
    const { code, stdout, stderr } = await learn([], { GITHUB_API_URL: server.url, GITHUB_GRAPHQL_URL: server.url });
    expect([code, stdout, stderr.includes(token)]).toEqual([2, '', false]);
    expect(stderr).toContain(
      'GitHub does not show pull requests of octo/spoon: No: token [redacted: secret], [redacted',
    );
  });

  it('does not propose to add to what is no text', async () => {
    const { cwd, learn } = await laptop();
    mkdirSync(join(cwd, '.postil'));
    writeFileSync(join(cwd, '.postil/memory.md'), Buffer.from([0xff, 0xfe, 0x41]));
    const { code, stderr } = await learn();
    expect([code, stderr.includes('not text in UTF-8')]).toEqual([2, true]);
  });

  it.skipIf(lacks.symbolicLinks)('reads no file behind a link out of the repository', async () => {
    const { cwd, learn } = await laptop();
    const outside = temporaryFolder();
    writeFileSync(join(outside, 'memory.md'), 'Secret.\n');
    symlinkSync(outside, join(cwd, '.postil'));
    const { code, stdout, stderr } = await learn();
    expect([code, stdout, stderr.includes('it is no file, or behind a link')]).toEqual([2, '', true]);
  });
});
