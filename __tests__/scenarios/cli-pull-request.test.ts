import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { apiOf } from '../../src/run/pull-request-here.ts';
import { startGitHub } from '../fakes/github-server/start-github.ts';
import { allPermissions } from '../fakes/github-server/world.ts';
import { temporaryFolder } from '../fakes/memory-repository.ts';
import { call } from '../fakes/model-server/script.ts';
import { createWorld, type WorldOptions } from '../fakes/world/create-world.ts';
import { runCli } from './harness.ts';
import { laptopModel, reader, totalWorld, wrongLineNumber } from './review.ts';

/** GitHub with a pull request, a clone of its repository, and what a person has set. */
async function laptop(options: Partial<WorldOptions> = {}) {
  const world = createWorld({ ...totalWorld, ...options });
  const github = await startGitHub(world.github);
  onTestFinished(() => github.close());
  const clone = temporaryFolder();
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: clone, encoding: 'utf8' });
  git('clone', '--quiet', world.remote.url, '.');
  git('remote', 'set-url', 'origin', `${github.serverUrl}/octo/spoon.git`);
  const { model, env: ofModel } = await laptopModel(reader);
  const env = {
    ...ofModel,
    GITHUB_TOKEN: github.world.token,
    GITHUB_API_URL: github.apiUrl,
    GITHUB_GRAPHQL_URL: github.graphqlUrl,
    GITHUB_SERVER_URL: github.serverUrl,
  };
  const review = (args: string, { cwd = clone, ...more }: { cwd?: string } & Readonly<Record<string, string>> = {}) =>
    runCli({ args: ['review', ...args.split(' ')], cwd, env: { ...env, ...more } });
  return { world, github, model, clone, git, env, review };
}

it.each<[string, Partial<WorldOptions>]>([
  ['open', {}],
  ['of a fork', { fork: true }],
  ['that is a draft', { pullRequest: { draft: true } }],
  ['that is merged', { pullRequest: { state: 'merged' } }],
])(
  'review --pull-request 7 reviews a pull request %s from a clone, and changes neither GitHub nor the clone',
  async (_, options) => {
    const { world, github, model, git, review } = await laptop(options);
    const before = git('show-ref');
    const { code, stdout, stderr } = await review('--pull-request 7');
    expect([code, stdout.includes(`src/total.ts:${wrongLineNumber}`), model.complaints]).toEqual([0, true, []]);
    expect(stderr).toContain(`Reviewing octo/spoon#7 at ${world.commits.head.slice(0, 7)}. Nothing is posted`);
    expect([github.writes(), git('show-ref'), git('status', '--short')]).toEqual([[], before, '']);
    expect(`${stdout}${stderr}`).not.toContain(github.world.token);
  },
);

it('an address names a pull request wherever the command is started, and what is printed is for other programs, too', async () => {
  const { github, review } = await laptop();
  const cwd = temporaryFolder();
  const { code, stdout } = await review(`--pull-request ${github.serverUrl}/octo/spoon/pull/7/files#r1 --format unix`, {
    cwd,
  });
  expect([code, stdout.split(': ').slice(0, 2), readdirSync(cwd)]).toEqual([
    0,
    [`src/total.ts:${wrongLineNumber}:3`, 'critical'],
    [],
  ]);
});

it('ask answers about one, too', async () => {
  const { github, clone, env } = await laptop();
  const { model, env: ofModel } = await laptopModel([
    call('submit_answer', { answer: 'It does.', sources: [], not_found: null }),
  ]);
  const args = ['ask', 'Does it fail?', '--pull-request', '7'];
  const { code, stdout } = await runCli({ args, cwd: clone, env: { ...env, ...ofModel } });
  expect([code, stdout, model.complaints, github.writes()]).toEqual([0, expect.stringContaining('It does.'), [], []]);
});

it.each([
  ['--pull-request 7', { GITHUB_TOKEN: '' }, 'There is no token for 127.0.0.1. Set GITHUB_TOKEN, such as'],
  [
    '--pull-request 7',
    { GITHUB_TOKEN: 'wrong' },
    'GitHub does not accept the token for pull request #7 in octo/spoon.',
  ],
  ['--pull-request 99', {}, 'There is no pull request #99 in octo/spoon, or the token may not see it.'],
  ['--pull-request 7', { cwd: temporaryFolder() }, 'has no remote `origin`. Give the address of the pull request:'],
  [
    '--pull-request 7',
    { GITHUB_SERVER_URL: 'https://github.com' },
    'There is no token for 127.0.0.1. Set GH_ENTERPRISE_TOKEN;',
  ],
  [
    '--pull-request 7 --staged',
    {},
    "'--pull-request' says what is reviewed, and so does another flag. Give one of them.",
  ],
  ['--pull-request seven', {}, "'--pull-request' needs a number, or an address such as"],
])('review %s with %j says what to do, and nobody is paid', async (args, given, problem) => {
  const { model, review } = await laptop();
  const { code, stderr } = await review(args, given);
  expect([code, stderr.includes(problem) ? problem : stderr, model.requests]).toEqual([2, problem, []]);
});

it('what the token may not read is named with the permission', async () => {
  const { review } = await laptop({ github: { permissions: { ...allPermissions, 'pull-requests': 'none' } } });
  const { code, stderr } = await review('--pull-request 7');
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/^The token may not read pull request #7 .* Grant `pull-requests: read`/),
  ]);
});

it('GITHUB_TOKEN goes to no server that an address or a remote names: that has a token of its own, and its API beside it', async () => {
  const { github, review } = await laptop();
  const server = github.apiUrl.replace('/api/v3', '');
  const args = `--pull-request ${server}/octo/spoon/pull/7`;
  const gone = { GITHUB_SERVER_URL: '', GITHUB_API_URL: '', GITHUB_GRAPHQL_URL: '' };
  const refused = await review(args, gone);
  expect([refused.code, github.requests.length, refused.stderr.includes('Set GH_ENTERPRISE_TOKEN;')]).toEqual([
    2,
    0,
    true,
  ]);
  const { code, stdout } = await review(args, { ...gone, GITHUB_TOKEN: '', GH_ENTERPRISE_TOKEN: github.world.token });
  expect([code, stdout.includes(`src/total.ts:${wrongLineNumber}`)]).toEqual([0, true]);
});

it.each([
  ['https://github.com', 'https://api.github.com', 'https://api.github.com/graphql'],
  ['https://acme.ghe.com', 'https://api.acme.ghe.com', 'https://api.acme.ghe.com/graphql'],
  [
    'https://git.acme.example:8443',
    'https://git.acme.example:8443/api/v3',
    'https://git.acme.example:8443/api/graphql',
  ],
])('the API of %s is at %s', (server, rest, graphql) => {
  expect(apiOf(server, {})).toEqual({ GITHUB_API_URL: rest, GITHUB_GRAPHQL_URL: graphql });
});
