import { describe, expect, it } from 'vitest';
import { ask } from '../../../src/core/agent/ask.ts';
import { waitBeforeRetry } from '../../../src/core/agent/call-model.ts';
import { RepeatedCalls } from '../../../src/core/agent/conversation.ts';
import { estimateTokens, requestEstimator } from '../../../src/core/agent/estimate.ts';
import { type StopReason, sentenceFor } from '../../../src/core/agent/event.ts';
import { costOf, ModelError } from '../../../src/core/agent/model.ts';
import { runAgent } from '../../../src/core/agent/run-agent.ts';
import { cutResult, maxResultCharacters } from '../../../src/core/agent/take-turn.ts';
import { calculateMaxIterations } from '../../../src/core/reviewing/estimate-run.ts';
import { imagePart } from '../../fakes/images.ts';
import { FakeClock } from '../../fakes/memory-repository.ts';
import { ScriptedModel, type ScriptedStep, usage } from '../../fakes/scripted-model.ts';
import { agentWith, eventsOf, type Given, opening, readFile, reads, runOf, submits } from './agent-with.ts';

const submitted = submits('x', { usage: usage(100, 10) });

async function once(script: readonly ScriptedStep[], given: Omit<Given, 'model'> = {}) {
  const model = new ScriptedModel(...script);
  const agent = agentWith({ ...given, model });
  const result = await agent.clock.drive(ask(agent, { phase: 'verification', tool: agent.finish, opening }));
  return { result, agent, requests: model.requests };
}

describe('one call in a fresh conversation', () => {
  it('offers the finishing tool alone and counts for its own phase', async () => {
    const { result, agent, requests } = await once([submitted], { price: { input: 1_000, cached: 0, output: 10_000 } });
    const [request] = requests;
    expect(request).toMatchObject({ messages: opening, toolChoice: { tool: 'submit' }, maxOutputTokens: 2_000 });
    expect(request?.tools.map(({ name }) => name)).toEqual(['submit']);
    const phase = { modelCalls: 1, usage: usage(100, 10), cost: 0.2 };
    const metrics = { iterations: 0, modelCalls: 1, phases: { verification: phase } };
    expect(result).toMatchObject({ stop: { reason: 'submitted' }, submitted: true, metrics });
    expect(eventsOf(agent, 'step-end')).toMatchObject([{ phase: 'verification', step: 0, cost: 0.2 }]);
  });
});

describe('a question in the conversation of a run', () => {
  /** A run that ends with text, and a question after it. */
  async function further(script: readonly ScriptedStep[], { spent = 20, ...given }: Spending = {}) {
    const text = { text: 'One and two.', usage: usage(200, spent) };
    const model = new ScriptedModel(reads('a.ts', { usage: usage(100, 10) }), text, ...script);
    const agent = agentWith({ ...given, model });
    const takeText = async (said: string) => ({ done: said === 'One.', text: `"${said}" is no answer.` });
    const tool = { ...agent.finish, takeText };
    const question = { phase: 'extraction', text: 'Now submit.', again: 'Submit it.' } as const;
    const asked = agent.clock.drive(runAgent(agent, opening).then((after) => ask(agent, { ...question, tool, after })));
    return { asked: await asked, agent, requests: model.requests.slice(2) };
  }

  type Spending = Omit<Given, 'model'> & { readonly spent?: number };

  it('goes with the finishing tool alone, adds up, and passes on what the tool says of a text', async () => {
    const hm = { text: 'Hm.', usage: usage(30, 3) };
    const { asked, agent, requests } = await further([{}, hm, submits('x', { usage: usage(300, 30) })]);
    expect(requests.map(({ messages }) => messages.at(-1)?.text)).toEqual([
      'Now submit.',
      'Submit it.',
      '"Hm." is no answer.',
    ]);
    expect(requests[0]?.tools.map(({ name }) => name)).toEqual(['submit']);
    const { stop, submitted, metrics } = asked;
    expect([stop, submitted, metrics.modelCalls, metrics.iterations]).toEqual([{ reason: 'submitted' }, true, 5, 2]);
    expect(metrics.usage.input + metrics.usage.output).toBe(agent.budget.spent);
  });

  it('is not made when the budget cannot pay it', async () => {
    const { asked } = await further([], { within: { maxTokens: 7_000 }, spent: 5_000 });
    expect(asked).toMatchObject({ stop: { reason: 'limit', limit: 'tokens' }, metrics: { modelCalls: 2 } });
  });
});

describe('what is counted', () => {
  const price = { input: 1_000, cached: 100, output: 10_000 };
  const last = submits('x', { usage: usage(300, 30) });

  it('is every attempt for its phase with its tokens and its cost, failed ones included', async () => {
    const broke = new ModelError('transient', 'the stream broke', { maybeBilled: true });
    const script = [broke, reads('a.ts', { usage: usage(200, 20) }), last];
    const { metrics } = await runOf(script, { price, limits: { maxSteps: 1 } });
    const { review, final } = metrics.phases;
    expect([review?.modelCalls, final?.modelCalls, metrics.modelCalls]).toEqual([2, 1, 3]);
    expect(review?.usage).toMatchObject({ output: 20, estimated: true });
    expect(final).toEqual({ modelCalls: 1, usage: usage(300, 30), cost: 0.6 });
    expect(metrics.cost).toBeCloseTo(costOf(metrics.usage, price), 10);
    expect(metrics.cost).toBeCloseTo((review?.cost ?? 0) + 0.6, 10);
  });

  it('are tools with their time and with the results that were cut', async () => {
    const clock = new FakeClock();
    const tool = readFile(async (path, signal) => {
      await clock.wait(path === 'a.ts' ? 1_000 : 250, signal);
      return path === 'a.ts' ? 'a line\n'.repeat(10_000) : 'short';
    });
    const { metrics } = await runOf([reads('a.ts'), reads('b.ts'), last], { clock, tools: [tool] });
    expect(metrics.tools).toEqual({
      read_file: { calls: 2, milliseconds: 1_250, cut: 1 },
      submit: { calls: 1, milliseconds: 0, cut: 0 },
    });
  });
});

