import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { estimateTokens } from '../../../src/core/agent/estimate.ts';
import { ModelError } from '../../../src/core/agent/model.ts';
import { createFence } from '../../../src/core/batches/render-batch.ts';
import type { ReviewEvent } from '../../../src/core/events.ts';
import { groundSources } from '../../../src/core/findings/sources.ts';
import { submitReview } from '../../../src/core/findings/submit-review.ts';
import { readContextRequest } from '../../../src/core/findings/words.ts';
import { shown, splitLines } from '../../../src/core/repository/shown.ts';
import { grantContext } from '../../../src/core/reviewing/follow-up.ts';
import { reviewBatch } from '../../../src/core/reviewing/review-batch.ts';
import { addedFile, MemoryRepository } from '../../fakes/memory-repository.ts';
import { call, ScriptedModel, type ScriptedStep } from '../../fakes/scripted-model.ts';
import { agentWith, type budgetOf, opening, quarter } from '../agent/agent-with.ts';
import { batchOf, submitted } from '../findings/make.ts';
import { cart, files } from './verifying.ts';

const file = addedFile('src/cart.ts', cart.split('\n'));
const item = submitted({ path: 'src/cart.ts', quote: '  return items[items.length - 1].price;' });
const request = { file: 'src/cart.ts', line_start: 1, line_end: 3, reason: 'The guard.' };

async function follow(script: readonly ScriptedStep[], limits: Parameters<typeof budgetOf>[1] = {}) {
  const model = new ScriptedModel(...script);
  const within = { maxTokens: 100_000, ...limits };
  const agent = agentWith({ model, within, estimateTokens: quarter, limits: { maxSteps: 0 } });
  const events: ReviewEvent[] = [];
  let count = 0;
  const sources = groundSources(new MemoryRepository(files), { files: [file], isDenied: () => null });
  const read = (path: string) => sources.read(path, 'RIGHT');
  const review = await agent.clock.drive(
    reviewBatch(batchOf([file]), {
      agent,
      opening,
      submission: { ...sources, nextId: () => `f${++count}` },
      emit: () => undefined,
      followUp: {
        name: 'src',
        scope: { paths: new Map([['src/cart.ts', 'src/cart.ts']]), maxTokens: 2_000, read },
        fence: createFence('a'.repeat(40), () => false),
        report: (event) => events.push(event),
      },
    }),
  );
  const { budget, meter } = agent;
  return { review, model, budget, metrics: meter.metrics, events: events.map(({ type }) => type) };
}

function submit(more: object, findings: readonly object[] = [item]): ScriptedStep {
  return { toolCalls: [call('submit_review', { files_review: findings, approval: { action: 'COMMENT' }, ...more })] };
}

it('fixes what could not be placed before it looks again', async () => {
  const lost = { ...item, quote: 'nothing of the kind' };
  const { review, model } = await follow([
    submit({ context_request: request }, [lost]),
    submit({}, [item]),
    submit({ dismissed: [{ finding: 1, reason: 'Guarded.' }] }, []),
  ]);
  expect([model.requests.length, review.findings.length, review.disproved.length]).toEqual([3, 0, 1]);
});

it('keeps what is not mentioned in the second answer, also where it has no place', async () => {
  const lost = { ...item, quote: 'nothing of the kind' };
  const again = submit({ context_request: request }, [lost]);
  const { review } = await follow([again, again, again, submit({ confirmed: [] }, [])]);
  expect([review.findings, review.disproved]).toMatchObject([[{ title: item.title, unplaced: {} }], []]);
});

it('asks for lines and verdicts only where there is a second call, before the approval', () => {
  const [review, followUp] = [false, true].map((followUp) => {
    const { tool } = submitReview({ files: [], read: async () => null, nextId: () => 'f1', followUp });
    return Object.keys(tool.parameters.properties ?? {});
  });
  expect(review).toEqual(['walkthrough', 'files_review', 'non_specific_review', 'approval']);
  expect(followUp).toEqual([...(review?.slice(0, 3) ?? []), 'confirmed', 'dismissed', 'context_request', 'approval']);
});

const step: fc.Arbitrary<ScriptedStep> = fc.oneof(
  fc.constantFrom<ScriptedStep>(
    submit({}),
    submit({ context_request: request }),
    submit({ context_request: { ...request, file: 'src/far.ts' } }),
    submit({ confirmed: [1], dismissed: [{ finding: 1, reason: 'No.' }] }, []),
    submit({ dismissed: [{ finding: 1, reason: 'No.' }], context_request: request }, []),
    submit({}, [{ ...item, quote: 'not there' }]),
    { text: JSON.stringify({ issues: [], context_request: request }) },
    { text: 'I see nothing wrong.' },
    { text: '' },
    { toolCalls: [call('read_file', { path: 'src/cart.ts' })] },
    { toolCalls: [call('submit_review', [])], end: 'length' },
    { text: '', end: 'refusal' },
    new ModelError('transient', 'busy'),
    new ModelError('quota', 'no money'),
    new ModelError('context-overflow', 'too long'),
  ),
);

