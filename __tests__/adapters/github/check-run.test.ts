import { describe, expect, it } from 'vitest';
import type { Review } from '../../../src/core/review/review.ts';
import { openGate } from '../../../src/core/review/verdict.ts';
import type { Settings } from '../../../src/core/settings/settings.ts';
import { at, textAt } from '../../fakes/json.ts';
import { finding } from '../../fakes/review-record.ts';
import { type CheckDesk, checkDesk, deliverTo, deliveryOf, placed, soon, startCheck, stateOf } from './check-desk.ts';
import { head } from './strict-github.ts';

async function endBundles(desk: CheckDesk, { times, apart }: { times: number; apart: number }): Promise<void> {
  for (let bundle = 1; bundle <= times; bundle += 1) {
    desk.wait(apart);
    desk.check.reporter({ type: 'bundle-end', bundle: `${bundle} src`, sentence: 'Reviewed.', findings: 0 });
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
    const desk = await checkDesk({ options: { detailsUrl: 'https://github.example/octo/spoon/actions/runs/1' } });
    await startCheck(desk);
    expect(desk.fake.checkRuns().map(({ content }) => content)).toMatchObject([
      {
        name: 'Review',
        head_sha: head,
        status: 'in_progress',
        details_url: 'https://github.example/octo/spoon/actions/runs/1',
        output: { title: 'The review is running.' },
      },
    ]);
  });

  it('tells its progress every ten seconds at most', async () => {
    const desk = await checkDesk();
    await startCheck(desk);
    await endBundles(desk, { times: 5, apart: 4_000 });
    expect(titles(desk)).toEqual(['3 src: Reviewed.']);
  });

  it('tells its progress twenty times at most, and its conclusion', async () => {
    const desk = await checkDesk();
    await startCheck(desk);
    await endBundles(desk, { times: 25, apart: 10_000 });
    await deliverTo(desk);
    expect(titles(desk)).toHaveLength(21);
  });

  it('gets all annotations, 50 a request, with their evidence', async () => {
    const desk = await checkDesk();
    const { ledger } = await deliverTo(desk, { placements: placed(120) });
    const sizes = desk.fake.writes().map(({ body }) => at(body, 'output', 'annotations', 'length') ?? lengthOf(body));
    expect([sizes, desk.fake.checkRuns()[0]?.annotations.length]).toEqual([[0, 50, 50, 20, 0], 120]);
    expect(desk.fake.checkRuns()[0]?.annotations[0]).toMatchObject({
      path: 'src/cart.ts',
      start_line: 12,
      annotation_level: 'failure',
      raw_details: finding().evidence,
    });
    expect([new Set(ledger.map(({ place }) => place)), desk.commanded]).toEqual([new Set(['annotation']), []]);
  });

  it.each<[string, Partial<Review>, Settings['failOn']]>([
    ['failure', { outcome: 'failed' }, 'never'],
    ['failure', { placements: placed(1) }, 'critical'],
    ['success', { placements: placed(1) }, 'never'],
    ['success', { outcome: 'clean' }, 'warning'],
    ['neutral', { outcome: 'partial' }, 'warning'],
    ['skipped', { outcome: 'skipped' }, 'warning'],
  ])('concludes with %s for %j and `fail-on: %s`', async (conclusion, changes, failOn) => {
    const desk = await checkDesk({ options: { gate: { ...openGate, failOn } } });
    await deliverTo(desk, changes);
    expect(stateOf(desk)).toEqual([['completed', conclusion]]);
  });

  it('shows headline and summary, cut where GitHub would refuse them', async () => {
    const summary = `${'A paragraph of some length.\n\n'.repeat(3_000)}End.`;
    const desk = await checkDesk({ options: { render: () => summary } });
    await deliverTo(desk, { headline: `3 findings. ${'x'.repeat(300)}` });
    const output = desk.fake.checkRuns()[0]?.content['output'];
    expect([textAt(output, 'title').length, textAt(output, 'summary').length <= 65_535]).toEqual([255, true]);
    expect(textAt(output, 'summary')).toMatch(/length\.\n\nThe rest did not fit here and is in the job summary\.$/);
  });

  it('keeps secrets and control characters out of its title', async () => {
    const desk = await checkDesk({ options: { redact: (text) => text.replaceAll('hunter2', '[redacted]') } });
    await deliverTo(desk, { headline: 'hunter2 \u001B[31m' });
    expect(textAt(desk.fake.checkRuns()[0]?.content['output'], 'title')).toBe('[redacted] \\u{1B}[31m');
  });

  it('has an address, which annotations and conclusion carry', async () => {
    const desk = await checkDesk();
    const record = await deliverTo(desk, { placements: placed(1) });
    const url = `https://github.example/octo/spoon/runs/${desk.fake.checkRuns()[0]?.id}`;
    expect([deliveryOf(record, 'check run')?.url, record.ledger[0]?.url]).toEqual([url, url]);
  });
});

function lengthOf(body: unknown): number {
  const annotations = at(body, 'output', 'annotations');
  return Array.isArray(annotations) ? annotations.length : 0;
}
