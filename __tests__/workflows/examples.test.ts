import { describe, expect, it } from 'vitest';
import { modelKey } from '../fakes/model-server/start-model.ts';
import { lacks } from '../fakes/platform.ts';
import { commentEvent, type EventName, eventOf } from '../fakes/world/event.ts';
import { placesOf, shopWorld, titlesOf, totalWorld } from '../scenarios/review.ts';
import { reviewer, three } from '../scenarios/runner/evaluating.ts';
import { dividing, shopReader } from '../scenarios/shards.ts';
import type { PlayedAction } from './actions.ts';
import { endsOf, openStage, runExample, secrets } from './run-example.ts';

/** What starts a workflow, and whether the pull request is of a fork. */
const starts = {
  'a push': { trigger: 'pull_request', fork: false },
  'a push to a fork': { trigger: 'pull_request', fork: true },
  'a push, with the rights of the target': { trigger: 'pull_request_target', fork: false },
  'a push to a fork, with the rights of the target': { trigger: 'pull_request_target', fork: true },
  'a merge group': { trigger: 'merge_group', fork: false },
  'a maintainer': { trigger: 'workflow_dispatch', fork: true },
} as const satisfies Readonly<Record<string, { readonly trigger: EventName; readonly fork: boolean }>>;

const ours = ['postil: success, findings'];
const answers = ['review-and-answer: success, findings'];
const twoJobs = ['review: success, findings', 'post: success, findings'];

/** What becomes of the jobs where the one changed file has one defect, their group, and whether it is posted. */
const rows: readonly (readonly [string, keyof typeof starts, readonly string[], string, 'posted' | 'silent'])[] = [
  ['same-repository', 'a push', ours, '7 cancels', 'posted'],
  ['same-repository', 'a push to a fork', ['postil: skipped'], '7 cancels', 'silent'],
  ['gate', 'a push', ['postil: failure, findings'], '7 cancels', 'posted'],
  ['gate', 'a push to a fork', ['postil: failure, skipped'], '7 cancels', 'silent'],
  ['gate', 'a merge group', ['postil: success, skipped'], 'refs/heads/main cancels', 'silent'],
  ['forks', 'a push to a fork, with the rights of the target', twoJobs, '7 cancels', 'posted'],
  ['forks', 'a push, with the rights of the target', ['review: skipped', 'post: skipped'], '7 cancels', 'silent'],
  ['manual', 'a maintainer', ours, '7 cancels', 'posted'],
  ['commands', 'a push', answers, 'pull_request-7 cancels', 'posted'],
  ['commands', 'a maintainer', answers, 'workflow_dispatch-987654321', 'posted'],
  ['html-report', 'a push', ['review: success, findings'], '7 cancels', 'posted'],
  ['rules-only', 'a push', ['postil: success, clean'], '7 cancels', 'silent'],
  ['own-endpoint', 'a push', ours, '7 cancels', 'posted'],
  ['ghes', 'a push', ours, '7 cancels', 'posted'],
  ['code-scanning', 'a push', ours, '7 cancels', 'posted'],
  ['code-scanning', 'a push to a fork', ['postil: skipped'], '7 cancels', 'silent'],
];

it.each(rows)('%s.yml, started by %s: %j', async (name, start, ends, group, posts) => {
  const { trigger, fork } = starts[start];
  const stage = await openStage({ world: { ...totalWorld, fork } });
  const event = eventOf(stage.world, trigger);
  const inputs = { 'pull-request': '7' };
  // What is built runs each example once.
  const isFirst = rows.find(([other]) => other === name)?.[1] === start;
  const jobs = await runExample(`${name}.yml`, stage, {
    start: isFirst ? 'bundle' : 'source',
    event: { ...event, payload: { ...event.payload, inputs } },
    secrets: { ...secrets, MODEL_API_KEY: modelKey },
    instead: serversIn(name, stage.model.url),
  });
  expect([endsOf(jobs), [...new Set(jobs.map((job) => job.group))]]).toEqual([ends, [`postil-${name}-${group}`]]);
  expect(placesOf(stage.github)).toEqual(posts === 'posted' ? ['src/total.ts:4'] : []);
  expect(stage.model.complaints).toEqual([]);
});

/** The fake in place of what stands there. */
function serversIn(name: string, url: string): Readonly<Record<string, string>> {
  if (name === 'ghes') return { 'https://models.example.com/v1': url };
  return name === 'own-endpoint' ? { 'http://llm.internal:8000/v1': url, 'none-needed': modelKey } : {};
}

