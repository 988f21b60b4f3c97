import { expect, it } from 'vitest';
import { inEnglish } from '../../src/core/messages/languages.ts';
import { answerText } from '../../src/core/report/answer.ts';
import { createRedactor } from '../../src/core/secrets/redact.ts';
import { previewSettings } from '../../src/core/settings/parse-settings.ts';
import { askAboutChange } from '../../src/run/local.ts';
import { noTokens, systemClock } from '../../src/run/machine.ts';
import { createRepository } from '../fakes/git-fixture.ts';
import { temporaryFolder } from '../fakes/memory-repository.ts';
import { call, fault, type ModelScript } from '../fakes/model-server/script.ts';
import { runCli } from './harness.ts';
import { laptopModel, totalWorld } from './review.ts';

const answersWith = (answer: string): ModelScript => [
  call('read_file', { path: 'src/total.ts', start_line: 1, end_line: 5 }),
  call('submit_answer', {
    answer,
    sources: [{ path: 'src/total.ts', lines: '4', shows: 'the bound' }],
    not_found: 'a test for it',
  }),
];
const answers = answersWith('The loop reads one past the end.');

function repository({ changed = true, files = {} }: { changed?: boolean; files?: Record<string, string> } = {}) {
  const fixture = createRepository();
  fixture.commit({ files: { ...totalWorld.base, ...files }, message: 'Start' });
  if (changed) fixture.commit({ files: totalWorld.head, message: 'Change it' });
  return fixture.directory;
}

async function ask(question: string, { directory = repository(), script = answers, key = true, base = 'HEAD~1' } = {}) {
  const { model, env } = await laptopModel(script);
  const trusted = [{ where: 'flag', trusted: true, values: { 'base-url': env.POSTIL_BASE_URL, model: 'scripted' } }];
  const review = await askAboutChange(
    {
      environment: process.env,
      command: { directory, subject: { kind: 'range', base, head: 'HEAD' } },
      inputs: {
        apiKey: key ? model.apiKey : '',
        tokens: noTokens,
        layers: trusted,
        preview: previewSettings(trusted),
        notes: [],
        redact: createRedactor([]),
      },
      output: { report: () => undefined, destinations: [], temporaryFolder: temporaryFolder() },
      run: { clock: systemClock, startedAt: systemClock.now(), signal: new AbortController().signal },
    },
    question,
  );
  return { review, model };
}

it('a question about a local change is answered from the source, by the agent that answers comments', async () => {
  const { review, model } = await ask('Why does it fail?');
  const headline = inEnglish.sentences(review.headline);
  expect([headline, review.metrics.modelCalls, model.complaints]).toEqual(['The question is answered.', 2, []]);
  expect(review.answer === undefined || review.answer === null ? '' : answerText(review.answer, (text) => text)).toBe(
    'The loop reads one past the end.\n\nNot found: a test for it\n\nSources: src/total.ts:4',
  );
  const [first] = model.requests;
  expect(JSON.stringify(first?.messages)).toMatch(/# What the author asks.{1,200}Why does it fail\?/);
});

it('a question is shallow whatever the repository says of reviews, and asks no model where it wants none', async () => {
  const config = (profile: string) => repository({ files: { '.postil/config.yml': `profile: ${profile}\n` } });
  const { model } = await ask('Why?', { directory: config('deep') });
  expect(JSON.stringify(model.requests[0]?.messages)).toContain('you have 3 turns');
  await expect(ask('Why?', { directory: config('offline') })).rejects.toThrow('A question takes a model to answer it.');
});

it.each([
  ['without a key', 'Why?', { key: false }, 'A question takes a model to answer it.'],
  ['without words', ' ', {}, 'The question is missing.'],
  [
    'without a change',
    'Why?',
    { base: 'HEAD' },
    'There is no change to ask about. HEAD has no commits that HEAD lacks.',
  ],
])('a question %s is refused before anything is paid', async (_, question, given, message) => {
  await expect(ask(question, given)).rejects.toThrow(message);
});

it('a model that gives no answer is a failure that says so', async () => {
  const { review } = await ask('Why?', { script: [] });
  expect([review.outcome, review.answer, review.stop.reason]).toEqual(['failed', undefined, 'failed']);
});

/** The same on the command line. */
async function askHere(args: readonly string[], script: ModelScript = answers) {
  const { model, env } = await laptopModel(script);
  return { model, run: await runCli({ args: ['ask', ...args], cwd: repository(), env }) };
}

it('ask prints the answer with its sources, and nothing else on stdout', async () => {
  const { model, run } = await askHere(
    ['Why does it fail?', '--commit', 'HEAD', '--model', 'scripted'],
    answersWith('The loop reads one past the end.\u001B[2J'),
  );
  expect([run.code, run.stdout]).toEqual([
    0,
    'The loop reads one past the end.\\u{1B}[2J\n\nNot found: a test for it\n\nSources: src/total.ts:4\n',
  ]);
  expect([model.complaints, run.stderr.includes('Reviewing commit')]).toEqual([[], true]);
  expect(JSON.stringify(model.requests[0]?.messages)).toContain('Why does it fail?');
});

it.each<[string, readonly string[], ModelScript, number, string]>([
  ['is missing', [], [], 2, 'ask needs a question, such as postil ask "Which callers does this break?"'],
  ['is empty', [' '], [], 2, 'The question is missing.'],
  ['is about nothing', ['Why?'], [], 2, 'There is no change to ask about.'],
  ['is for nobody', ['Why?', '--commit=HEAD', '--profile=offline'], [], 2, 'A question takes a model to answer it.'],
  ['has settings of findings', ['Why?', '--fail-on=warning'], [], 2, "ask does not take '--fail-on'"],
  ['is about two things', ['Why?', '--staged', '--commit=HEAD'], [], 2, '--staged and --commit contradict each other'],
  [
    'comes with a key that is refused',
    ['Why?', '--commit=HEAD'],
    () => fault(401, { error: { message: 'No.', code: 'invalid_api_key' } }),
    3,
    'The model gave no answer. ',
  ],
])('a question that %s says what to do, and prints no answer', async (_, args, script, code, problem) => {
  const { run } = await askHere(args, script);
  expect([run.code, run.stdout, run.stderr.includes(problem) ? problem : run.stderr]).toEqual([code, '', problem]);
});

it('ask in a folder that is no repository says so', async () => {
  const { env } = await laptopModel([]);
  const { code, stderr } = await runCli({ args: ['ask', 'Why?'], cwd: temporaryFolder(), env });
  expect([code, stderr.includes('is not in a git repository')]).toEqual([2, true]);
});
