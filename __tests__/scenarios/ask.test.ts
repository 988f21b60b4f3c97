import { expect, it } from 'vitest';
import { answerText } from '../../src/core/report/answer.ts';
import { createRedactor } from '../../src/core/secrets/redact.ts';
import { previewSettings } from '../../src/core/settings/parse-settings.ts';
import { askAboutChange } from '../../src/run/local.ts';
import { systemClock } from '../../src/run/machine.ts';
import { createRepository } from '../fakes/git-fixture.ts';
import { temporaryFolder } from '../fakes/memory-repository.ts';
import { call, type ModelScript } from '../fakes/model-server/script.ts';
import { laptopModel, totalWorld } from './review.ts';

const answers: ModelScript = [
  call('read_file', { path: 'src/total.ts', start_line: 1, end_line: 5 }),
  call('submit_answer', {
    answer: 'The loop reads one past the end.',
    sources: [{ path: 'src/total.ts', lines: '4', shows: 'the bound' }],
    not_found: 'a test for it',
  }),
];

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
      ...{ trusted, preview: previewSettings(trusted), notes: [], report: () => undefined, destinations: [] },
      ...{ redact: createRedactor([]), temporaryFolder: temporaryFolder(), environment: process.env },
      ...{ startedAt: systemClock.now(), signal: new AbortController().signal },
      apiKey: key ? model.apiKey : '',
      command: { directory, subject: { kind: 'range', base, head: 'HEAD' } },
    },
    question,
  );
  return { review, model };
}

it('a question about a local change is answered from the source, by the agent that answers comments', async () => {
  const { review, model } = await ask('Why does it fail?');
  expect([review.headline, review.metrics.modelCalls, model.complaints]).toEqual(['The question is answered.', 2, []]);
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
