import { describe, expect, it } from 'vitest';
import type { NormalisedRequest } from '../fakes/model-server/normalise.ts';
import { call, submit } from '../fakes/model-server/script.ts';
import { unseenLines } from './changed-lines.ts';
import { review } from './review.ts';

const names = Array.from({ length: 24 }, (_, index) => `part${String(index).padStart(2, '0')}`);
const files = (value: number) =>
  Object.fromEntries(names.map((name) => [`src/${name}.ts`, `export const ${name} = ${value};\n`]));
const world = { base: files(1), head: files(2) };

/** A finding in the first file of its bundle. */
function firstOf(request: NormalisedRequest) {
  const name = names.find((candidate) => request.prompt.includes(`## src/${candidate}.ts`)) ?? '';
  return submit([{ path: `src/${name}.ts`, quote: `export const ${name} = 2;`, title: `Wrong value of ${name}` }]);
}

describe('more than ten files', () => {
  it('are reviewed in bundles of at most ten, side by side, each line shown and each finding posted', async () => {
    const { world: made, github, model, run } = await review({ world, model: firstOf });
    const sizes = model.requests.map(({ prompt }) => prompt.split(/^## src\//m).length - 1);
    expect([Math.max(...sizes), sizes.reduce((sum, size) => sum + size, 0)]).toEqual([10, 24]);
    expect([github.comments().length, unseenLines(made, model), run.outputs['outcome']]).toEqual([3, [], 'findings']);
    expect([github.reviews().length, model.complaints]).toEqual([1, []]);
  });

  it('are reviewed one after the other when the workflow wants that', async () => {
    let atOnce = 0;
    let most = 0;
    const answers = async () => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      await new Promise((resolve) => setTimeout(resolve, 100));
      atOnce -= 1;
      return submit([]);
    };
    await review({ world, model: answers, inputs: { concurrency: '1' } });
    expect(most).toBe(1);
  });

  it('have the worst action of their bundles', async () => {
    const { run } = await review({
      world,
      model: (request) => (request.prompt.includes('## src/part00.ts') ? firstOf(request) : submit([])),
    });
    expect(run.outputs).toMatchObject({ action: 'REQUEST_CHANGES', approved: 'false', findings: '1' });
  });

  it('are approved when every bundle is, and nothing was found', async () => {
    const { run } = await review({ world, model: () => submit([]) });
    expect(run.outputs).toMatchObject({ outcome: 'clean', action: 'APPROVE', approved: 'true' });
  });

  it('keep to the limit of tokens when it ends in the middle: what was found is posted, the rest is named', async () => {
    const answers = (request: NormalisedRequest, turn: number) => {
      if (!request.tools.includes('read_file')) return firstOf(request);
      return call('search_text', { pattern: `part${turn}`, path: null, file_pattern: null, regex: false });
    };
    const { run, model } = await review({
      world,
      model: answers,
      inputs: { 'max-total-tokens': '30000', 'max-tokens': '1000', concurrency: '2' },
    });
    expect(Number(run.outputs['input-tokens']) + Number(run.outputs['output-tokens'])).toBeLessThanOrEqual(30_000);
    expect([run.outputs['outcome'], run.outputs['approved'], model.complaints]).toEqual(['partial', 'false', []]);
    expect(Number(run.outputs['findings'])).toBeGreaterThan(0);
    expect(run.summary).toContain('Token limit reached.');
  });
});
