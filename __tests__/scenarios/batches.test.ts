import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../fakes/memory-repository.ts';
import type { NormalisedRequest } from '../fakes/model-server/normalise.ts';
import { call, fault, type ModelScript, submit } from '../fakes/model-server/script.ts';
import { review, unseenLines } from './review.ts';

const world = {
  base: { 'src/alpha.ts': 'export const alpha = 1;\n', 'web/beta.ts': 'export const beta = 1;\n' },
  head: { 'src/alpha.ts': 'export const alpha = 222;\n', 'web/beta.ts': 'export const beta = 333;\n' },
};
const alphaFinding = { path: 'src/alpha.ts', quote: 'export const alpha = 222;', title: 'Alpha is too large' };
const inputs = { 'files-per-batch': '1' };

const failure = (status: number, code: string) => fault(status, { error: { message: 'No.', code } });

it('two batches of which one is not answered do not lose the other, and the run says partial', async () => {
  const script: ModelScript = {
    batches: [{ when: ({ prompt }) => prompt.includes('beta = 333'), answers: () => failure(400, 'bad_mood') }],
    answers: [submit([alphaFinding])],
  };
  const path = join(temporaryFolder(), 'report.json');
  const { github, run } = await review({ world, inputs: { ...inputs, 'report-file': path }, model: script });
  expect(github.comments().map(({ path, line }) => `${path}:${line}`)).toEqual(['src/alpha.ts:1']);
  expect([run.outputs, run.code]).toMatchObject([{ outcome: 'partial', approved: 'false' }, 0]);
  const { coverage } = JSON.parse(readFileSync(path, 'utf8'));
  expect(coverage).toMatchObject({ reviewed: ['src/alpha.ts'], unreviewed: [{ path: 'web/beta.ts' }] });
  expect(run.summary).toContain('web/beta.ts');
});

describe('many batches', () => {
  const names = Array.from({ length: 24 }, (_, index) => `part${String(index).padStart(2, '0')}`);
  const files = (value: number) =>
    Object.fromEntries(names.map((name) => [`src/${name}.ts`, `export const ${name} = ${value};\n`]));
  const world = { base: files(1), head: files(2) };
  const tens = { 'files-per-batch': '10' };

  /** A finding in the first file of its batch. */
  function firstOf(request: NormalisedRequest) {
    const name = names.find((candidate) => request.prompt.includes(`## src/${candidate}.ts`)) ?? '';
    return submit([{ path: `src/${name}.ts`, quote: `export const ${name} = 2;`, title: `Wrong value of ${name}` }]);
  }

  it('of more than ten files are reviewed in batches of at most ten, side by side, each line shown and each finding posted', async () => {
    const { world: made, github, model, run } = await review({ world, model: firstOf, inputs: tens });
    const sizes = model.requests.map(({ prompt }) => prompt.split(/^## src\//m).length - 1);
    expect([Math.max(...sizes), sizes.reduce((sum, size) => sum + size, 0)]).toEqual([10, 24]);
    expect([github.comments().length, unseenLines(made, model), run.outputs['outcome']]).toEqual([3, [], 'findings']);
    expect([github.reviews().length, model.complaints]).toEqual([1, []]);
  });

  it('keep to the limit of tokens when it ends in the middle: what was found is posted, the rest is named', async () => {
    const answers = (request: NormalisedRequest, turn: number) => {
      if (!request.tools.includes('read_file')) return firstOf(request);
      return call('search_text', { pattern: `part${turn}`, path: null, file_pattern: null, regex: false });
    };
    const { run, model } = await review({
      world,
      model: answers,
      inputs: { ...tens, 'max-total-tokens': '30000', 'max-tokens': '1000', concurrency: '2' },
    });
    expect(Number(run.outputs['input-tokens']) + Number(run.outputs['output-tokens'])).toBeLessThanOrEqual(30_000);
    expect([run.outputs['outcome'], run.outputs['approved'], model.complaints]).toEqual(['partial', 'false', []]);
    expect(Number(run.outputs['findings'])).toBeGreaterThan(0);
  });
});

const numbered = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => `export const ${name}${index} = 'a value of ${name}, number ${index}';`);
const file = (name: string, count: number) => `${numbered(name, count).join('\n')}\n`;

describe('a context that is too small', () => {
  it('has the batch reviewed in halves: every line is shown, and findings stand where they belong', async () => {
    const head = { 'src/alpha.ts': file('alpha', 100), 'src/beta.ts': file('beta', 100) };
    const finding = { path: 'src/beta.ts', quote: numbered('beta', 100)[41] ?? '' };
    const { world, github, model, run } = await review({
      world: { base: { 'a.txt': 'a\n' }, head },
      model: {
        contextWindow: 4600,
        answers: (request) => submit(request.prompt.includes(finding.quote) ? [finding] : []),
      },
    });
    expect(unseenLines(world, model)).toEqual([]);
    expect(github.comments().map(({ path, line }) => `${path}:${line}`)).toEqual(['src/beta.ts:42']);
    expect([run.outputs['outcome'], model.complaints]).toEqual(['findings', []]);
  });

  it('for anything fails the run, and is never a review that found nothing', async () => {
    const { github, run } = await review({
      world: { base: { 'a.txt': 'a\n' }, head: { 'src/alpha.ts': file('alpha', 100) } },
      model: { contextWindow: 1000, answers: () => submit([]) },
      inputs: { api: 'responses' },
    });
    expect([run.outputs['outcome'], run.code, github.writes()]).toEqual(['failed', 1, []]);
    expect(run.annotations[0]?.message).toContain('context');
  });
});

it('a change of translations alone is reviewed in one call without reading tools', async () => {
  const { model, run } = await review({
    world: { base: { 'locales/de.json': '{ "a": "A" }\n' }, head: { 'locales/de.json': '{ "a": "B" }\n' } },
    model: [submit([])],
  });
  expect([model.requests.map(({ tools }) => tools), run.outputs['outcome']]).toEqual([[['submit_review']], 'clean']);
});

it('a limit of tokens too low for a single call makes no call, and never looks like a clean review', async () => {
  const { model, run } = await review({ world, model: () => submit([]), inputs: { 'max-total-tokens': '1000' } });
  expect([model.attempts, run.outputs['findings'], run.outputs['outcome']]).toEqual([[], '0', 'partial']);
});
