import { describe, expect, it } from 'vitest';
import type { NormalisedRequest } from '../fakes/model-server/normalise.ts';
import { call, fault, type ModelScript, submit } from '../fakes/model-server/script.ts';
import { review, totalWorld, wrongLineFinding, wrongLineNumber } from './review.ts';
import { unseenLines } from './worlds.ts';

const world = {
  base: { 'src/alpha.ts': 'export const alpha = 1;\n', 'web/beta.ts': 'export const beta = 1;\n' },
  head: { 'src/alpha.ts': 'export const alpha = 222;\n', 'web/beta.ts': 'export const beta = 333;\n' },
};
const alphaFinding = { path: 'src/alpha.ts', quote: 'export const alpha = 222;', title: 'Alpha is too large' };
const inputs = { 'files-per-batch': '1' };

describe('two batches', () => {
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
      batches: [{ when: ({ prompt }) => prompt.includes('beta = 333'), answers: () => answer }],
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

describe('the plan of batches', () => {
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

  describe('more than ten files', () => {
    it('are reviewed in batches of at most ten, side by side, each line shown and each finding posted', async () => {
      const { world: made, github, model, run } = await review({ world, model: firstOf, inputs: tens });
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
      await review({ world, model: answers, inputs: { ...tens, concurrency: '1' } });
      expect(most).toBe(1);
    });

    it('have the worst action of their batches', async () => {
      const { run } = await review({
        world,
        inputs: tens,
        model: (request) => (request.prompt.includes('## src/part00.ts') ? firstOf(request) : submit([])),
      });
      expect(run.outputs).toMatchObject({ action: 'REQUEST_CHANGES', approved: 'false', findings: '1' });
    });

    it('are approved when every batch is, and nothing was found', async () => {
      const { run } = await review({ world, model: () => submit([]), inputs: tens });
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
        inputs: { ...tens, 'max-total-tokens': '30000', 'max-tokens': '1000', concurrency: '2' },
      });
      expect(Number(run.outputs['input-tokens']) + Number(run.outputs['output-tokens'])).toBeLessThanOrEqual(30_000);
      expect([run.outputs['outcome'], run.outputs['approved'], model.complaints]).toEqual(['partial', 'false', []]);
      expect(Number(run.outputs['findings'])).toBeGreaterThan(0);
      expect(run.summary).toContain('Token limit reached.');
    });
  });
});

/** Never has enough: reads on until it is offered nothing but the end. */
function curious(request: NormalisedRequest, turn: number) {
  if (request.tools.includes('read_file_lines')) {
    return call('read_file_lines', { path: 'src/total.ts', start_line: 1, end_line: turn + 2 });
  }
  return submit([wrongLineFinding]);
}

describe('at the cap of iterations', () => {
  it('one last call offers the end alone, and what it finds is delivered', async () => {
    const { github, model, run } = await review({
      world: totalWorld,
      model: curious,
      inputs: { 'max-iterations': '2' },
    });
    expect(model.requests.map(({ tools }) => tools.length > 1)).toEqual([true, true, false]);
    expect(model.requests.at(-1)).toMatchObject({ tools: ['submit_review'], toolChoice: 'submit_review' });
    expect(github.comments().map(({ line }) => line)).toEqual([wrongLineNumber]);
    expect([run.outputs['outcome'], run.code, model.complaints]).toEqual(['partial', 0, []]);
    expect(run.annotations.some(({ level }) => level === 'warning')).toBe(true);
  });
});

describe('at the limit of tokens', () => {
  const long = Array.from({ length: 900 }, (_, index) => `export const value${index} = ${index} * ${index};`).join(
    '\n',
  );
  const world = {
    base: { ...totalWorld.base, 'src/long.ts': long, 'src/b.ts': 'b\n', 'src/c.ts': 'c\n' },
    head: { ...totalWorld.head, 'src/b.ts': 'B\n', 'src/c.ts': 'C\n' },
  };
  const hungry = (request: NormalisedRequest, turn: number) => {
    if (!request.tools.includes('read_file_lines')) return submit([wrongLineFinding]);
    return call('read_file_lines', { path: 'src/long.ts', start_line: turn * 60 + 1, end_line: turn * 60 + 120 });
  };

  it('the run ends within it, by one last call, and says partial', async () => {
    const limits = { 'max-total-tokens': '30000', 'max-tokens': '1000' };
    const { github, model, run } = await review({ world, model: hungry, inputs: limits });
    const spent = Number(run.outputs['input-tokens']) + Number(run.outputs['output-tokens']);
    expect(spent).toBeLessThanOrEqual(30_000);
    expect(model.requests.length).toBeGreaterThan(2);
    expect(model.requests.at(-1)?.tools).toEqual(['submit_review']);
    expect([run.outputs['outcome'], github.comments().length]).toEqual(['partial', 1]);
  });

  it('too low for a single call, no call is made, and it never looks like a clean review', async () => {
    const { model, run } = await review({ world, model: hungry, inputs: { 'max-total-tokens': '1000' } });
    expect([model.attempts, run.outputs['findings']]).toEqual([[], '0']);
    expect(['partial', 'failed']).toContain(run.outputs['outcome']);
  });
});

