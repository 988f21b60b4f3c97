import { describe, expect, it } from 'vitest';
import type { Budget } from '../../../src/core/agent/budget.ts';
import { ModelError } from '../../../src/core/agent/model.ts';
import { FakeEmbedder, meaningOf, placesIn, type SearchOptions, searching } from './searching.ts';

const refused = (status: number) => () => {
  throw new ModelError('refused-request', `the server refused (status ${status}).`);
};
const oneDimension = () => new Int8Array([127]);

describe('a search by meaning that fails', () => {
  it.each<[string, FakeEmbedder, SearchOptions, string]>([
    ['the server refuses', new FakeEmbedder(refused(404)), {}, 'the server refused (status 404).'],
    ['an answer lacks vectors', new FakeEmbedder(() => []), {}, 'not every text got a vector.'],
    [
      'the query has another dimension than the documents',
      new FakeEmbedder((texts, turn) => texts.map((text) => (turn === 0 ? meaningOf(text) : oneDimension()))),
      {},
      'the vectors have different lengths.',
    ],
    [
      'two documents have different dimensions',
      new FakeEmbedder((texts) => texts.map((text, at) => (at === 0 ? oneDimension() : meaningOf(text)))),
      {},
      'the vectors have different lengths.',
    ],
    ['the tokens are used up', new FakeEmbedder(), { maxTokens: 300 }, 'the tokens of the run are used up.'],
  ])('answers by words when %s, says it in the answer, and once in the run', async (_case, embedder, options, why) => {
    const { ask, told, budget } = await searching(embedder, options);
    if (why.includes('used up')) spendAll(budget);
    const answers = [await ask('sessions'), await ask('taxes')];
    expect(answers.map(placesIn)).toEqual([['[1] docs/login.md:1-3'], ['[1] docs/rounding.md:1-3']]);
    expect(
      answers.every((each) => each.endsWith('(Found by words alone: the documents could not be compared by meaning.)')),
    ).toBe(true);
    expect(told).toEqual([`search_knowledge ranks by words alone: ${why}`]);
  });

  it('asks no failing server again', async () => {
    const embedder = new FakeEmbedder(refused(401));
    const { ask } = await searching(embedder);
    await ask('sessions');
    await ask('taxes');
    expect(embedder.requests).toHaveLength(1);
  });

  it('tries once more where it may help', async () => {
    const embedder = new FakeEmbedder((texts, turn) => {
      if (turn === 0) throw new ModelError('transient', 'busy', { retryAfter: 2_000 });
      return texts.map(meaningOf);
    });
    const { ask, told, clock } = await searching(embedder);
    expect(placesIn(await ask('fractions'))).toEqual(['[1] docs/rounding.md:1-3']);
    expect([told, clock.now()]).toEqual([[], 2_000]);
  });

  it('waits half a minute for a server that hangs, and counts what it may bill', async () => {
    const { ask, told, used, clock } = await searching({ embed: () => new Promise(() => undefined) });
    expect(placesIn(await ask('sessions'))).toEqual(['[1] docs/login.md:1-3']);
    expect(told).toEqual(['search_knowledge ranks by words alone: no answer came within 30 seconds.']);
    expect([clock.now(), used.length, used[0]?.usage.estimated, (used[0]?.usage.input ?? 0) > 0]).toEqual([
      30_000,
      1,
      true,
      true,
    ]);
  });
});

function spendAll(budget: Budget): void {
  const size = { input: 200, output: 0 };
  const member = budget.enter({ opening: size, lastCall: { input: 0, output: 0 }, price: null });
  const reservation = member.granted ? member.reserve(size, { input: 0, output: 0 }) : member;
  if (!reservation.granted) throw new Error('refused');
  reservation.settle({ input: 295, cached: 0, output: 0, thinking: 0, estimated: true });
}
