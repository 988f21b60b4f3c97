import { describe, expect, it } from 'vitest';
import type { NormalisedRequest } from '../fakes/model-server/normalise.ts';
import { call, submit } from '../fakes/model-server/script.ts';
import { review } from './review.ts';
import { totalWorld, wrongLine, wrongLineFinding, wrongLineNumber } from './total-world.ts';

const wrongClaim = {
  path: 'src/total.ts',
  quote: '  let sum = 0;',
  title: 'The sum is never set',
  review: 'It starts undefined.',
} as const;
const refuted = { finding: 2, path: 'src/total.ts', quote: 'let sum = 0;', reason: 'It is set to 0.' };

describe('findings that are checked before they are posted', () => {
  it('are posted when they hold; a refuted one is told in the summary with the reason, and counts nowhere', async () => {
    const { github, model, run } = await review({
      world: totalWorld,
      model: {
        answers: [submit([wrongLineFinding, wrongClaim])],
        verification: [call('submit_verification', { confirmed: [1], dismissed: [refuted], adjusted: [] })],
      },
      inputs: { 'fail-on': 'warning' },
    });
    expect(github.comments().map(({ line }) => line)).toEqual([wrongLineNumber]);
    expect([run.outputs['findings'], run.outputs['outcome'], model.complaints]).toEqual(['1', 'findings', []]);
    expect(run.summary).toMatch(
      /1 finding disproved by the verification[\s\S]*The sum is never set[\s\S]*disproved: It is set to 0\./,
    );
    expect(run.log).toContain('- disproved: The sum is never set (src/total.ts:3): It is set to 0.');
    expect(github.conversation()[0]?.body).not.toContain('The sum is never set');
  });

  it('are checked by another model where one is named, without the reasoning that found them', async () => {
    const { model } = await review({
      world: totalWorld,
      model: [submit([wrongLineFinding])],
      inputs: { 'verify-model': 'checker-1' },
    });
    const [check] = model.verifications;
    expect([check?.model, check?.tools, check?.messages.length]).toEqual(['checker-1', ['submit_verification'], 2]);
    expect(check?.prompt).toContain(wrongLine.trim());
  });

  it('are posted as they are when nobody can check them, and the summary says so', async () => {
    const fault = { kind: 'fault', status: 400, body: { error: { message: 'No.' } }, headers: {} } as const;
    const { github, run } = await review({
      world: totalWorld,
      model: { answers: [submit([wrongLineFinding])], verification: () => fault },
    });
    expect([github.comments().length, run.outputs['outcome']]).toEqual([1, 'findings']);
    expect(run.summary).toContain('Findings were not all verified:');
  });

  it('are not checked in `profile: quick`, nor when there are none', async () => {
    const quick = await review({
      world: totalWorld,
      model: [submit([wrongLineFinding])],
      inputs: { profile: 'quick' },
    });
    const none = await review({ world: totalWorld, model: [submit([])] });
    expect([quick.model.attempts.length, none.model.attempts.length]).toEqual([1, 1]);
  });
});

describe('three passes', () => {
  it('keep what two of them find, and of the rest what is confirmed; files come in another order each time', async () => {
    const world = { base: { ...totalWorld.base, 'src/a.ts': 'a\n' }, head: { ...totalWorld.head, 'src/a.ts': 'b\n' } };
    const orders = new Set<string>();
    const answers = (request: NormalisedRequest, turn: number) => {
      orders.add([...request.prompt.matchAll(/^## (src\/\S+)/gm)].map(([, path]) => path).join());
      const other = { path: 'src/a.ts', quote: 'b', title: `Only pass ${turn} says this` };
      return submit(turn === 0 ? [wrongLineFinding] : [{ ...wrongLineFinding, title: `Words of pass ${turn}` }, other]);
    };
    const { github, run, model } = await review({
      world,
      model: { answers, verification: [call('submit_verification', { confirmed: [], dismissed: [], adjusted: [] })] },
      inputs: { passes: '3', profile: 'deep' },
    });
    expect([model.requests.length, orders.size, model.complaints]).toEqual([3, 2, []]);
    expect(
      github
        .comments()
        .map(({ path }) => path)
        .sort(),
    ).toEqual(['src/a.ts', 'src/total.ts']);
    expect(run.outputs['findings']).toBe('2');
  });
});
