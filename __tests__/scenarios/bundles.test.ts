import { describe, expect, it } from 'vitest';
import { fault, type ModelScript, submit } from '../fakes/model-server/script.ts';
import { unseenLines } from './changed-lines.ts';
import { review } from './review.ts';

const world = {
  base: { 'src/alpha.ts': 'export const alpha = 1;\n', 'web/beta.ts': 'export const beta = 1;\n' },
  head: { 'src/alpha.ts': 'export const alpha = 222;\n', 'web/beta.ts': 'export const beta = 333;\n' },
};
const alphaFinding = { path: 'src/alpha.ts', quote: 'export const alpha = 222;', title: 'Alpha is too large' };
const inputs = { 'files-per-batch': '1' };

describe('two bundles', () => {
  it('are both reviewed, and every changed line is in some prompt', async () => {
    const { world: made, model, run } = await review({ world, inputs, model: () => submit([]) });
    expect(model.requests).toHaveLength(2);
    expect([unseenLines(made, model), run.outputs['outcome']]).toEqual([[], 'clean']);
  });

  it.each([
    [
      'is refused',
      fault(400, {
        error: { message: 'The model is in a bad mood.', type: 'invalid_request_error', param: null, code: null },
      }),
    ],
    [
      'has a wrong key',
      fault(401, { error: { message: 'No.', type: 'invalid_request_error', param: null, code: 'invalid_api_key' } }),
    ],
    [
      'runs out of quota',
      fault(429, {
        error: {
          message: 'You exceeded your current quota.',
          type: 'insufficient_quota',
          param: null,
          code: 'insufficient_quota',
        },
      }),
    ],
  ])('one of which %s do not lose the other, and the run says partial', async (_, answer) => {
    const script: ModelScript = {
      bundles: [{ when: ({ prompt }) => prompt.includes('beta = 333'), answers: () => answer }],
      answers: [submit([alphaFinding])],
    };
    const { github, run } = await review({ world, inputs, model: script });
    expect(github.comments().map(({ path, line }) => `${path}:${line}`)).toEqual(['src/alpha.ts:1']);
    expect([run.outputs['outcome'], run.code]).toEqual(['partial', 0]);
    expect(run.summary).toContain('web/beta.ts');
  });

  it('that both fail make a failed run, which fails the job', async () => {
    const answers = () =>
      fault(401, { error: { message: 'No.', type: 'invalid_request_error', param: null, code: 'invalid_api_key' } });
    const { github, run } = await review({ world, inputs, model: answers });
    expect([run.outputs['outcome'], run.code, github.writes()]).toEqual(['failed', 1, []]);
  });

  it('wait for a server that is busy for a moment', async () => {
    const busy = fault(
      429,
      { error: { message: 'Rate limit reached.', type: 'requests', param: null, code: 'rate_limit_exceeded' } },
      { 'retry-after': '1' },
    );
    const { run } = await review({ world, inputs, model: (_, turn) => (turn === 0 ? busy : submit([])) });
    expect(run.outputs['outcome']).toBe('clean');
  });
});

describe('the plan of bundles', () => {
  it('keeps together what imports each other, across folders, and is printed', async () => {
    const text = (name: string, imported: string | null, value: number) =>
      `${imported === null ? '' : `import { ${imported} } from '../${imported}/index.ts';\n`}export const ${name} = ${value};\n`;
    const files = (value: number) => ({
      'api/index.ts': text('api', 'store', value),
      'cart/index.ts': text('cart', null, value),
      'money/index.ts': text('money', 'cart', value),
      'store/index.ts': text('store', null, value),
    });
    const { model, run } = await review({
      world: { base: files(1), head: files(2) },
      inputs: { 'files-per-batch': '2' },
      model: () => submit([]),
    });
    expect(model.requests.map(({ prompt }) => prompt.match(/^## \S+/gm)?.join(' ')).sort()).toEqual([
      '## api/index.ts ## store/index.ts',
      '## cart/index.ts ## money/index.ts',
    ]);
    expect(run.log).toMatch(/api, store: 2 files, about \d+ tokens: api\/index\.ts, store\/index\.ts/);
  });
});
