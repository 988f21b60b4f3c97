import { expect, it } from 'vitest';
import { FakeClock } from '../../fakes/fake-clock.ts';
import { call, ScriptedModel, usage } from '../../fakes/scripted-model.ts';
import type { Given } from './agent-with.ts';
import { agentWith, budgetOf, run, toolTexts } from './agent-with.ts';

it('closes the last result of each turn, and presses from two iterations left on', async () => {
  const both = [call('read_file', { path: 'a.ts' }), call('read_file', { path: 'b.ts' })];
  expect(await notes({ limits: { maxSteps: 4 } }, both)).toEqual([
    null,
    '[budget: 3 of 4 iterations left, about 999,000 tokens, 10 minutes]',
    null,
    '[budget: 2 of 4 iterations left, about 999,000 tokens, 10 minutes: call submit now or with the next call]',
    null,
    '[budget: 1 of 4 iterations left, about 999,000 tokens, 10 minutes: call submit now or with the next call]',
  ]);
});

it.each<[string, () => Omit<Given, 'model'>, string]>([
  [
    'the tokens',
    () => withBudget({ maxTokens: 6_800 }),
    '4 of 5 iterations left, about 6,000 tokens, 10 minutes: call',
  ],
  [
    'the time',
    () => withBudget({ softDeadline: 59_000 }),
    '4 of 5 iterations left, about 999,000 tokens, under a minute: call',
  ],
  [
    'the money',
    () => ({ ...withBudget({ maxCost: 1.4 }), price: { input: 200, cached: 20, output: 200 } }),
    '4 of 5 iterations left, about 999,000 tokens, $1.37, 10 minutes: call',
  ],
])('presses when %s run out', async (_what, given, expected) => {
  const [note] = await notes(given(), [call('read_file', { path: 'a.ts' })]);
  expect(note).toContain(expected);
});

it('tells the money that is left, rounded down', async () => {
  const priced = { ...withBudget({ maxCost: 9.999 }), price: { input: 100, cached: 10, output: 100 } };
  const [note] = await notes(priced, [call('read_file', { path: 'a.ts' })]);
  expect(note).toBe('[budget: 4 of 5 iterations left, about 999,000 tokens, $9.98, 10 minutes]');
});

function withBudget(limits: Parameters<typeof budgetOf>[1]): Omit<Given, 'model'> {
  const clock = new FakeClock();
  return { clock, budget: budgetOf(clock, limits) };
}

/** The notes of up to three turns that make these calls; null for an answer without one. */
async function notes(given: Omit<Given, 'model'>, toolCalls: ReturnType<typeof call>[]): Promise<(string | null)[]> {
  const read = { toolCalls, usage: usage(100, 10) };
  const model = new ScriptedModel(read, read, read, { text: 'Done.' });
  const result = await run(agentWith({ ...given, model }));
  return toolTexts(result.messages).map((text) => /\[budget: .*\]$/.exec(text)?.[0] ?? null);
}
