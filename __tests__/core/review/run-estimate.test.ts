import { describe, expect, it } from 'vitest';
import { noTeamWords } from '../../../src/core/bundles/render-guidance.ts';
import { estimateRun } from '../../../src/core/review/run-estimate.ts';
import { addedFile } from '../../fakes/changed-files.ts';
import { ruleWith } from '../../fakes/rule-with.ts';

const limits = { maxSteps: 15, stepOutputTokens: 1, lastOutputTokens: 1, callMilliseconds: 1 };
const agent = { tools: [], limits, price: null, estimateTokens: () => 2_000 };
const settings = {
  passes: 1,
  language: 'English',
  profile: 'thorough',
  allowFollowUp: true,
  maxFollowUpTokens: 2_000,
} as const;
const price = { input: 10, cached: 1, output: 100 };

function bundleOf(files: number, estimatedTokens: number) {
  const paths = Array.from({ length: files }, (_, index) => `f${index}.ts`);
  return {
    name: 'x',
    estimatedTokens,
    files: paths.map((path) => ({ file: addedFile(path, []), hunks: [], part: null })),
  };
}

describe('the estimate of a run', () => {
  it('counts the conversation anew for every iteration', () => {
    // Two files take three iterations, each 2,000 tokens longer than the one before.
    const prompt = 2_000 + 500 + 1_000;
    expect(estimateRun([bundleOf(2, 1_000)], { agent, settings, verifier: null, words: noTeamWords })).toMatchObject({
      modelCalls: 3,
      input: 3 * prompt + 2_000 + 4_000,
      output: 1_500,
      cost: null,
    });
  });

  it('adds passes and verifications, with what the provider has cached at its price', () => {
    const estimate = estimateRun([bundleOf(1, 0), bundleOf(1, 0)], {
      agent: { ...agent, price },
      settings: { ...settings, passes: 2 },
      verifier: { price: { input: 1, cached: 1, output: 1 } },
      words: noTeamWords,
    });
    const [review, checks] = [4 * (2_500 + 4_500 + 6_500), 2 * 2_000];
    expect([estimate.modelCalls, estimate.input]).toEqual([4 * 3 + 2, review + checks]);
    const cached = 4 * (2_500 + 4_500);
    expect(estimate.cost).toBeCloseTo(
      ((review - cached) * 10 + cached * 1 + 12 * 500 * 100 + checks + 2 * 500) / 1e6,
      9,
    );
  });

  it('is one call a bundle in the follow-up profile, with the code around the change', () => {
    const single = { ...agent, limits: { ...limits, maxSteps: 0 } };
    expect(
      estimateRun([bundleOf(5, 1_000)], {
        agent: single,
        settings: { ...settings, profile: 'follow-up' },
        verifier: null,
        words: noTeamWords,
      }),
    ).toMatchObject({ modelCalls: 1, input: 2_000 + 500 + 3_000 + 1_000 });
  });

  it('counts what the team says, with the bundles that it is said to', () => {
    const counting = { ...agent, limits: { ...limits, maxSteps: 1 }, estimateTokens: (text: string) => text.length };
    const rule = ruleWith({ paths: ['f*.ts'], guidance: 'x'.repeat(5_000) });
    const memory = 'y'.repeat(700);
    const inputWith = (words: typeof noTeamWords, files: number) =>
      estimateRun([bundleOf(files, 0)], { agent: counting, settings, verifier: null, words }).input;
    const without = inputWith(noTeamWords, 1);
    expect(inputWith({ ...noTeamWords, rules: [rule], memory }, 1) - without).toBeGreaterThan(5_700);
    expect(inputWith({ ...noTeamWords, rules: [{ ...rule, paths: ['web/**'] }] }, 1)).toBe(without);
  });

  it('never goes beyond the iterations that are allowed', () => {
    const one = { ...agent, limits: { ...limits, maxSteps: 1 } };
    expect(
      estimateRun([bundleOf(30, 1_000)], { agent: one, settings, verifier: null, words: noTeamWords }).modelCalls,
    ).toBe(1);
  });
});
