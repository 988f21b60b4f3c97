import { afterEach, describe, expect, it, vi } from 'vitest';
import { annotationsSink } from '../../../src/adapters/actions/annotations-sink.ts';
import { context, finding, review } from '../../fakes/review-record.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

describe('annotations by workflow commands', () => {
  it('are written with their place, and their text escaped', async () => {
    const written: string[] = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
    const lines = { kind: 'lines', side: 'RIGHT', startLine: 3, endLine: 5, quote: 'a\nb\nc' } as const;
    const hostile = { title: 'One: two, three', review: '100 %\n::error::x hunter2hunter2', suggestion: null };
    const placements = [
      { finding: finding({ id: 'f1', anchor: lines, path: 'src/a,b.ts', ...hostile }), place: 'inline' },
      {
        finding: finding({
          id: 'f2',
          anchor: { ...lines, side: 'LEFT' },
          severity: 'info',
          ...hostile,
          review: 'Gone.',
        }),
        place: 'inline',
      },
    ] as const;
    const delivery = await annotationsSink(context).deliver(review({ placements }));
    expect({ written, delivery }).toMatchInlineSnapshot(`
      {
        "delivery": {
          "delivered": [
            {
              "findingId": "f1",
              "place": "annotation",
              "url": null,
            },
            {
              "findingId": "f2",
              "place": "annotation",
              "url": null,
            },
          ],
          "reason": null,
          "sink": "annotations",
          "status": "delivered",
          "url": null,
        },
        "written": [
          "::error title=Critical%3A One%3A two%2C three,file=src/a%2Cb.ts,line=3,endLine=5::100 %25%0A: :error::x [redacted: secret]
      ",
          "::notice title=Info%3A One%3A two%2C three,file=src/cart.ts::About removed lines, 3-5 before the change.%0A%0AGone.
      ",
        ],
      }
    `);
  });

  it('are skipped when there is nothing to say', async () => {
    expect(await annotationsSink(context).deliver(review())).toEqual({
      sink: 'annotations',
      status: 'skipped',
      reason: 'There is nothing to annotate.',
      delivered: [],
      url: null,
    });
  });

  it('say how many the runner would not have shown', async () => {
    vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
    const placements = Array.from({ length: 13 }, (_, index) => ({
      finding: finding({ id: `f${index}` }),
      place: 'inline' as const,
    }));
    const delivery = await annotationsSink(context).deliver(review({ placements }));
    expect([delivery.delivered.length, delivery.reason]).toEqual([
      10,
      '3 findings left out: a step shows at most 10 annotations of level error.',
    ]);
  });
});
