import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startTlsProxy } from '../fakes/loopback.ts';
import type { NormalisedRequest } from '../fakes/model-server/normalise.ts';
import { type Answer, call, fault, type ModelOptions, say, submit } from '../fakes/model-server/script.ts';
import { play, review, setStage, totalWorld, wrongLine, wrongLineFinding, wrongLineNumber } from './review.ts';

const wrongKey = { message: 'Incorrect API key: scripted************7890.', code: 'invalid_api_key' };

it.each<[string, Answer, string]>([
  ['is a web site', fault(200, '<html><head><title>Welcome</title></head></html>'), '`base-url`'],
  ['refuses the key', fault(401, { error: wrongKey }), '`api-key`'],
])('a model whose server %s fails the run at once, which names the setting', async (_, answer, setting) => {
  const { github, model, run } = await review({ world: totalWorld, model: () => answer });
  expect([run.outputs['outcome'], run.code, model.attempts.length, github.writes()]).toEqual(['failed', 1, 1, []]);
  expect(run.annotations.map(({ message }) => message).join()).toContain(setting);
  expect(run.log).not.toMatch(/<html|7890\./);
});

it.each<[string, Answer, string]>([
  ['gives empty answers', say(''), 'failed'],
  ['announces what it will do', say('Let me check the file.'), 'partial'],
  ['says it without submitting it', say('The loop reads past the end.'), 'partial'],
])('a model that only ever %s has reviewed nothing, and the run says so', async (_, answer, outcome) => {
  const { github, run } = await review({ world: totalWorld, model: () => answer });
  expect([run.outputs['outcome'], run.outputs['approved'], github.comments()]).toEqual([outcome, 'false', []]);
});

const names = Array.from({ length: 4 }, (_, index) => `part${index}`);
const files = (value: number) =>
  Object.fromEntries(names.map((name) => [`src/${name}.ts`, `export const ${name} = ${value};\n`]));

/** How many requests had come when the first answer went out, how many came in all, and with how many beginnings. */
async function beforeFirstAnswer(batches: number): Promise<readonly number[]> {
  let asked = 0;
  let early = 0;
  const answers = async () => {
    asked += 1;
    if (asked > 1) return submit([]);
    // Of two, the second comes for certain; of more, none does, however long one waits.
    for (let waits = 0; waits < 10 || (batches === 2 && asked < 2); waits += 1) await sleep(20);
    early = asked;
    return submit([]);
  };
  const { model } = await review({
    world: { base: files(1), head: files(2) },
    model: answers,
    inputs: { 'files-per-batch': `${names.length / batches}` },
  });
  const beginning = ({ prompt }: NormalisedRequest) => prompt.split('# Review these files')[0];
  return [early, asked, new Set(model.requests.map(beginning)).size];
}

it('the first of more than two batches has its prompt at the server before the others start, which begin alike', async () => {
  expect([await beforeFirstAnswer(4), await beforeFirstAnswer(2)]).toEqual([
    [1, 4, 1],
    [2, 2, 1],
  ]);
});

const answers = (request: NormalisedRequest, turn: number) => {
  if (turn === 0) return call('read_file', { path: 'src/total.ts' });
  return submit(request.prompt.includes(wrongLine.trim()) ? [wrongLineFinding] : []);
};
const optional = ['temperature', 'parallel_tool_calls', 'strict', 'tool_choice'] as const;

describe('a model server', () => {
  it.each<[string, ModelOptions, Record<string, string>, string]>([
    ['refuses tools on Chat Completions', { rejects: ['chat-tools-with-reasoning'] }, {}, 'responses'],
    ['knows no tools', { rejects: ['tools'], usage: false }, {}, 'chat'],
    [
      'refuses everything optional',
      { rejects: [...optional, 'max_completion_tokens'], maxOutput: 2000, thoughtSignatures: true },
      { temperature: '0.5' },
      'chat',
    ],
    [
      'refuses everything optional on Responses',
      { rejects: optional, maxOutput: 2000 },
      { api: 'responses', temperature: '0.5' },
      'responses',
    ],
  ])('that %s still reviews', async (_, options, inputs, api) => {
    const { github, model, run } = await review({ world: totalWorld, model: { ...options, answers }, inputs });
    expect(github.comments().map(({ line }) => line)).toEqual([wrongLineNumber]);
    expect([run.outputs['outcome'], model.requests.at(-1)?.api, model.complaints]).toEqual(['findings', api, []]);
  });

  it('at an address to which no client sends anything is reported at once, and nothing is billed', async () => {
    const inputs = { 'base-url': 'http://127.0.0.1:9/v1', 'api-key': 'a-key-that-goes-nowhere', model: 'scripted' };
    const { run } = await review({ world: totalWorld, model: null, inputs });
    expect(run.outputs).toMatchObject({ outcome: 'failed', 'input-tokens': '0', 'output-tokens': '0' });
    expect(run.log).not.toContain('the next follows in');
  });
});

it('api.openai.com behind a proxy is asked by Chat Completions where it refuses Responses', async () => {
  const scenario = { world: totalWorld, model: { rejects: ['responses'], answers } } as const;
  const stage = await setStage(scenario);
  const proxy = await startTlsProxy({ 'api.openai.com': () => stage.model.url });
  onTestFinished(() => proxy.close());
  const run = await play(stage, {
    ...scenario,
    inputs: { 'base-url': 'https://api.openai.com/v1' },
    start: 'bundle',
    environment: { HTTPS_PROXY: proxy.url, NO_PROXY: '127.0.0.1', NODE_EXTRA_CA_CERTS: proxy.certificate },
  });
  expect(run.outputs['outcome']).toBe('findings');
  expect(stage.model.requests.map(({ api }) => api)).toEqual(['chat', 'chat']);
  expect([new Set(proxy.hosts), stage.model.complaints]).toEqual([new Set(['api.openai.com:443']), []]);
});

describe('with a price', () => {
  const pricing = 'input=10,cached=1,output=40';

  it('a run begins with an estimate and ends with its bill, and the summary shows the money', async () => {
    const { run } = await review({
      world: totalWorld,
      model: [submit([wrongLineFinding])],
      inputs: { pricing, 'max-cost': '2' },
    });
    expect(run.log).toMatch(/Estimate: .*\$0\.\d+ of \$2[\s\S]*Spent .*\$0\.\d+ of \$2/);
    expect(run.summary).toMatch(/\$0\.\d+/);
    expect(Number(run.outputs['cost'])).toBeGreaterThan(0.02);
  });

  it('the limit cuts the review short, is not passed, and what was found is delivered', async () => {
    const reading = (request: NormalisedRequest, turn: number) =>
      request.tools.includes('read_file_lines')
        ? call('read_file_lines', { path: 'src/total.ts', start_line: 1, end_line: turn + 2 })
        : submit([wrongLineFinding]);
    const { github, run, model } = await review({
      world: totalWorld,
      model: reading,
      inputs: { pricing, 'max-cost': '0.17', 'max-tokens': '1000', verify: 'false' },
    });
    expect([run.outputs['outcome'], run.outputs['stop-reason'], model.complaints]).toEqual(['partial', 'cost', []]);
    expect(Number(run.outputs['cost'])).toBeLessThanOrEqual(0.17);
    expect([github.comments().length, model.requests.at(-1)?.tools]).toEqual([1, ['submit_review']]);
  });
});
