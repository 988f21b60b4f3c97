import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { call, type EmbeddingsScript, fault, type ModelOptions, submit } from '../fakes/model-server/script.ts';
import { temporaryFolder } from '../fakes/temporary-folder.ts';
import { review } from './review.ts';
import { runCli } from './run-cli.ts';
import { totalWorld, wrongLineFinding } from './total-world.ts';

const documents = {
  'docs/rounding.md': '# Rounding\n\nTotals are rounded half up at the end only.\n',
  'docs/decisions/2026-01-login.md': '# Login\n\nSessions end after an hour.\n',
};
const world = {
  base: { ...totalWorld.base, ...documents },
  head: { ...totalWorld.head, ...documents, 'docs/rounding.md': '# Rounding\n\nRound as you like.\n' },
};

/** Two matters: fractions, and who somebody is. */
const byMatter: EmbeddingsScript = (text) => [
  /round|penny/i.test(text) ? 1 : 0.01,
  /login|identity/i.test(text) ? 1 : 0.01,
  /round|penny|login|identity/i.test(text) ? 0 : 1,
];

const answers = [
  call('search_knowledge', { query: 'fraction of a penny' }),
  call('search_knowledge', { query: 'totals at the end' }),
  submit([wrongLineFinding]),
];

async function reviewWith(model: ModelOptions, inputs: Readonly<Record<string, string>> = {}) {
  const reviewed = await review({
    world,
    model: { answers, ...model },
    inputs: { 'embeddings-model': 'text-small', profile: 'quick', ...inputs },
  });
  const [, first, second] = reviewed.model.requests;
  const found = [first, second].map((request) =>
    (request?.lastResult('search_knowledge') ?? '').replace(/\n\n\[budget: .*\]$/, ''),
  );
  return { ...reviewed, found };
}

describe('documents searched by meaning', () => {
  it('are found without a word in common, at the base commit, and are paid once', async () => {
    const { run, model, found } = await reviewWith(
      { embeddings: byMatter },
      { pricing: 'input=1,output=1\ntext-small: input=1000,output=0', 'max-cost': '5' },
    );
    expect(found[0]).toMatch(
      /^\[1\] docs\/rounding\.md:1-3\n# Rounding\n\nTotals are rounded half up at the end only\.$/,
    );
    expect(model.embeddings.map((texts) => texts.length)).toEqual([4, 1, 1]);
    expect(model.embeddings[0]).toContain('docs/decisions/2026-01-login.md\n# Login\n\nSessions end after an hour.');
    expect([model.complaints, run.outputs['outcome']]).toEqual([[], 'findings']);
    expect(run.summary).toMatch(/Embedding\s*\|\s*3\s*\|/);
    expect(Number(run.outputs['cost'])).toBeGreaterThan(0.04);
  });

  it.each<[string, ModelOptions, RegExp]>([
    ['there is no such endpoint', {}, /status 404/],
    [
      'the key may not use that model',
      { embeddings: () => fault(401, { error: { message: 'no access' } }) },
      /no access/,
    ],
    ['nothing comes back', { embeddings: () => fault(200, { data: [] }) }, /did not answer with a vector/],
  ])('are searched by words when %s, which is said once', async (_case, model, why) => {
    const { run, found } = await reviewWith(model);
    expect(found[1]).toMatch(/^\[1\] docs\/rounding\.md:1-3\n[\s\S]*\(Found by words alone: [^)]*\)$/);
    expect(found[0]).toMatch(/^Nothing in the documents is relevant[^(]*\(Found by words alone: [^)]*\)$/);
    const notes = run.summary.match(/search\\?_knowledge ranks by words alone: .*/g) ?? [];
    expect([notes.length, why.test(notes[0] ?? ''), run.outputs['outcome']]).toEqual([1, true, 'findings']);
  });

  it('can be replayed from a recording, which holds the vectors in bytes', async () => {
    const path = join(temporaryFolder(), 'review.jsonl');
    await reviewWith({ embeddings: byMatter }, { 'transcript-file': path });
    const replayed = await runCli({ args: ['replay', path], cwd: temporaryFolder() });
    expect([replayed.code, replayed.stderr.includes('Differs')]).toEqual([0, false]);
    expect(readFileSync(path, 'utf8').match(/"call":"embedder.answer"/g)).toHaveLength(3);
  });

  it('are searched by words where no model for it is named', async () => {
    const { model, found } = await reviewWith({ embeddings: byMatter }, { 'embeddings-model': '' });
    expect([model.embeddings, found[0]]).toEqual([[], expect.stringMatching(/^Nothing[^(]*$/)]);
  });
});
