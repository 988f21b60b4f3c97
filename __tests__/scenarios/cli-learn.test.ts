import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { markOf } from '../../src/core/memory/finding-mark.ts';
import { writeMark } from '../../src/core/memory/mark-text.ts';
import { startGitHub } from '../fakes/github-server/start-github.ts';
import { finding } from '../fakes/review-record.ts';
import { temporaryFolder } from '../fakes/temporary-folder.ts';
import { createWorld, type WorldOptions } from '../fakes/world/create-world.ts';
import { runCli } from './run-cli.ts';

const at = {
  identity: { name: 'Review', run: '1-1', settings: '' },
  commit: 'a'.repeat(40),
  mergeBase: '',
  redact: String,
};
const anchor = { kind: 'lines', side: 'RIGHT', startLine: 1, endLine: 1, quote: '' } as const;
const body = `Words.\n\n${writeMark(markOf(finding({ title: 'The total may be NaN', anchor }), at))}`;

function worldAnswered(by: string, words: string): WorldOptions {
  const comments = [
    { author: 'github-actions[bot]', body },
    { author: by, body: words, date: '2026-11-03T10:00:00Z' },
  ];
  const threads = [{ path: 'src/a.ts', line: 1, comments }];
  return {
    base: { 'README.md': 'x\n' },
    head: { 'src/a.ts': 'export {};\n' },
    pullRequest: { state: 'merged', threads },
    github: { viewer: 'grace', collaborators: { grace: 'write', eve: 'read' } },
  };
}

/** GitHub, and a clone of the repository whose origin is there. */
async function laptop(world: WorldOptions = worldAnswered('grace', "That's by design:\u202E no price, no total.")) {
  const github = await startGitHub(createWorld(world).github);
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
  const learn = (args: readonly string[] = [], more: Readonly<Record<string, string>> = {}) =>
    runCli({ args: ['learn', ...args], cwd, env: { ...env, ...more } });
  const apply = (patch: string) => execFileSync('git', ['apply', '-'], { cwd, input: patch });
  const memory = () => readFileSync(join(cwd, '.postil/memory.md'), 'utf8');
  return { cwd, env, learn, apply, memory, github };
}

describe('postil learn', () => {
  it('prints a patch that git applies, writes nothing itself, and has nothing to say the second time', async () => {
    const { cwd, learn, apply, memory, github } = await laptop();
    const first = await learn();
    expect([first.code, existsSync(join(cwd, '.postil'))]).toEqual([0, false]);
    expect(first.stderr).toContain('Proposed: 1 standing answer for .postil/memory.md. Nothing was written');
    apply(first.stdout);
    expect(memory()).toBe(
      `# Standing answers\n\n- \`src/a.ts\`: do not report "The total may be NaN" again. grace: "That's by design:\\u{202E} no price, no total." (2026-11-03, https://github.example/octo/spoon/pull/7#discussion_r1003)\n`,
    );
    const second = await learn();
    expect([second.code, second.stdout, second.stderr.includes('Nothing to learn.')]).toEqual([0, '', true]);
    expect(github.writes()).toEqual([]);
  });

  it('adds to the answers that are there, from any folder of the clone', async () => {
    const { cwd, learn, apply, memory } = await laptop();
    mkdirSync(join(cwd, '.postil'));
    mkdirSync(join(cwd, 'below'));
    writeFileSync(join(cwd, '.postil/memory.md'), '- We accept NaN in the demo.');
    const { stdout } = await learn(['--directory', 'below', '--pull-request', '7']);
    apply(stdout);
    expect(
      memory()
        .split('\n')
        .map((line) => line.slice(0, 30)),
    ).toEqual(['- We accept NaN in the demo.', '- `src/a.ts`: do not report "T', '']);
  });

  it.each([
    ['somebody who may not write', 'eve', 'False positive.'],
    ['who agreed', 'grace', 'Good catch, fixed.'],
  ])('learns nothing from %s', async (_, by, words) => {
    const { code, stdout, stderr } = await (await laptop(worldAnswered(by, words))).learn();
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toMatch(/^Read: 1 pull request of octo\/spoon, 1 review thread, 1 by .*\nNothing to learn\.\n$/);
  });

  it('says so when Postil posts as somebody else', async () => {
    const { learn } = await laptop();
    const { stderr } = await learn(['--author', 'my-app[bot]']);
    expect(stderr).toContain('No thread is of my-app[bot]: name who posts with --author.');
  });

  it.each<[string, Readonly<Record<string, string>>, readonly string[], string]>([
    ['a token', { GITHUB_TOKEN: '' }, [], 'Set GITHUB_TOKEN'],
    ['the right token', { GITHUB_TOKEN: 'wrong' }, [], 'GitHub does not accept the token'],
    [
      'a server that is the origin’s',
      { GITHUB_SERVER_URL: 'https://github.com' },
      [],
      'Name it: --repository owner/name.',
    ],
    ['a pull request that exists', {}, ['--pull-request', '99'], 'GitHub does not show pull request #99'],
    ['flags that it knows', {}, ['--model', 'x'], "'--model' means nothing to learn"],
  ])('needs %s, and says what to do without', async (_, env, args, words) => {
    const { learn } = await laptop();
    const { code, stdout, stderr } = await learn(args, env);
    expect([code, stdout, stderr.includes(words)]).toEqual([2, '', true]);
  });

  it('does not propose to add to what is no text', async () => {
    const { cwd, learn } = await laptop();
    mkdirSync(join(cwd, '.postil'));
    writeFileSync(join(cwd, '.postil/memory.md'), Buffer.from([0xff, 0xfe, 0x41]));
    const { code, stderr } = await learn();
    expect([code, stderr.includes('it is not text in UTF-8')]).toEqual([2, true]);
  });

  it('is in the help', async () => {
    const { stdout } = await runCli({ args: ['learn', '--help'], cwd: temporaryFolder() });
    expect(stdout).toMatch(/postil learn {2}[\s\S]*--since {2}[\s\S]*--author /);
  });
});
