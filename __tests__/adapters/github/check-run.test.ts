import { describe, expect, it } from 'vitest';
import { verbatim } from '../../../src/core/messages/message.ts';
import type { Review } from '../../../src/core/review/review.ts';
import { openGate } from '../../../src/core/review/verdict.ts';
import type { Settings } from '../../../src/core/settings/settings.ts';
import { listAt, textAt } from '../../fakes/every-pair.ts';
import { allPermissions, type FaultAnswer } from '../../fakes/github-server/world.ts';
import { printed } from '../../fakes/printed.ts';
import { type CheckDesk, checkDesk, deliverTo, deliveryOf, placed, soon, startCheck, stateOf } from './desks.ts';
import { head } from './scripted-github.ts';

async function endBatches(desk: CheckDesk, { times, apart }: { times: number; apart: number }): Promise<void> {
  for (let batch = 1; batch <= times; batch += 1) {
    desk.wait(apart);
    const result = { code: 'sentence', what: { code: 'batch.reviewed' } } as const;
    desk.check.reporter({ type: 'batch-end', batch: `${batch} src`, sentence: 'Reviewed.', result, findings: 0 });
    await soon();
  }
}

function titles({ fake }: CheckDesk): readonly string[] {
  return fake
    .writes()
    .filter(({ method }) => method === 'PATCH')
    .map(({ body }) => textAt(body, 'output', 'title'));
}

describe('a check of our own', () => {
  it('is in progress from the start of the review, on the reviewed head', async () => {
    const detailsUrl = 'https://github.example/octo/spoon/actions/runs/1';
    const desk = await checkDesk({ options: { detailsUrl } });
    await startCheck(desk);
    const output = { title: 'The review is running.' };
    expect(desk.fake.checkRuns().map(({ content }) => content)).toMatchObject([
      { name: 'Review', head_sha: head, status: 'in_progress', details_url: detailsUrl, output },
    ]);
  });

  it('tells its progress every ten seconds at most', async () => {
    const desk = await checkDesk();
    await startCheck(desk);
    await endBatches(desk, { times: 5, apart: 4_000 });
    expect(titles(desk)).toEqual(['3 src: Reviewed.']);
  });

  it('tells its progress twenty times at most, and its conclusion', async () => {
    const desk = await checkDesk();
    await startCheck(desk);
    await endBatches(desk, { times: 25, apart: 10_000 });
    await deliverTo(desk);
    expect(titles(desk)).toHaveLength(21);
  });

  it('gets all annotations, 50 a request', async () => {
    const desk = await checkDesk();
    const record = await deliverTo(desk, { findings: placed(120) });
    const sizes = desk.fake.writes().map(({ body }) => listAt(body, 'output', 'annotations').length);
    expect([sizes, desk.fake.checkRuns()[0]?.annotations.length]).toEqual([[0, 50, 50, 20, 0], 120]);
    expect(desk.fake.checkRuns()[0]?.annotations[0]).toMatchObject({
      path: 'src/cart.ts',
      start_line: 12,
      annotation_level: 'failure',
    });
    expect([new Set(record.placed.map(({ place }) => place)), desk.commanded]).toEqual([new Set(['annotation']), []]);
  });

  it.each<[string, Partial<Review>, Settings['failOn']]>([
    ['failure: Failing: No.', { stop: { reason: 'failed', message: 'No.', hint: '' } }, 'never'],
    ['failure: Failing: 1 critical (`fail-on: critical`)', { findings: placed(1) }, 'critical'],
    ['success: No findings.', { findings: placed(1) }, 'never'],
    ['success: No findings.', {}, 'warning'],
    ['neutral: No findings.', { stop: { reason: 'cancelled' } }, 'warning'],
    [
      'skipped: No findings.',
      { outcome: 'skipped', stop: { reason: 'skipped', why: verbatim('A draft.') } },
      'warning',
    ],
  ])('concludes with %s for %j and `fail-on: %s`', async (end, changes, failOn) => {
    const desk = await checkDesk();
    await deliverTo(desk, { headline: [verbatim('No findings.')], ...changes }, { ...openGate, failOn });
    const [check] = desk.fake.checkRuns();
    expect(`${check?.content['conclusion']}: ${textAt(check?.content['output'], 'title')}`).toBe(end);
  });

  it('shows headline and summary, cut where GitHub would refuse them', async () => {
    const summary = `${'A paragraph of some length.\n\n'.repeat(3_000)}End.`;
    const desk = await checkDesk({ options: { render: () => summary } });
    await deliverTo(desk, { headline: [verbatim(`3 findings. ${'x'.repeat(300)}`)] });
    const output = desk.fake.checkRuns()[0]?.content['output'];
    expect([textAt(output, 'title').length, textAt(output, 'summary').length <= 65_535]).toEqual([255, true]);
    expect(textAt(output, 'summary')).toMatch(/length\.\n\nThe rest did not fit here and is in the job summary\.$/);
  });

  it('keeps secrets and control characters out of its title', async () => {
    const desk = await checkDesk({ options: { redact: (text) => text.replaceAll('hunter2', '[redacted]') } });
    await deliverTo(desk, { headline: [verbatim('hunter2 \u001B[31m')] });
    expect(textAt(desk.fake.checkRuns()[0]?.content['output'], 'title')).toBe('[redacted] \\u{1B}[31m');
  });

  it('has an address, which annotations and conclusion carry', async () => {
    const desk = await checkDesk();
    const record = await deliverTo(desk, { findings: placed(1) });
    const url = `https://github.example/octo/spoon/runs/${desk.fake.checkRuns()[0]?.id}`;
    expect([deliveryOf(record, 'check run').url, record.placed[0]?.url]).toEqual([url, url]);
  });
});

