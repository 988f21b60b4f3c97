import { describe, expect, it } from 'vitest';
import { waitBeforeRetry } from '../../../src/core/agent/call-model.ts';
import { estimateTokens, requestEstimator } from '../../../src/core/agent/estimate.ts';
import { type StopReason, sentenceFor } from '../../../src/core/agent/event.ts';
import { ModelError } from '../../../src/core/agent/model.ts';
import { RepeatedCalls } from '../../../src/core/agent/session.ts';
import { cutResult, maxResultCharacters } from '../../../src/core/agent/take-turn.ts';
import { calculateMaxIterations } from '../../../src/core/reviewing/estimate-run.ts';

it('allows for more iterations the more files are changed, up to 25', () => {
  expect([0, 1, 4, 5, 6, 3_000].map(calculateMaxIterations)).toEqual([1, 5, 20, 25, 25, 25]);
});

it.each<[StopReason, string]>([
  [{ reason: 'submitted' }, 'The model submitted its answer.'],
  [{ reason: 'answered' }, 'The model ended with text instead of submitting its answer.'],
  [{ reason: 'limit', limit: 'iterations' }, 'Iteration limit reached.'],
  [{ reason: 'limit', limit: 'tokens' }, 'Token limit reached.'],
  [{ reason: 'limit', limit: 'cost' }, 'Cost limit reached.'],
  [{ reason: 'limit', limit: 'time' }, 'Time limit reached.'],
  [{ reason: 'limit', limit: 'tool-calls' }, 'Tool call limit reached.'],
  [{ reason: 'repeated-calls' }, 'The model made the same tool call again and again.'],
  [{ reason: 'empty-answers' }, 'The model kept giving empty answers.'],
  [{ reason: 'refused', by: 'model' }, 'The model refused to answer.'],
  [{ reason: 'refused', by: 'content-filter' }, "The provider's content filter stopped the answer."],
  [{ reason: 'truncated' }, "The model's answer was cut off at the output limit."],
  [
    { reason: 'truncated', by: 'reasoning' },
    "The model's answer was cut off at the output limit: its reasoning used up all of it.",
  ],
  [{ reason: 'context-overflow' }, "The conversation does not fit the model's context."],
  [{ reason: 'cancelled' }, 'The run was cancelled.'],
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

it('the estimate of a request counts messages, calls and tools, and reads each once', () => {
  const read: string[] = [];
  const estimate = requestEstimator((text) => read.push(text) && text.length);
  const toolCalls = [{ id: '1', name: 'read_file', arguments: '{}' }];
  const messages = [
    { role: 'user', text: 'Hello' },
    { role: 'assistant', text: 'Hi', toolCalls, raw: null },
    { role: 'assistant', text: 'Hi', toolCalls, raw: [{ id: 'r' }] },
  ] as const;
  const tools = [{ name: 'read_file', description: 'Read.', parameters: {} }];
  const expected = ['Hello', 'Hi\nread_file {}', '[{"id":"r"}]', '["read_file","Read.",{}]'];
  const tokens = expected.join('').length + 4 * 8;
  expect([estimate({ messages, tools }), estimate({ messages, tools })]).toEqual([tokens, tokens]);
  expect(read).toEqual(expected);
});

describe('a result that is cut', () => {
  const atLimit = 'x'.repeat(maxResultCharacters);

  it.each([
    ['stays whole up to the limit', atLimit, atLimit],
    [
      'is the beginning, to the last end of a line before the limit',
      'a line of twenty....\n'.repeat(2_000),
      `${'a line of twenty....\n'.repeat(1_428)}… cut: 29,987 of 42,000 characters shown; ask for a line range`,
    ],
    [
      'does not split a character in one endless line',
      `x${'😀'.repeat(20_000)}`,
      `x${'😀'.repeat(14_999)}\n… cut: 29,999 of 40,001 characters shown; ask for a line range`,
    ],
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

it('the guard against repeated calls tells equal ones by name and arguments, however deep these are nested', () => {
  const guard = new RepeatedCalls();
  const [one, otherOrder, other] = ['{"x":{"p":1,"q":[2]}}', '{"x":{"q":[2],"p":1}}', '{"x":{"q":[3],"p":1}}'];
  const deep = '['.repeat(200_000) + ']'.repeat(200_000);
  const calls = [`a ${one}`, `b ${one}`, `a ${otherOrder}`, `a ${other}`, 'a text', 'a text', `a ${deep}`];
  const counts = calls.map((text) => guard.note({ id: '', name: text.charAt(0), arguments: text.slice(2) }));
  expect(counts).toEqual([1, 1, 2, 1, 1, 2, 1]);
});
