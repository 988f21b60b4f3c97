import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { costProblem } from '../../../src/core/settings/cost-problem.ts';
import { parsePricing, priceOf } from '../../../src/core/settings/pricing.ts';

describe('pricing', () => {
  it('is read for all models, and for one by its name, colons included', () => {
    const { pricing, problems } = parsePricing([
      'input=1.25, cached=0.125, output=$10',
      'llama3:8b: input=.1,output=.2',
    ]);
    expect(problems).toEqual([]);
    expect(priceOf(pricing, 'any')).toEqual({ input: 1.25, cached: 0.125, output: 10 });
    expect(priceOf(pricing, 'llama3:8b')).toEqual({ input: 0.1, cached: 0.1, output: 0.2 });
  });

  it.each([
    ['input=1', 'input=… and output=… are both needed'],
    ['input=1,output=2,chached=3', '"chached=3" is not input=…'],
    ['input=-1,output=2', '"input=-1" is not input=…'],
    ['cheap', '"" is not input=…'],
  ])('%j is refused with what is wrong', (line, problem) => {
    expect(parsePricing([line]).problems[0]).toContain(problem);
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (lines) => {
        expect(parsePricing(lines).problems.length).toBeLessThanOrEqual(lines.length);
      }),
    );
  });
});

describe('a limit of cost', () => {
  const settings = {
    maxCost: 1,
    pricing: {},
    profile: 'thorough',
    model: 'm',
    verify: true,
    verifyModel: '',
    embeddingsModel: '',
  } as const;
  const price = { input: 1, cached: 1, output: 1 };

  it('needs a price, of the verifying model too', () => {
    expect(costProblem(settings)).toMatch(/'pricing' does not say what m costs/);
    expect(costProblem({ ...settings, pricing: { m: price }, verifyModel: 'v' })).toMatch(/what v costs/);
    expect(costProblem({ ...settings, pricing: { '*': price }, verifyModel: 'v' })).toBe(null);
  });

  it('needs a price of its own for a model of another kind', () => {
    const priced = { ...settings, pricing: { '*': price }, embeddingsModel: 'e' };
    expect(costProblem(priced)).toMatch(/no line of its own for e: add one such as 'e: input=0\.02,output=0'/);
    expect(costProblem({ ...priced, pricing: { '*': price, e: price } })).toBe(null);
  });

  it('needs none where no model is asked, or nothing is limited', () => {
    expect([costProblem({ ...settings, profile: 'offline' }), costProblem({ ...settings, maxCost: null })]).toEqual([
      null,
      null,
    ]);
  });
});
