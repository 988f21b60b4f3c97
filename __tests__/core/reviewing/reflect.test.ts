import { describe, expect, it } from 'vitest';
import type { Model } from '../../../src/core/agent/model.ts';
import { placed } from '../../../src/core/findings/finding.ts';
import { inEnglish } from '../../../src/core/messages/languages.ts';
import { verbatim } from '../../../src/core/messages/message.ts';
import { reflect } from '../../../src/core/review/reflect.ts';
import { coverageOf, incompleteFiles } from '../../../src/core/reviewing/coverage.ts';
import { estimateRun } from '../../../src/core/reviewing/estimate-run.ts';
import { previewSettings } from '../../../src/core/settings/parse-settings.ts';
import { noTeamWords } from '../../../src/core/team/team-words.ts';
import { addedFile, changedFile, FakeClock } from '../../fakes/memory-repository.ts';
import { finding, review } from '../../fakes/review-record.ts';
import { call, ScriptedModel, usage } from '../../fakes/scripted-model.ts';
import { batchOf } from '../findings/make.ts';

function reflecting(model: Model, clock: FakeClock) {
  const signal = new AbortController().signal;
  const price = { input: 1, cached: 1, output: 1 };
  const told = { clock, random: () => 0, signal, emit: () => undefined };
  return { model, price, maxTokens: 50_000, maxCost: 1, end: Number.POSITIVE_INFINITY, ...told };
}

async function judge(model: Model) {
  const clock = new FakeClock();
  const reviewed = review({ outcome: 'findings', findings: [placed(finding(), 'inline')] });
  const { reflection, metrics } = await clock.drive(reflect(reviewed, reflecting(model, clock)));
  return { reflection, metrics, now: clock.now() };
}

describe('a reflection', () => {
  it('scores the run, within bounds, whatever the model says', async () => {
    const issues = [' Too few files were read. ', '', ...Array.from({ length: 9 }, () => 'x'.repeat(300))];
    const scores = call('submit_reflection', { confidence: 1.7, quality: -1, issues });
    const { reflection, metrics } = await judge(new ScriptedModel({ toolCalls: [scores], usage: usage(800, 30) }));
    const kept = ['Too few files were read.', ...Array.from({ length: 4 }, () => expect.stringMatching(/^x{199}.$/))];
    expect(reflection).toEqual({ confidence: 1, quality: 0, issues: kept });
    expect(metrics.phases['reflection']).toMatchObject({ modelCalls: 1, usage: usage(800, 30) });
  });

  it('is given up after twenty seconds', async () => {
    const { reflection, now } = await judge({ answer: () => new Promise(() => undefined) });
    expect([reflection, now]).toEqual([null, 20_000]);
  });

  it('tells the model nothing of the source', async () => {
    const scores = call('submit_reflection', { confidence: 1, quality: 1, issues: [] });
    const model = new ScriptedModel({ toolCalls: [scores] });
    await judge(model);
    expect(JSON.stringify(model.requests[0]?.messages)).not.toContain('items[items.length]');
  });
});

const limits = { maxSteps: 15, stepOutputTokens: 1, lastOutputTokens: 1, callMilliseconds: 1 };
const agent = { tools: [], limits, price: null, estimateTokens: () => 2_000 };
const settings = previewSettings([]);
const price = { input: 10, cached: 1, output: 100 };

/** The estimate for one pass without verification, but for what is given. */
function estimated(batches: Parameters<typeof estimateRun>[0], given: Partial<Parameters<typeof estimateRun>[1]> = {}) {
  return estimateRun(batches, { agent, settings, verifier: null, words: noTeamWords, ...given });
}

function emptyFiles(count: number, estimatedTokens: number) {
  const files = Array.from({ length: count }, (_, index) => addedFile(`f${index}.ts`, []));
  return batchOf(files, { estimatedTokens });
}

describe('the estimate of a run', () => {
  it('counts the conversation anew for every iteration', () => {
    // Eight files take three iterations, each 2,000 tokens longer than the one before.
    const prompt = 2_000 + 500 + 1_000;
    const input = 3 * prompt + 2_000 + 4_000;
    expect(estimated([emptyFiles(8, 1_000)])).toMatchObject({ modelCalls: 3, input, output: 1_500, cost: null });
  });

  it('adds passes and verifications, with what the provider has cached at its price', () => {
    const verifier = { price: { input: 1, cached: 1, output: 1 } };
    const twice = { agent: { ...agent, price }, settings: { ...settings, passes: 2 }, verifier };
    const estimate = estimated([emptyFiles(1, 0), emptyFiles(1, 0)], twice);
    const [review, checks] = [4 * (2_500 + 4_500), 2 * 2_400];
    expect([estimate.modelCalls, estimate.input]).toEqual([4 * 2 + 2, review + checks]);
    const cached = 4 * 2_500;
    const spent = (review - cached) * 10 + cached + 8 * 500 * 100 + checks + 2 * 400;
    expect(estimate.cost).toBeCloseTo(spent / 1e6, 9);
  });
});

describe('files whose diff is not whole', () => {
  it('are named, twenty of them, and counted', () => {
    const kept = Array.from({ length: 100_000 }, (_, index) =>
      changedFile(`src/${index}.ts`, { incomplete: verbatim('cut') }),
    );
    const sentences = incompleteFiles({ kept, skipped: [], unread: [], unshown: [] }).map(inEnglish);
    expect([sentences.length, sentences[0]]).toEqual([21, 'The diff of src/0.ts is incomplete: cut.']);
    expect(sentences.at(-1)).toBe('The diffs of 99,980 more files are incomplete.');
  });
});

describe('a submodule', () => {
  it('is not read although it is kept, in this run and the next', () => {
    const selection = {
      skipped: [],
      unshown: [],
      unread: [{ path: 'lib', reason: verbatim('elsewhere'), code: true }],
    };
    const kept = [changedFile('lib')];
    const looked = coverageOf({ selection: { ...selection, kept }, missing: [], earlier: [] }, []);
    const later = coverageOf({ selection: { ...selection, kept: [] }, missing: [], earlier: ['lib'] }, []);
    const lists = [looked, later].flatMap(({ reviewed, earlier, unread }) => [...reviewed, ...earlier, unread.length]);
    expect(lists).toEqual([1, 1]);
  });
});
