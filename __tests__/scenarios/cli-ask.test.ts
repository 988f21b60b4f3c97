import { expect, it } from 'vitest';
import { createRepository } from '../fakes/git-fixture.ts';
import { temporaryFolder } from '../fakes/memory-repository.ts';
import { call, fault, type ModelScript } from '../fakes/model-server/script.ts';
import { runCli } from './harness.ts';
import { laptopModel, totalWorld } from './review.ts';

const answers: ModelScript = [
  call('read_file', { path: 'src/total.ts', start_line: 1, end_line: 5 }),
  call('submit_answer', {
    answer: 'The loop reads one past the end.\u001B[2J',
    sources: [{ path: 'src/total.ts', lines: '4', shows: 'the bound' }],
    not_found: 'a test for it',
  }),
];

function repository() {
  const fixture = createRepository();
  fixture.commit({ files: totalWorld.base });
  fixture.commit({ files: totalWorld.head });
  return fixture.directory;
}

async function ask(args: readonly string[], script: ModelScript = answers) {
  const { model, env } = await laptopModel(script);
  return { model, run: await runCli({ args: ['ask', ...args], cwd: repository(), env }) };
}

it('ask prints the answer with its sources, and nothing else on stdout', async () => {
  const { model, run } = await ask(['Why does it fail?', '--commit', 'HEAD', '--model', 'scripted']);
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
  const { run } = await ask(args, script);
  expect([run.code, run.stdout, run.stderr.includes(problem) ? problem : run.stderr]).toEqual([code, '', problem]);
});

it('ask in a folder that is no repository says so', async () => {
  const { env } = await laptopModel([]);
  const { code, stderr } = await runCli({ args: ['ask', 'Why?'], cwd: temporaryFolder(), env });
  expect([code, stderr.includes('is not in a git repository')]).toEqual([2, true]);
});
