import { describe, expect, it } from 'vitest';
import type { NormalisedRequest } from '../fakes/model-server/normalise.ts';
import { call, fault, submit } from '../fakes/model-server/script.ts';
import { unseenLines } from './changed-lines.ts';
import { review } from './review.ts';

const apis = ['chat', 'responses'] as const;
const numbered = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => `export const ${name}${index} = 'a value of ${name}, number ${index}';`);
const file = (name: string, count: number) => `${numbered(name, count).join('\n')}\n`;

describe.each(apis)('a context that is too small, over %s,', (api) => {
  it('has the bundle reviewed in halves: every line is shown, and findings stand where they belong', async () => {
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
      model: { contextWindow: 4150, answers: model },
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
      bundles: [{ when: both, answers: () => fault(413, '<html><title>413 Too Large</title></html>') }],
      answers: () => submit([]),
    },
  });
  expect([run.outputs['outcome'], model.attempts.map(({ status }) => status)]).toEqual(['clean', [413, 200, 200]]);
});
