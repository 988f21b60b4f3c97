import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ModelRequest } from '../../../src/core/agent/model.ts';
import { planBatches } from '../../../src/core/batches/plan-batches.ts';
import { reviewPullRequest } from '../../../src/core/review-pull-request.ts';
import { affordable, countFocuses } from '../../../src/core/reviewing/focus.ts';
import { addedFile, FakeClock, MemoryRepository } from '../../fakes/memory-repository.ts';
import { reviewParts } from '../../fakes/rich-record.ts';
import { call, type ScriptedAnswer, ScriptedModel, usage } from '../../fakes/scripted-model.ts';
import { submitted } from '../findings/make.ts';

const folders = ['cart', 'mail', 'stock', 'user'];
const lines = (name: string, count: number) => Array.from({ length: count }, (_, at) => `${name}(${at});`);
const changed = (count: number) => folders.map((name) => addedFile(`src/${name}/${name}.ts`, lines(name, count)));

function submit(...files: readonly object[]): ScriptedAnswer {
  const approval = {
    approved: files.length === 0,
    rationale: 'Read.',
    action: files.length === 0 ? 'APPROVE' : 'COMMENT',
  };
  return { toolCalls: [call('submit_review', { files_review: files, approval })] };
}

/** A run over four files, with what the model answers in turn. */
async function review(
  answers: readonly ScriptedAnswer[],
  { count = 200, settings = {} }: { count?: number; settings?: Record<string, string> } = {},
) {
  const files = changed(count);
  const repository = new MemoryRepository(Object.fromEntries(files.map(({ path }) => [path, textOf(path, count)])));
  const model = new ScriptedModel(...answers);
  const clock = new FakeClock();
  const parts = reviewParts(
    { model, repository, clock, changes: async () => ({ files, missing: [] }) },
    { verify: 'false', concurrency: '1', ...settings },
  );
  const { review: done } = await clock.drive(
    reviewPullRequest({ ...parts, settings: { ...parts.settings, profile: 'thorough' } }),
  );
  return { done, openings: model.requests.map(openingOf), model };
}

function textOf(path: string, count: number): string {
  return `${lines(path.split('/')[1] ?? '', count).join('\n')}\n`;
}

function openingOf({ messages }: ModelRequest) {
  const message = messages[1];
  if (message?.role !== 'user') throw new Error('There is no opening.');
  return { shared: message.text.slice(0, message.shared ?? 0), own: message.text.slice(message.shared ?? 0) };
}

const namesOf = (text: string) => folders.filter((name) => text.includes(`src/${name}/${name}.ts`));