const apis = ['chat', 'responses'] as const;
const numbered = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => `export const ${name}${index} = 'a value of ${name}, number ${index}';`);
const file = (name: string, count: number) => `${numbered(name, count).join('\n')}\n`;

describe.each(apis)('a context that is too small, over %s,', (api) => {
  it('has the batch reviewed in halves: every line is shown, and findings stand where they belong', async () => {
    const head = { 'src/alpha.ts': file('alpha', 100), 'src/beta.ts': file('beta', 100) };
    const finding = { path: 'src/beta.ts', quote: numbered('beta', 100)[41] ?? '' };
    const { world, github, model, run } = await review({
      world: { base: { 'a.txt': 'a\n' }, head },
      model: {
        contextWindow: 4600,
        answers: (request) => submit(request.prompt.includes(finding.quote) ? [finding] : []),
      },
      inputs: { api },
    });
    expect(unseenLines(world, model)).toEqual([]);
    expect(github.comments().map(({ path, line }) => `${path}:${line}`)).toEqual(['src/beta.ts:42']);
    expect([run.outputs['outcome'], model.complaints]).toEqual(['findings', []]);
  });

  it('has the history shrunk, and the review goes on', async () => {
    const base = { 'src/long.ts': file('long', 150), 'src/a.ts': 'export const a = 1;\n' };
    const model = (request: NormalisedRequest, turn: number) => {
      const at = turn * 40 + 1;
      if (turn < 3) return call('read_file_lines', { path: 'src/long.ts', start_line: at, end_line: at + 39 });
      return submit([{ path: 'src/a.ts', quote: 'export const a = 2;', title: request.lastResult('read_file_lines') }]);
    };
    const reviewed = await review({
      world: { base, head: { 'src/a.ts': 'export const a = 2;\n' } },
      model: { contextWindow: 4320, answers: model },
      inputs: { api },
    });
    expect(reviewed.model.attempts.map(({ status }) => status)).toContain(400);
    expect(reviewed.model.requests.at(-1)?.prompt).toContain('removed to fit the context');
    expect([reviewed.run.outputs['outcome'], reviewed.model.complaints]).toEqual(['findings', []]);
  });

  it('for anything fails the run, and is never a review that found nothing', async () => {
    const { github, run } = await review({
      world: { base: { 'a.txt': 'a\n' }, head: { 'src/alpha.ts': file('alpha', 100) } },
      model: { contextWindow: 1000, answers: () => submit([]) },
      inputs: { api },
    });
    expect([run.outputs['outcome'], run.code, github.writes()]).toEqual(['failed', 1, []]);
    expect(run.annotations[0]?.message).toContain('context');
  });
});

it('a request that a proxy finds too large (413) is reviewed in halves as well', async () => {
  const head = { 'src/alpha.ts': 'export const alpha = 1;\n', 'src/beta.ts': 'export const beta = 1;\n' };
  const both = ({ prompt }: NormalisedRequest) => prompt.includes('const alpha') && prompt.includes('const beta');
  const { model, run } = await review({
    world: { base: { 'a.txt': 'a\n' }, head },
    model: {
      batches: [{ when: both, answers: () => fault(413, '<html><title>413 Too Large</title></html>') }],
      answers: () => submit([]),
    },
  });
  expect([run.outputs['outcome'], model.attempts.map(({ status }) => status)]).toEqual(['clean', [413, 200, 200]]);
  expect(run.summary).toContain('3 model calls');
});

describe('a change of translations alone', () => {
  it('is reviewed in one call without reading tools', async () => {
    const { model, run } = await review({
      world: { base: { 'locales/de.json': '{ "a": "A" }\n' }, head: { 'locales/de.json': '{ "a": "B" }\n' } },
      model: [submit([])],
    });
    expect([model.requests.map(({ tools }) => tools), run.outputs['outcome']]).toEqual([[['submit_review']], 'clean']);
  });
});