const creating = { method: 'POST', path: /\/check-runs$/ };
const changing = { method: 'PATCH', path: /\/check-runs\/\d+$/ };
const annotating = { ...changing, body: /"annotations"/ };
const completing = { ...changing, body: /"conclusion"/ };
const whyNone = 'There is no check run: Resource not accessible by integration. Grant `checks: write`.';

describe('without `checks: write`', () => {
  const permissions = { ...allPermissions, checks: 'read' } as const;

  it('annotations go to the workflow commands, and the reason is reported once', async () => {
    const desk = await checkDesk({ permissions });
    await startCheck(desk);
    const record = await deliverTo(desk, { findings: placed(2) });
    expect(record.deliveries.map(printed).map(({ sink, status, reason }) => [sink, status, reason])).toEqual([
      ['annotations', 'delivered', whyNone],
      ['check run', 'refused', null],
    ]);
    expect([desk.commanded, desk.fake.writes().length]).toEqual([['f0', 'f1'], 1]);
  });

  it('the reason is reported by the conclusion where nobody annotates', async () => {
    const desk = await checkDesk({ permissions });
    const delivery = await desk.check.conclusion.deliver({ ...(await deliverTo(desk)), deliveries: [] });
    expect(printed(delivery).reason).toBe(whyNone);
  });
});

type Lost = { readonly before: FaultAnswer } | { readonly after: FaultAnswer };

describe('a lost answer', () => {
  it.each(['status 502', 'reset'] as const)('(%s) to its creation makes no second check', async (after) => {
    const desk = await checkDesk({ faults: [{ match: creating, times: 1, after }] });
    await deliverTo(desk, { findings: placed(1) });
    expect(stateOf(desk)).toEqual([['completed', 'success']]);
  });

  it('to its creation does not take the check of another run for ours', async () => {
    const desk = await checkDesk({ faults: [{ match: creating, times: 1, before: 'status 502' }] });
    const another = { owner: 'octo', repo: 'spoon', name: 'Review', head_sha: head };
    await desk.github.rest.checks.create(another).catch(() => undefined);
    await desk.github.rest.checks.create(another);
    await deliverTo(desk);
    expect(stateOf(desk)).toEqual([
      [undefined, undefined],
      ['completed', 'success'],
    ]);
  });

  it.each<Lost>([{ before: 'status 502' }, { after: 'status 502' }])(
    'to a page of annotations (%o) doubles none and loses none',
    async (lost) => {
      const desk = await checkDesk({ faults: [{ match: annotating, times: 1, ...lost }] });
      await deliverTo(desk, { findings: placed(70) });
      expect([desk.fake.checkRuns()[0]?.annotations.length, desk.commanded]).toEqual([70, []]);
    },
  );

  it.each<Lost>([{ before: 'reset' }, { after: 'reset' }])(
    'to its conclusion (%o) leaves it completed',
    async (lost) => {
      const desk = await checkDesk({ faults: [{ match: completing, times: 1, ...lost }] });
      const record = await deliverTo(desk);
      expect([stateOf(desk), deliveryOf(record, 'check run').status]).toEqual([
        [['completed', 'success']],
        'delivered',
      ]);
    },
  );
});

describe('a refused request', () => {
  it('for annotations sends the rest to the workflow commands, each finding once, and the check is completed', async () => {
    const desk = await checkDesk({ faults: [{ match: annotating, times: 1, before: 'status 422' }] });
    const record = await deliverTo(desk, { findings: placed(60) });
    expect([desk.fake.checkRuns()[0]?.annotations.length, desk.commanded.length]).toEqual([0, 60]);
    expect(printed(deliveryOf(record, 'annotations')).reason).toMatch(/^GitHub accepted no annotations: /);
    expect(stateOf(desk)).toEqual([['completed', 'success']]);
  });

  it('for progress is the last attempt to tell any, and is reported in the end', async () => {
    const desk = await checkDesk({ faults: [{ match: changing, times: 1, before: 'status 422' }] });
    await startCheck(desk);
    await endBatches(desk, { times: 2, apart: 10_000 });
    const record = await deliverTo(desk);
    expect(printed(deliveryOf(record, 'check run')).reason).toMatch(/^Could not update its progress: /);
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
    const record = await deliverTo(desk, { findings: placed(1) });
    expect([stateOf(desk), desk.fake.writes().length]).toEqual([[['in_progress', undefined]], 1]);
    expect(deliveryOf(record, 'check run').status).toBe('failed');
  });
});
