import { describe, expect, it } from 'vitest';
import { allPermissions } from '../../fakes/github-server/world.ts';
import { checkDesk, deliverTo, deliveryOf, placed, soon, startCheck, stateOf } from './check-desk.ts';

const creating = { method: 'POST', path: /\/check-runs$/ };
const changing = { method: 'PATCH', path: /\/check-runs\/\d+$/ };
const annotating = { ...changing, body: /"annotations"/ };
const completing = { ...changing, body: /"conclusion"/ };
const whyNone = 'There is no check run: Resource not accessible by integration. Grant `checks: write`.';

describe('without `checks: write`', () => {
  const permissions = { ...allPermissions, checks: 'read' } as const;

  it('annotations go to the workflow commands, and the reason is told once', async () => {
    const desk = await checkDesk({ permissions });
    await startCheck(desk);
    const record = await deliverTo(desk, { placements: placed(2) });
    expect(record.deliveries.map(({ sink, status, reason }) => [sink, status, reason])).toEqual([
      ['annotations', 'delivered', whyNone],
      ['check run', 'refused', null],
    ]);
    expect([desk.commanded, desk.fake.writes().length]).toEqual([['f0', 'f1'], 1]);
  });

  it('the reason is told by the conclusion where nobody annotates', async () => {
    const desk = await checkDesk({ permissions });
    const delivery = await desk.check.recorder.record({ ...(await deliverTo(desk)), deliveries: [] });
    expect(delivery.reason).toBe(whyNone);
  });
});

describe('a lost answer', () => {
  it.each(['status 502', 'reset'] as const)('(%s) to its creation makes no second check', async (after) => {
    const desk = await checkDesk({ faults: [{ match: creating, times: 1, after }] });
    await deliverTo(desk, { placements: placed(1) });
    expect(stateOf(desk)).toEqual([['completed', 'success']]);
  });

  it('to its creation does not take the check of another run for ours', async () => {
    const desk = await checkDesk({ faults: [{ match: creating, times: 1, before: 'status 502' }] });
    await desk.github.rest.checks
      .create({
        owner: 'octo',
        repo: 'spoon',
        name: 'Review',
        head_sha: desk.fake.world.pullRequests[0]?.head.sha ?? '',
      })
      .catch(() => undefined);
    await desk.github.rest.checks.create({
      owner: 'octo',
      repo: 'spoon',
      name: 'Review',
      head_sha: desk.fake.world.pullRequests[0]?.head.sha ?? '',
    });
    await deliverTo(desk);
    expect(stateOf(desk)).toEqual([
      [undefined, undefined],
      ['completed', 'success'],
    ]);
  });

  it.each(['before', 'after'] as const)(
    'to a page of annotations (%s it was kept) doubles none and loses none',
    async (when) => {
      const fault = when === 'before' ? ({ before: 'status 502' } as const) : ({ after: 'status 502' } as const);
      const desk = await checkDesk({ faults: [{ match: annotating, times: 1, ...fault }] });
      await deliverTo(desk, { placements: placed(70) });
      expect([desk.fake.checkRuns()[0]?.annotations.length, desk.commanded]).toEqual([70, []]);
    },
  );

  it.each(['before', 'after'] as const)('to its conclusion (%s it was kept) leaves it completed', async (when) => {
    const fault = when === 'before' ? ({ before: 'reset' } as const) : ({ after: 'reset' } as const);
    const desk = await checkDesk({ faults: [{ match: completing, times: 1, ...fault }] });
    const record = await deliverTo(desk);
    expect([stateOf(desk), deliveryOf(record, 'check run')?.status]).toEqual([[['completed', 'success']], 'delivered']);
  });
});

describe('a refused request', () => {
  it('for annotations sends the rest to the workflow commands, each finding once, and the check is completed', async () => {
    const second = { ...annotating, body: /"annotations".*f{0}/ };
    const desk = await checkDesk({ faults: [{ match: second, times: 1, before: 'status 422' }] });
    const record = await deliverTo(desk, { placements: placed(60) });
    expect([desk.fake.checkRuns()[0]?.annotations.length, desk.commanded.length]).toEqual([0, 60]);
    expect(deliveryOf(record, 'annotations')?.reason).toMatch(/^The check took no annotations: /);
    expect(stateOf(desk)).toEqual([['completed', 'success']]);
  });

  it('for progress is the last attempt to tell any, and is told in the end', async () => {
    const desk = await checkDesk({ faults: [{ match: changing, times: 1, before: 'status 422' }] });
    await startCheck(desk);
    for (const bundle of ['1 src', '2 src']) {
      desk.wait(10_000);
      desk.check.reporter({ type: 'bundle-end', bundle, sentence: 'Reviewed.', findings: 0 });
      await expect.poll(() => desk.fake.writes().length).toBe(2);
      await soon();
    }
    const record = await deliverTo(desk);
    expect(deliveryOf(record, 'check run')?.reason).toMatch(/^Could not update its progress: /);
    expect(desk.fake.writes().map(({ method, status }) => `${method} ${status}`)).toEqual([
      'POST 201',
      'PATCH 422',
      'PATCH 200',
    ]);
  });
});

describe('a cancelled run', () => {
  it('writes nothing more', async () => {
    const run = new AbortController();
    const desk = await checkDesk({ signal: run.signal });
    await startCheck(desk);
    run.abort();
    const record = await deliverTo(desk, { placements: placed(1) });
    expect([stateOf(desk), desk.fake.writes().length]).toEqual([[['in_progress', undefined]], 1]);
    expect(deliveryOf(record, 'check run')?.status).toBe('failed');
  });
});