const limit = fc.integer({ min: 500, max: 60_000 });

it('asks again at most once and stays within the tokens, whatever the model says', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), limit, async (steps, maxTokens) => {
      const script = Array.from({ length: 60 }, (_, index) => steps[index % steps.length] ?? { text: '' });
      const { review, model, budget, metrics, events } = await follow(script, { maxTokens });
      const isFollowUp = ({ messages }: { readonly messages: readonly object[] }) =>
        JSON.stringify(messages).includes('The lines that you asked for');
      const use = metrics.phases['follow-up'];
      // Attempts of one call after transient errors are the same call.
      expect(new Set(model.requests.filter(isFollowUp).map(({ messages }) => messages.length)).size).toBeLessThan(2);
      expect(use === undefined || use.modelCalls <= 5).toBe(true);
      expect(budget.spent).toBeLessThanOrEqual(maxTokens);
      const offered = model.requests.flatMap(({ tools }) => tools.map(({ name }) => name));
      expect(offered).toEqual(model.requests.map(() => 'submit_review'));
      const count = (...types: readonly string[]) => events.filter((type) => types.includes(type)).length;
      expect(count('follow_up_complete', 'follow_up_refused')).toBe(count('follow_up_requested'));
      const ids = [...review.findings, ...review.disproved].map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
    }),
  );
});

const tenLines = Array.from({ length: 10 }, (_, index) => `line ${index + 1}`).join('\n');
const outside = 'the file is neither among the changed files of the batch nor in the code around them';
const same = ['src/a.ts', 'src/chain.ts', 'src/gone.ts'].map((path) => [path, path] as const);
const paths = new Map([...same, ['src/old.ts', 'src/a.ts']]);

function grant(file: string, range: readonly [number, number], { maxTokens = 2_000, text = tenLines } = {}) {
  const asked = readContextRequest({ file, line_start: range[0], line_end: range[1], reason: 'To decide.' });
  if (asked === null) throw new Error('not a request');
  const read = async () => (file === 'src/gone.ts' ? null : shown(splitLines(text)));
  return grantContext(asked, { paths, maxTokens, read });
}

describe('lines that a model asks for', () => {
  it.each<[string, [number, number], string, string, string]>([
    ['src/chain.ts', [2, 3], 'src/chain.ts', '2-3', '   2 | line 2\n   3 | line 3'],
    ['src/old.ts', [1, 1], 'src/a.ts', '1-1', '   1 | line 1'],
    ['src/a.ts', [9, 400], 'src/a.ts', '9-10', '   9 | line 9\n  10 | line 10'],
  ])('are shown of the batch, what is around it and by an old name: %s', async (file, range, path, lines, text) => {
    expect(await grant(file, range)).toEqual({ granted: true, path, lines, text });
  });

  it.each<[string, [number, number], string, number]>([
    ['src/far.ts', [1, 2], outside, 2_000],
    ['../../etc/passwd', [1, 2], outside, 2_000],
    ['src/gone.ts', [1, 2], 'there is no text at the reviewed commit that may be read', 2_000],
    ['src/a.ts', [11, 20], 'the file has 10 lines', 2_000],
    ['src/a.ts', [4, 2], 'line 4 comes after line 2', 2_000],
    ['src/a.ts', [1, 2], 'not even its first line fits 3 tokens', 3],
  ])('are refused for %s %j: %s', async (file, range, reason, maxTokens) => {
    expect(await grant(file, range, { maxTokens })).toEqual({ granted: false, reason });
  });

  it('are cut at the limit of tokens, which is reported', async () => {
    const long = { maxTokens: 100, text: 'const a = compute(b, c);\n'.repeat(400) };
    const text = expect.stringMatching(/\[lines \d+-400 are left out: the limit of a follow-up\]$/);
    expect(await grant('src/a.ts', [1, 400], long)).toMatchObject({ granted: true, text });
  });

  it('never leave their scope, never hold a credential and never take more tokens than allowed', async () => {
    const secret = `const key = "AKIA${'ABCDEFGH'.repeat(2)}";`;
    const long = fc.string({ minLength: 2_000, maxLength: 4_000 });
    const line = fc.oneof(fc.string({ maxLength: 200 }), fc.constant(secret), long);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('src/a.ts', './src/a.ts', 'src/far.ts', 'src/../src/a.ts', '/src/a.ts'),
        fc.integer({ min: 1, max: 80 }),
        fc.integer({ min: 1, max: 80 }),
        fc.integer({ min: 1, max: 600 }),
        fc.array(line, { minLength: 1, maxLength: 60 }),
        async (file, start, length, maxTokens, lines) => {
          const text = lines.join('\n');
          const granted = await grant(file, [start, start + length], { maxTokens, text });
          if (!granted.granted) return;
          expect(granted.path).toBe('src/a.ts');
          expect(estimateTokens(granted.text)).toBeLessThanOrEqual(maxTokens);
          expect(granted.text).not.toContain('AKIA');
        },
      ),
      { numRuns: 200 },
    );
  });
});
