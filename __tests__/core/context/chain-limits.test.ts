import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { estimateTokens } from '../../../src/core/agent/estimate.ts';
import type { ChainCandidate, Relation } from '../../../src/core/context/chain-entry.ts';
import { fitChain } from '../../../src/core/context/fit-chain.ts';
import { renderChain } from '../../../src/core/context/render-chain.ts';
import { sampleChanges } from '../../fakes/sample-changes/index.ts';
import { openSample } from '../../fakes/sample-changes/sample-change.ts';
import { chainOf, parser } from './chain-of.ts';

afterAll(() => parser.close());

const relations: readonly Relation[] = ['definition', 'caller', 'test', 'import'];
const shownLines = (texts: readonly string[]) => texts.map((text) => ({ text, redacted: false }));
const lines = fc.array(fc.string({ maxLength: 120 }), { maxLength: 40 }).map(shownLines);

const candidates: fc.Arbitrary<readonly ChainCandidate[]> = fc.array(
  fc.record({
    relation: fc.constantFrom(...relations),
    symbol: fc.string({ maxLength: 60 }),
    path: fc.constantFrom('a.ts', 'src/b.ts', '日本/語.ts', 'line\nend.ts'),
    startLine: fc.integer({ min: 1, max: 100_000 }),
    endLine: fc.constant(0),
    inside: fc.option(fc.string({ maxLength: 40 })),
    lines,
    body: lines,
  }),
  { maxLength: 60 },
);

describe('fitChain', () => {
  it('never takes more tokens than it may, whatever was found', () => {
    fc.assert(
      fc.property(candidates, fc.integer({ min: 0, max: 6_000 }), fc.boolean(), (found, maxTokens, signaturesOnly) => {
        const { entries, left } = fitChain(found, { maxTokens, signaturesOnly });
        expect(estimateTokens(renderChain(entries))).toBeLessThanOrEqual(maxTokens);
        expect(entries.length + left).toBe(found.length);
      }),
    );
  });

  it('adds no body where only signatures are wanted', () => {
    fc.assert(
      fc.property(candidates, (found) => {
        const { entries } = fitChain(found, { maxTokens: 100_000, signaturesOnly: true });
        expect(entries.map((entry) => entry.lines)).toEqual(found.map((candidate) => candidate.lines.slice(0, 8)));
      }),
    );
  });

  it('keeps room for uses when definitions alone would fill it', () => {
    const entry = (relation: Relation, at: number): ChainCandidate => ({
      ...{ relation, symbol: `name${at}`, path: `src/file${at}.ts`, startLine: at, endLine: at, inside: null },
      lines: shownLines([`export function name${at}(): void {`]),
      body: [],
    });
    const found = [
      ...Array.from({ length: 60 }, (_entry, at) => entry('definition', at + 1)),
      ...Array.from({ length: 5 }, (_entry, at) => entry('caller', at + 100)),
    ];
    const { entries } = fitChain(found, { maxTokens: 400, signaturesOnly: true });
    expect(entries.filter(({ relation }) => relation === 'caller').length).toBeGreaterThan(2);
    expect(entries.filter(({ relation }) => relation === 'definition').length).toBeGreaterThan(5);
  });
});

describe('contextChain', () => {
  it.each(sampleChanges)('stays within any number of tokens in $language', async (sample) => {
    const { repository, changes } = openSample(sample);
    for (const maxTokens of [0, 20, 100, 250, 800]) {
      const { entries } = await chainOf(repository, { changes, maxTokens });
      expect(estimateTokens(renderChain(entries))).toBeLessThanOrEqual(maxTokens);
    }
  });
});
