import { describe, expect, it } from 'vitest';
import type { Phase } from '../../../src/core/agent/event.ts';
import { agentLine } from '../../../src/core/report/agent-line.ts';

describe('a line about an answer under way', () => {
  it.each([
    ['waits', 40_000, null, 'still waiting for the model, 40 s'],
    ['tells what was written', 40_000, 12_300, 'the model is writing, 40 s, 12,300 characters so far'],
  ])('%s', (_what, milliseconds, characters, text) => {
    const line = agentLine({ type: 'call-wait', phase: 'review', milliseconds, characters });
    expect(line).toEqual({ level: 'info', text, detail: null });
  });
});

it.each<[Phase, string]>([
  ['review', 'iteration 2 of 15 starts, about 1,200 tokens in'],
  ['final', 'last call starts, about 1,200 tokens in'],
  ['extraction', 'extraction starts, about 1,200 tokens in'],
  ['verification', 'verification starts, about 1,200 tokens in'],
  ['reflection', 'reflection starts, about 1,200 tokens in'],
])('a line about a call of the phase %s names it', (phase, text) => {
  expect(agentLine({ type: 'step-start', phase, step: 2, maxSteps: 15, inputEstimate: 1_200 })?.text).toBe(text);
});

it('a line about money that ran out is its one sentence', () => {
  expect(agentLine({ type: 'limit-reach', stop: { reason: 'limit', limit: 'cost' } })?.text).toBe(
    'Cost limit reached.',
  );
});
