import { describe, expect, it } from 'vitest';
import type { Model } from '../../../src/core/agent/model.ts';
import type { FileSyntax } from '../../../src/core/context/syntax.ts';
import type { ReviewEvent } from '../../../src/core/reporter.ts';
import { type ReviewParts, reviewPullRequest } from '../../../src/core/review-pull-request.ts';
import { parseSettings } from '../../../src/core/settings/parse-settings.ts';
import { addedFile } from '../../fakes/changed-files.ts';
import { FakeClock } from '../../fakes/fake-clock.ts';
import { MemoryRepository } from '../../fakes/memory-repository.ts';
import { MemorySearch } from '../../fakes/memory-search.ts';
import { pullRequest } from '../../fakes/review-record.ts';
import { usage } from '../../fakes/scripted-model.ts';

const count = 300;
const paths = Array.from({ length: count }, (_, index) => `src/part-${index}.ts`);
const text = Array.from({ length: 40 }, (_, index) => `export const value${index} = ${index};`);

const submission = JSON.stringify({
  files_review: [],
  non_specific_review: null,
  approval: { approved: true, rationale: 'Fine.', action: 'APPROVE' },
});

type Run = {
  readonly minutes?: number;
  readonly milliseconds?: number;
  readonly report?: (event: ReviewEvent) => void;
};

/** A run over 300 files, a bundle each, with a model that submits after so many milliseconds. */
async function review({ minutes = 15, milliseconds = 0, report = () => undefined }: Run = {}) {
  const clock = new FakeClock();
  const repository = new MemoryRepository(Object.fromEntries(paths.map((path) => [path, text.join('\n')])));
  const search = new MemorySearch(repository);
  const parsed = new Set<string>();
  const parse = async ({ path }: { readonly path: string }): Promise<FileSyntax> => {
    parsed.add(path);
    const reference = { name: `value of ${path}`, line: 1, call: true, member: true };
    return { language: 'x', by: 'parser', definitions: [], references: [reference], imports: [] };
  };
  const model: Model = {
    answer: async (_request, signal) => {
      await clock.wait(milliseconds, signal);
      const toolCalls = [{ id: '1', name: 'submit_review', arguments: submission }];
      return {
        message: { role: 'assistant', text: '', toolCalls, raw: null },
        end: 'tool-calls',
        usage: usage(8_000, 200),
      };
    },
  };
  const values = { 'files-per-batch': '1', 'max-total-tokens': '200000', 'timeout-minutes': String(minutes) };
  const parts: ReviewParts = {
    settings: parseSettings([{ where: 'input', trusted: true, values }], null).settings,
    notes: [],
    signs: true,
    pullRequest,
    changes: async () => ({ files: paths.map((path) => addedFile(path, text)), missing: [] }),
    repository,
    search,
    history: null,
    model,
    verifyModel: null,
    embedder: null,
    syntax: { languageOf: () => 'x', parse },
    report,
    identity: null,
    past: null,
    sinks: [],
    handOver: null,
    recorders: [],
    clock,
    random: () => 0,
    startedAt: 0,
    signal: new AbortController().signal,
  };
  const { review: done } = await clock.drive(reviewPullRequest(parts));
  return { review: done, parsed, search, clock };
}

describe('a change that is too large for its budget', () => {
  it('costs no preparation of the files that no model will see', async () => {
    const { review: done, parsed, search } = await review();
    const { reviewed, unreviewed } = done.coverage;
    expect(reviewed.length).toBeGreaterThan(5);
    expect(reviewed.length + unreviewed.length).toBe(count);
    expect(parsed).toEqual(new Set(reviewed));
    expect(search.queries.length).toBeLessThanOrEqual(reviewed.length);
    expect(new Set(unreviewed.map(({ reason }) => reason))).toEqual(new Set(['Token limit reached.']));
    expect(done.metrics.usage.input + done.metrics.usage.output).toBeLessThanOrEqual(200_000);
  });

  it('is told before it starts, and what did not start in one line', async () => {
    const events: ReviewEvent[] = [];
    const { review: done } = await review({ report: (event) => events.push(event) });
    const types = events.map(({ type }) => type);
    const started = done.coverage.reviewed.length;
    expect(types.indexOf('shares-plan')).toBeLessThan(types.indexOf('bundle-start'));
    expect(events.filter(({ type }) => type === 'bundle-start')).toHaveLength(started);
    expect(events.filter(({ type }) => type === 'bundles-skip')).toEqual([
      { type: 'bundles-skip', count: count - started, of: count, sentence: 'Token limit reached.' },
    ]);
  });

  it('ends with its time: what waits then is not started', async () => {
    const { review: done, parsed, clock } = await review({ minutes: 2, milliseconds: 50_000 });
    const { reviewed, unreviewed } = done.coverage;
    expect(new Set(unreviewed.map(({ reason }) => reason))).toEqual(new Set(['Time limit reached.']));
    expect(parsed.size).toBe(reviewed.length);
    expect(clock.now()).toBeLessThanOrEqual(120_000);
  });
});