it('commands.yml answers a command in its own group, and no comment on an issue starts a job', async () => {
  const stage = await openStage();
  await runExample('commands.yml', stage, { start: 'source' });
  const id = stage.github.people.say({ author: 'ada', body: '/postil help' });
  const answered = await runExample('commands.yml', stage, { start: 'source', event: commentEvent(stage, id) });
  const ofIssue = await runExample('commands.yml', stage, { event: eventOf(stage.world, 'issue_comment') });
  expect([answered, ofIssue].map(endsOf)).toEqual([
    ['review-and-answer: success, skipped'],
    ['review-and-answer: skipped'],
  ]);
  expect(answered[0]?.group).toBe(`postil-commands-issue_comment-${id}`);
  expect(stage.github.conversation().at(-1)?.body).toContain('`explain` shows more evidence');
});

describe('sharded.yml', () => {
  const environment = Object.fromEntries(
    Object.entries(dividing).map(([name, value]) => [`POSTIL_${name.replaceAll('-', '_').toUpperCase()}`, value]),
  );

  it('reviews a pull request in three kinds of jobs, and only the last one may write', async () => {
    const stage = await openStage({ world: shopWorld(15), model: shopReader });
    const jobs = await runExample('sharded.yml', stage, { environment });
    expect(endsOf(jobs)).toEqual([
      'plan: success, skipped',
      'review: success, findings',
      'review: success, findings',
      'post: success, findings',
    ]);
    expect([jobs[0]?.outputs['shards'], titlesOf(stage.github).length]).toEqual(['["1/2","2/2"]', 15]);
  });

  it('passes a merge group', async () => {
    const stage = await openStage();
    const jobs = await runExample('sharded.yml', stage, {
      start: 'source',
      event: eventOf(stage.world, 'merge_group'),
    });
    expect(endsOf(jobs)).toEqual(['plan: success, skipped', 'review: success, skipped', 'post: success, skipped']);
  });
});

it.skipIf(lacks.shellScripts)(
  'eval.yml measures the reviewer with the cases of the repository, and leaves the page',
  async () => {
    const cases = Object.entries(three).map(([name, text]) => [`eval/cases/${name}`, text]);
    const base = { ...Object.fromEntries(cases), '.postil/config.yml': 'verify: false\n' };
    const stage = await openStage({ world: { base, head: { 'README.md': '# Spoon\n' }, main: {} }, model: reviewer });
    const [job] = await runExample('eval.yml', stage, { event: eventOf(stage.world, 'push') });
    expect(job?.steps.map(({ name, result }) => `${name}: ${result}`)).toEqual([
      'actions/checkout: success',
      'actions/checkout: success',
      'run: success',
      'actions/upload-artifact: success',
    ]);
    expect(job?.steps[2]?.run?.log).toContain('config: 3 of 3 cases measured');
    expect(stage.github.artifacts().map(({ name }) => name)).toEqual(['evaluation']);
  },
);

describe.skipIf(lacks.shellScripts)('the workflow of', () => {
  const login: PlayedAction = ({ granted, inputs }) => {
    const isWhole = granted['id-token'] === 'write' && Object.values(inputs).every((value) => value !== '');
    return isWhole
      ? { outputs: { access_token: modelKey } }
      : { problem: 'The cloud does not know whose job this is.' };
  };
  const generator = 'node_modules/@aws/bedrock-token-generator';
  const made = `export const getTokenProvider = () => async () => '${modelKey}';`;
  const programs = {
    az: `echo ${modelKey}`,
    npm: `mkdir -p ${generator}; echo '{"type":"module","main":"index.js"}' > ${generator}/package.json; echo "${made}" > ${generator}/index.js`,
    curl: '[[ "$*" == *http://localhost:11434/api/pull* ]]',
  };
  const vars = {
    ...{ AZURE_CLIENT_ID: 'a', AZURE_TENANT_ID: 'b', AZURE_SUBSCRIPTION_ID: 'c' },
    ...{ AWS_ROLE: 'd', GCP_PROVIDER: 'e', GCP_SERVICE_ACCOUNT: 'f' },
  };
  const actions = {
    'azure/login': login,
    'aws-actions/configure-aws-credentials': login,
    'google-github-actions/auth': login,
  };

  it.each([
    ['azure-oidc', 'https://NAME.openai.azure.com/openai/v1', {}],
    ['bedrock', 'https://bedrock-runtime.us-west-2.amazonaws.com/openai/v1', {}],
    [
      'vertex',
      'https://us-central1-aiplatform.googleapis.com/v1/projects/PROJECT/locations/us-central1/endpoints/openapi',
      {},
    ],
    ['ollama', 'http://localhost:11434/v1', { 'none-needed': modelKey }],
  ])('%s.yml reviews with what its own steps got', async (name, server, more) => {
    const stage = await openStage();
    const instead = { [server]: stage.model.url, ...more };
    const started = { start: 'source', secrets: { POSTIL_STATE_KEY: secrets.POSTIL_STATE_KEY } } as const;
    const jobs = await runExample(`${name}.yml`, stage, { ...started, vars, actions, programs, instead });
    expect([endsOf(jobs), placesOf(stage.github)]).toEqual([ours, ['src/total.ts:4']]);
  });
});