it('allows for more iterations the more files are changed, up to 25', () => {
  expect([0, 1, 4, 5, 6, 3_000].map(calculateMaxIterations)).toEqual([1, 5, 20, 25, 25, 25]);
});

it.each<[StopReason, string]>([
  [{ reason: 'limit', limit: 'time' }, 'Time limit reached.'],
  [{ reason: 'refused', by: 'content-filter' }, "The provider's content filter stopped the answer."],
  [
    { reason: 'truncated', by: 'reasoning' },
    "The model's answer was cut off at the output limit: its reasoning used up all of it.",
  ],
  [{ reason: 'model-failed', message: 'It said 401', hint: 'Check the key.' }, 'It said 401. Check the key.'],
])('the sentence for the stop %j is fixed', (stop, sentence) => {
  expect(sentenceFor(stop)).toBe(sentence);
});

describe('the estimate of a text', () => {
  it('is near what tokenizers count on code', () => {
    const code = 'export function add(one: number, other: number): number {\n  return one + other;\n}\n';
    expect(estimateTokens(code)).toBeGreaterThan(18);
    expect(estimateTokens(code)).toBeLessThan(30);
  });

  it('samples a long text, and stays near the whole count', () => {
    const line = 'const total = items.reduce((sum, item) => sum + item.price, 0);\n';
    const whole = estimateTokens(line) * 10_000;
    expect(estimateTokens(line.repeat(10_000)) / whole).toBeCloseTo(1, 1);
  });

  it('does not take a run of spaces for nothing', () => {
    expect(estimateTokens(' '.repeat(160_000))).toBe(10_000);
  });
});

it('the estimate of a request counts messages, calls, tools and what images cost, and reads each text once', () => {
  const read: string[] = [];
  const estimate = requestEstimator((text) => read.push(text) && text.length);
  const toolCalls = [{ id: '1', name: 'read_file', arguments: '{}' }];
  const images = [imagePart('a.png', { tokens: 765, base64: 'A'.repeat(100_000) })];
  const messages = [
    { role: 'user', text: 'Hello', images },
    { role: 'assistant', text: 'Hi', toolCalls, raw: null },
    { role: 'assistant', text: 'Hi', toolCalls, raw: [{ id: 'r' }] },
  ] as const;
  const tools = [{ name: 'read_file', description: 'Read.', parameters: {} }];
  const expected = ['Hello', 'Hi\nread_file {}', '[{"id":"r"}]', '["read_file","Read.",{}]'];
  const tokens = expected.join('').length + 4 * 8 + 765;
  expect([estimate({ messages, tools }), estimate({ messages, tools })]).toEqual([tokens, tokens]);
  expect(read).toEqual(expected);
});

describe('a result that is cut', () => {
  const atLimit = 'x'.repeat(maxResultCharacters);
  const line = 'a line of twenty....\n';
  const odd = (count: number) => `x${'😀'.repeat(count)}`;
  const note = (sizes: string) => `… cut: ${sizes} characters shown; ask for a line range`;

  it.each([
    ['stays whole up to the limit', atLimit, atLimit],
    ['ends with a whole line', line.repeat(2_000), `${line.repeat(1_428)}${note('29,987 of 42,000')}`],
    ['does not split a character of an endless line', odd(20_000), `${odd(14_999)}\n${note('29,999 of 40,001')}`],
  ])('%s', (_what, result, shown) => {
    expect(cutResult(result)).toEqual({ text: shown, cut: result !== shown });
  });
});

it.each([
  ['grows to thirty seconds', null, 0, [1_000, 2_000, 16_000, 30_000]],
  ['has up to half of it left out at random', null, 1, [500, 1_000, 8_000, 15_000]],
  ['is what the server asks for', 90_000, 0.5, [90_000, 90_000, 90_000, 90_000]],
])('the wait before another attempt %s', (_what, retryAfter, random, waits) => {
  const error = new ModelError('transient', 'busy', { retryAfter });
  expect([1, 2, 5, 9].map((attempt) => waitBeforeRetry(error, { attempt, random: () => random }))).toEqual(waits);
});

it('the guard against repeated calls tells equal ones of the last twelve by name and arguments, however deep', () => {
  const guard = new RepeatedCalls();
  const [one, otherOrder, other] = ['{"x":{"p":1,"q":[2]}}', '{"x":{"q":[2],"p":1}}', '{"x":{"q":[3],"p":1}}'];
  const deep = '['.repeat(200_000) + ']'.repeat(200_000);
  const calls = [`a ${one}`, `b ${one}`, `a ${otherOrder}`, `a ${other}`, 'a text', 'a text', `a ${deep}`];
  const counts = calls.map((text) => guard.note({ id: '', name: text.charAt(0), arguments: text.slice(2) }));
  expect(counts).toEqual([1, 1, 2, 1, 1, 2, 1]);
  const others = Array.from({ length: 11 }, (_, index) => `${index}`);
  const later = ['now', ...others, 'now', 'now'].map((name) => guard.note({ id: '', name, arguments: '' }));
  expect(later.slice(-2)).toEqual([1, 2]);
});
