import { describe, expect, it } from 'vitest';
import { FakeEmbedder, placesIn, searching } from './searching.ts';

describe('a search by meaning', () => {
  it('finds what shares no word with the query, and nothing that is about something else', async () => {
    const { ask } = await searching(new FakeEmbedder());
    expect(placesIn(await ask('fractions of a penny'))).toEqual(['[1] docs/rounding.md:1-3']);
    expect(await ask('kubernetes')).toMatch(/^Nothing in the documents is relevant/);
  });

  it('puts first what words and meaning agree on', async () => {
    const { ask } = await searching(new FakeEmbedder());
    expect(placesIn(await ask('identity: taxes after an hour'))[0]).toBe('[1] docs/login.md:1-3');
  });

  it('embeds the documents once, with their paths, also when searches come at the same time', async () => {
    const embedder = new FakeEmbedder();
    const { ask } = await searching(embedder);
    await Promise.all([ask('rounding'), ask('identity'), ask('refunds')]);
    expect(embedder.requests.map((texts) => texts.length).sort()).toEqual([1, 1, 1, 3]);
    expect(embedder.requests.flat().filter((text) => text.startsWith('docs/login.md\n# Login'))).toHaveLength(1);
  });

  it('counts its tokens and its money in the run', async () => {
    const { ask, used, budget } = await searching(new FakeEmbedder(), {
      price: { input: 1_000, cached: 0, output: 0 },
    });
    await ask('rounding');
    expect(used.map(({ usage, cost }) => [usage.input, usage.estimated, cost])).toEqual([
      [30, false, 0.03],
      [10, false, 0.01],
    ]);
    expect([budget.spent, budget.spentCost]).toEqual([40, 0.04]);
  });

  it('embeds the beginning of every document first where not all can be paid, and says how many', async () => {
    const long = Array.from({ length: 40 }, (_line, at) => `Line ${at} of a long text about nothing at all.`).join(
      '\n',
    );
    const files = Object.fromEntries(
      Array.from({ length: 10 }, (_file, at) => [`docs/${at}.md`, `# Part ${at}\n${long}`]),
    );
    const embedder = new FakeEmbedder();
    const { ask } = await searching(embedder, { files, maxTokens: 20_000 });
    const answer = await ask('part of a long text');
    const embedded = embedder.requests.slice(0, -1).flat();
    expect(embedded.slice(0, 10).every((text) => /^docs\/\d\.md\n# Part/.test(text))).toBe(true);
    expect(answer).toContain(
      `(Of 20 passages ${embedded.length} were compared by meaning, the others by words alone.)`,
    );
  });
});