describe('a large change', () => {
  it('is reviewed in parts: every conversation begins with the same whole diff, and is asked about its own files', async () => {
    const { done, openings } = await review([submit(), submit(), submit()]);
    expect(new Set(openings.map(({ shared }) => shared)).size).toBe(1);
    expect(openings[0]?.shared).toContain('200 +user(199);');
    expect(openings.map(({ own }) => namesOf(own))).toEqual([['cart', 'mail'], ['stock'], ['user']]);
    expect([done.outcome, done.batches.length]).toEqual(['clean', 3]);
  });

  it('says what is in another part too, and says it once', async () => {
    const found = submitted({ path: 'src/user/user.ts', quote: 'user(3);', lines: '4', title: 'Users are lost' });
    const { done } = await review([submit(found), submit(), submit(found)]);
    expect(done.findings.map(({ path, title }) => [path, title])).toEqual([['src/user/user.ts', 'Users are lost']]);
  });

  it("says once, in both titles, what two say of the same lines of a file that is one's own", async () => {
    const quote = 'user(3);';
    const own = submitted({ path: 'src/user/user.ts', quote, lines: '4', title: 'The last order is lost' });
    const guest = submitted({ path: 'src/user/user.ts', quote, lines: '4', title: 'Nobody awaits the call' });
    const { done } = await review([submit(guest), submit(), submit(own)]);
    expect(done.findings.map(({ review }) => review.split('\n').at(-1))).toEqual([
      'Also reported as: The last order is lost',
    ]);
    const { done: both } = await review([submit(), submit(), submit(own, guest)]);
    expect(both.findings).toHaveLength(2);
  });

  it('is approved only where each part was', async () => {
    const unsure = { toolCalls: [call('submit_review', { files_review: [], approval: { action: 'COMMENT' } })] };
    const all = await review([submit(), submit(), submit()]);
    const notAll = await review([submit(), unsure, submit()]);
    expect([all.done.facts.word, notAll.done.facts.word]).toEqual(['approves', 'none']);
  });

  it('has fewer parts where all would take more than half of the tokens, then parts that see their own files, then none', async () => {
    const seen = async (tokens: string, parts: number) => {
      const settings = { 'max-total-tokens': tokens };
      const { openings } = await review(
        Array.from({ length: parts }, () => submit()),
        { settings },
      );
      return openings.map(({ shared, own }) => [shared, own].map((text) => text.includes('200 +user(199);')));
    };
    expect(await seen('400000', 3)).toEqual([
      [true, false],
      [true, false],
      [true, false],
    ]);
    expect(await seen('280000', 2)).toEqual([
      [true, false],
      [true, false],
    ]);
    expect(await seen('200000', 2)).toEqual([
      [false, false],
      [false, true],
    ]);
    expect(await seen('160000', 1)).toEqual([[false, true]]);
  });

  it('offers the diff of a file to every part: one that sees its own files alone can ask for the others', async () => {
    const { model } = await review([submit(), submit(), submit()]);
    const offers = model.requests.map(({ tools }) => tools.some(({ name }) => name === 'read_diff'));
    expect(offers).toEqual([true, true, true]);
  });

  it('is shown in its own files alone to conversations that begin after a server has shown that it keeps nothing', async () => {
    const cold = { usage: usage(8_000, 200) };
    const reading = { toolCalls: [call('read_file', { path: 'src/cart/cart.ts' })], ...cold };
    const { openings } = await review([reading, reading, ...[1, 2, 3].map(() => ({ ...submit(), ...cold }))]);
    expect(openings.map(({ shared }) => shared !== '')).toEqual([true, true, true, false, false]);
    expect(openings[4]?.own).toContain('200 +user(199);');
    expect(openings[4]?.own).not.toContain('200 +cart(199);');
  });
});

it('a change of few files or lines is one conversation, and a file with few lines is so much of one', () => {
  expect([countFocuses(changed(75)), countFocuses(changed(76)), countFocuses([])]).toEqual([1, 2, 1]);
  const many = (count: number, ending = '') =>
    Array.from({ length: 15 }, (_, at) => addedFile(`src/${at}.ts${ending}`, lines('call', count)));
  expect([countFocuses(many(8)), countFocuses(many(1)), countFocuses(many(8, '.md'))]).toEqual([3, 1, 1]);
});

it('a tiny rest is no part of its own', () => {
  const files = [addedFile('src/large.ts', lines('call', 400)), addedFile('src/small.ts', lines('call', 2))];
  expect(planBatches(files, { maxFiles: 30, maxTokens: 24_000, parts: 2 })).toHaveLength(1);
});

it('the parts hold each hunk once, and are never more than asked for where the limits allow', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(sizes, fc.integer({ min: 2, max: 6 }), (counts, parts) => {
      const files = counts.map((count, at) => addedFile(`src/${at % 4}/f${at}.ts`, lines('call', count)));
      const batches = planBatches(files, { maxFiles: 30, maxTokens: 1_000_000, parts });
      const paths = batches.flatMap((batch) => batch.files.map(({ file }) => file.path));
      expect([...paths].sort()).toEqual(files.map(({ path }) => path).sort());
      expect(batches.length).toBeLessThanOrEqual(parts);
    }),
  );
});

it('all parts together take at most half of the budget', () => {
  const tokens = fc.nat(100_000);
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 40 }), tokens, fc.nat(2_000_000), (wanted, tokens, maxTotalTokens) => {
      const { parts, isShared } = affordable(wanted, { tokens, maxTotalTokens, fits: true });
      const sent = 4 * (isShared ? parts * tokens : tokens) + 4 * 8_000 * parts;
      if (parts > 0) expect(sent).toBeLessThanOrEqual(maxTotalTokens / 2);
      expect(parts).toBeLessThanOrEqual(wanted);
    }),
  );
});
