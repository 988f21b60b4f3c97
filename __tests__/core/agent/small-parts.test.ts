import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { waitBeforeRetry } from '../../../src/core/agent/call-model.ts';
import { estimateTokens, requestEstimator } from '../../../src/core/agent/estimate.ts';
import { type StopReason, sentenceFor } from '../../../src/core/agent/event.ts';
import { ModelError } from '../../../src/core/agent/model.ts';
import { RepeatedCalls } from '../../../src/core/agent/session.ts';
import { cutResult, maxResultCharacters } from '../../../src/core/agent/take-turn.ts';
import { calculateMaxIterations } from '../../../src/core/reviewing/estimate-run.ts';

it.each([
  [0, 1],
  [1, 5],
  [4, 20],
  [5, 25],
  [6, 25],
  [3_000, 25],
])('allows for %i changed files %i iterations', (files, iterations) => {
  expect(calculateMaxIterations(files)).toBe(iterations);
});

describe('the sentence for a stop', () => {
  const limits = ['iterations', 'tokens', 'cost', 'time', 'tool-calls'] as const;
  const stops: readonly StopReason[] = [
    { reason: 'submitted' },
    { reason: 'answered' },
    ...limits.map((limit) => ({ reason: 'limit', limit }) as const),
    { reason: 'repeated-calls' },
    { reason: 'empty-answers' },
    { reason: 'refused', by: 'model' },
    { reason: 'refused', by: 'content-filter' },
    { reason: 'truncated' },
    { reason: 'truncated', by: 'reasoning' },
    { reason: 'context-overflow' },
    { reason: 'cancelled' },
    { reason: 'model-failed', message: 'The server said 401', hint: 'Check the key.' },
  ];

  it('is fixed', () => {
    expect(stops.map(sentenceFor)).toEqual([
      'The model submitted its answer.',
      'The model ended with text instead of submitting its answer.',
      'Iteration limit reached.',
      'Token limit reached.',
      'Cost limit reached.',
      'Time limit reached.',
      'Tool call limit reached.',
      'The model made the same tool call again and again.',
      'The model kept giving empty answers.',
      'The model refused to answer.',
      "The provider's content filter stopped the answer.",
      "The model's answer was cut off at the output limit.",
      "The model's answer was cut off at the output limit: its reasoning used up all of it.",
      "The conversation does not fit the model's context.",
      'The run was cancelled.',
      'The server said 401. Check the key.',
    ]);
  });
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

describe('the estimate of a request', () => {
  it('counts messages, calls and tools, and reads each once', () => {
    const read: string[] = [];
    const estimate = requestEstimator((text) => read.push(text) && text.length);
    const toolCalls = [{ id: '1', name: 'read_file', arguments: '{}' }];
    const messages = [
      { role: 'user', text: 'Hello' },
      { role: 'assistant', text: 'Hi', toolCalls, raw: null },
      { role: 'assistant', text: 'Hi', toolCalls, raw: [{ id: 'r', encrypted_content: 'abc' }] },
    ] as const;
    const tools = [{ name: 'read_file', description: 'Read.', parameters: {} }];
    const expected = [
      'Hello',
      'Hi\nread_file {}',
      '[{"id":"r","encrypted_content":"abc"}]',
      '["read_file","Read.",{}]',
    ];
    const tokens = expected.join('').length + 4 * 8;
    expect([estimate({ messages, tools }), estimate({ messages, tools })]).toEqual([tokens, tokens]);
    expect(read).toEqual(expected);
  });
});

describe('a result that is cut', () => {
  it('stays whole up to the limit', () => {
    const text = 'x'.repeat(maxResultCharacters);
    expect(cutResult(text)).toEqual({ text, cut: false });
  });

  it('does not split a character in one endless line', () => {
    const { text } = cutResult(`x${'😀'.repeat(20_000)}`);
    expect(text.split('\n')[0]).toBe(`x${'😀'.repeat(14_999)}`);
  });

  it('is the beginning of the result, at most as long as the limit, at the end of a line', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 200 }), { minLength: 300, maxLength: 600 }), (lines) => {
        const result = lines.join('\n');
        const { text, cut } = cutResult(result);
        if (!cut) return text === (result === '' ? '(the result is empty)' : result);
        const shown = text.slice(0, text.lastIndexOf('\n'));
        return shown.length <= maxResultCharacters && result.startsWith(`${shown}\n`);
      }),
      { numRuns: 30 },
    );
  });
});

describe('the wait before another attempt', () => {
  const error = new ModelError('transient', 'busy');

  it('grows to thirty seconds, up to half of it left out at random', () => {
    const waits = (random: number) =>
      [1, 2, 5, 9].map((attempt) => waitBeforeRetry(error, { attempt, random: () => random }));
    expect(waits(0)).toEqual([1_000, 2_000, 16_000, 30_000]);
    expect(waits(1)).toEqual([500, 1_000, 8_000, 15_000]);
  });

  it('is what the server asks for', () => {
    const asked = new ModelError('transient', 'busy', { retryAfter: 90_000 });
    expect(waitBeforeRetry(asked, { attempt: 1, random: () => 0.5 })).toBe(90_000);
  });
});

describe('the guard against repeated calls', () => {
  it('tells equal calls by name and arguments', () => {
    const guard = new RepeatedCalls();
    const note = (name: string, text: string) => guard.note({ id: '', name, arguments: text });
    expect(note('a', '{"x":{"p":1,"q":[2]}}')).toBe(1);
    expect(note('b', '{"x":{"p":1,"q":[2]}}')).toBe(1);
    expect(note('a', '{"x":{"q":[2],"p":1}}')).toBe(2);
    expect(note('a', '{"x":{"q":[3],"p":1}}')).toBe(1);
    expect(note('a', 'no JSON')).toBe(1);
    expect(note('a', 'no JSON')).toBe(2);
  });

  it('survives arguments that are nested too deep', () => {
    const deep = '['.repeat(200_000) + ']'.repeat(200_000);
    expect(new RepeatedCalls().note({ id: '', name: 'a', arguments: deep })).toBe(1);
  });
});
