import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { NormalisedRequest } from '../fakes/model-server/normalise.ts';
import { call, submit } from '../fakes/model-server/script.ts';
import type { CheckoutOptions } from '../fakes/world/checkout.ts';
import { createWorld } from '../fakes/world/create-world.ts';
import { play, type Scenario, setStage } from './review.ts';
import { totalWorld, wrongLine, wrongLineFinding, wrongLineNumber } from './total-world.ts';

const world = createWorld(totalWorld);

const checkouts: readonly (readonly [string, CheckoutOptions | null])[] = [
  ['a shallow checkout of the merge commit', {}],
  ['a checkout of the head with all history', { ref: 'refs/pull/7/head', depth: 0 }],
  ['a checkout of main', { ref: 'refs/heads/main' }],
  ['a checkout without credentials', { persistCredentials: false }],
  ['a partial checkout', { depth: 0, filter: 'blob:none' }],
  // Only root can give files away, as a container job does.
  ...(process.getuid?.() === 0 ? ([['a checkout that another user owns', { owner: 12_345 }]] as const) : []),
  ['no checkout', null],
];

const model = (request: NormalisedRequest, turn: number) => {
  if (turn === 0) return call('read_file_lines', { path: 'src/total.ts', start_line: 1, end_line: 6 });
  return submit(request.lastResult('read_file_lines').includes(wrongLine.trim()) ? [wrongLineFinding] : []);
};

describe('a review', () => {
  it.each(checkouts)('works with %s, and never writes to it', async (_, checkout) => {
    const scenario: Scenario = { world, model, checkout, start: 'bundle' };
    const stage = await setStage(scenario);
    const before = fingerprint(stage.workspace);
    const run = await play(stage, scenario);
    expect(stage.github.comments().map(({ line }) => line)).toEqual([wrongLineNumber]);
    expect([run.outputs['outcome'], fingerprint(stage.workspace)]).toEqual(['findings', before]);
  });

  it('works without git, from the API alone, and says so', async () => {
    const environment = { GITHUB_SERVER_URL: 'http://127.0.0.1:9' };
    const scenario = { world, model, checkout: null, environment };
    const stage = await setStage(scenario);
    const run = await play(stage, scenario);
    expect(stage.github.comments().map(({ line }) => line)).toEqual([wrongLineNumber]);
    expect(run.summary).toContain('Git could not be used');
  });
});

/** Every path with its content. Not its time: git touches borrowed objects that a fetch brings again. */
function fingerprint(workspace: string | null): readonly string[] {
  if (workspace === null) return [];
  return readdirSync(workspace, { recursive: true, encoding: 'utf8' })
    .map((path) => {
      const file = join(workspace, path);
      if (statSync(file).isDirectory()) return path;
      return `${path} ${createHash('sha256').update(readFileSync(file)).digest('hex')}`;
    })
    .sort();
}
