import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ModelError } from '../../../src/core/agent/model.ts';
import { similarity, vectorOf } from '../../../src/core/knowledge/by-meaning.ts';
import { fuseRankings } from '../../../src/core/knowledge/by-words.ts';
import { FakeEmbedder, meaningOf, placesIn, type SearchOptions, searching } from '../context/searching.ts';

describe('a search by meaning', () => {
  it('finds what shares no word with the query, and nothing that is about something else', async () => {
    const { ask } = await searching(new FakeEmbedder());
    expect(placesIn(await ask('fractions of a penny'))).toEqual(['[1] docs/rounding.md:1-3']);
    expect(await ask('kubernetes')).toMatch(/^Nothing in the documents is relevant/);
  });

  it('embeds the documents once, with their paths, also when searches come at the same time', async () => {
    const embedder = new FakeEmbedder();
    const { ask } = await searching(embedder);
    await Promise.all([ask('rounding'), ask('identity'), ask('refunds')]);
    expect(embedder.requests.map((texts) => texts.length).sort()).toEqual([1, 1, 1, 3]);
    expect(embedder.requests.flat().filter((text) => text.startsWith('docs/login.md\n# Login'))).toHaveLength(1);
  });

  it('counts its tokens and its money in the run', async () => {
    const price = { input: 1_000, cached: 0, output: 0 };
    const { ask, used, budget } = await searching(new FakeEmbedder(), { price });
    await ask('rounding');
    expect(used.map(({ usage, cost }) => [usage.input, usage.estimated, cost])).toEqual([
      [30, false, 0.03],
      [10, false, 0.01],
    ]);
    expect([budget.spent, budget.spentCost]).toEqual([40, 0.04]);
  });

  it('embeds the beginning of every document first where not all can be paid, and says how many', async () => {
    const long = 'Line of a long text about nothing at all.\n'.repeat(38);
    const names = Array.from({ length: 10 }, (_file, at) => `${at}`);
    const files = Object.fromEntries(names.map((name) => [`docs/${name}.md`, `# Part ${name}\n${long}`]));
    const embedder = new FakeEmbedder();
    const { ask } = await searching(embedder, { files, maxTokens: 20_000 });
    const answer = await ask('part of a long text');
    const embedded = embedder.requests.slice(0, -1).flat();
    expect(embedded.slice(0, 10).every((text) => /^docs\/\d\.md\n# Part/.test(text))).toBe(true);
    expect(answer).toContain(
      `(${embedded.length} of 20 passages were compared by meaning, the others by words alone.)`,
    );
  });
});

const refused = (status: number) => () => {
  throw new ModelError('refused-request', `the server refused (status ${status}).`);
};
const short = new Int8Array([127]);
const shortQuery = new FakeEmbedder((texts, turn) => texts.map((text) => (turn === 0 ? meaningOf(text) : short)));
const shortFirst = new FakeEmbedder((texts) => texts.map((text, at) => (at === 0 ? short : meaningOf(text))));
const lengths = 'the vectors have different lengths.';

describe('a search by meaning that fails', () => {
  it.each<[string, FakeEmbedder, SearchOptions, string]>([
    ['the server refuses', new FakeEmbedder(refused(404)), {}, 'the server refused (status 404).'],
    ['an answer lacks vectors', new FakeEmbedder(() => []), {}, 'not every text got a vector.'],
    ['the query has another dimension than the documents', shortQuery, {}, lengths],
    ['two documents have different dimensions', shortFirst, {}, lengths],
    ['the tokens are used up', new FakeEmbedder(), { maxTokens: 1 }, 'the tokens of the run are used up.'],
  ])('answers by words when %s, says it in the answer, and once in the run', async (_case, embedder, options, why) => {
    const { ask, told } = await searching(embedder, options);
    const answers = [await ask('sessions'), await ask('taxes')];
    expect(answers.map(placesIn)).toEqual([['[1] docs/login.md:1-3'], ['[1] docs/rounding.md:1-3']]);
    const note = '(Found by words alone: the documents could not be compared by meaning.)';
    expect(answers.every((each) => each.endsWith(note))).toBe(true);
    expect(told).toEqual([`search_knowledge ranks by words alone: ${why}`]);
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
    const billed = used.map(({ usage }) => [usage.estimated, usage.input > 0]);
    expect([clock.now(), billed]).toEqual([30_000, [[true, true]]]);
  });
});

describe('vectors in bytes', () => {
  const component = fc.double({ min: -1, max: 1, noNaN: true });
  const direction = fc
    .array(component, { minLength: 64, maxLength: 64 })
    .filter((all) => all.some((one) => Math.abs(one) > 0.01));

  it('compare as the numbers that they come from, to two hundredths', () => {
    fc.assert(
      fc.property(direction, direction, (one, other) => {
        const dot = (a: readonly number[], b: readonly number[]) =>
          a.reduce((sum, each, at) => sum + each * (b[at] ?? 0), 0);
        const exact = dot(one, other) / Math.sqrt(dot(one, one) * dot(other, other));
        const [a, b] = [vectorOf(one), vectorOf(other)];
        if (a === null || b === null) throw new Error('no direction');
        expect(Math.abs(similarity(a, b) - exact)).toBeLessThan(0.02);
      }),
    );
  });

  it.each([[[]], [[0, 0]], [[Number.NaN, 1]], [[Number.POSITIVE_INFINITY]]])('are none for %j', (components) => {
    expect(vectorOf(components)).toBe(null);
  });
});

it('fused rankings hold every item once, and first what leads in all', () => {
  const ranking = fc.uniqueArray(fc.integer({ min: 0, max: 30 }));
  fc.assert(
    fc.property(fc.array(ranking, { maxLength: 4 }), (rankings) => {
      const fused = fuseRankings(rankings);
      expect(fused.toSorted()).toEqual([...new Set(rankings.flat())].toSorted());
      const leaders = new Set(rankings.map(([first]) => first));
      if (rankings.length > 0 && leaders.size === 1) expect(fused[0]).toBe(rankings[0]?.[0]);
    }),
  );
});
