import { describe, expect, it } from 'vitest';
import { renderAnnotations } from '../../../src/core/report/annotations.ts';
import { severities } from '../../../src/core/settings/severity.ts';
import { context, finding, review } from '../../fakes/review-record.ts';
import { richRecord } from '../../fakes/rich-record.ts';

describe('check annotations', () => {
  it('hold what is meant to be posted, as plain text on the lines of the new file', () => {
    expect(renderAnnotations(richRecord().review).annotations).toMatchInlineSnapshot(`
      [
        {
          "findingId": "f1",
          "level": "error",
          "lines": {
            "end": 12,
            "start": 12,
          },
          "message": "For any cart \`items[items.length]\` is undefined, so \`.price\` throws. Read the last index instead.

      Suggested change:
        return items[items.length - 1].price;",
          "path": "src/cart.ts",
          "title": "Critical: The last price is read past the end",
        },
        {
          "findingId": "f2",
          "level": "warning",
          "lines": null,
          "message": "About removed lines, 30-32 before the change.

      For any cart \`items[items.length]\` is undefined, so \`.price\` throws. Read the last index instead.

      Rule: keep-guards",
          "path": "src/old-checkout.ts",
          "title": "Warning: The check for administrators is gone",
        },
        {
          "findingId": "f3",
          "level": "warning",
          "lines": {
            "end": 3,
            "start": 3,
          },
          "message": "For any cart \`items[items.length]\` is undefined, so \`.price\` throws. Read the last index instead.",
          "path": "docs/prices.md",
          "title": "Warning: The manual still says "first price" | see @ada, #12",
        },
      ]
    `);
  });

  it('say how severe a finding is by their level', () => {
    const placements = severities.map((severity) => ({
      finding: finding({ id: severity, severity }),
      place: 'inline' as const,
    }));
    const { annotations } = renderAnnotations(review({ placements }));
    expect(annotations.map(({ findingId, level }) => [findingId, level])).toEqual([
      ['critical', 'error'],
      ['warning', 'warning'],
      ['info', 'notice'],
      ['nitpick', 'notice'],
    ]);
  });

  it('are ten of a level, and the others are told', () => {
    const placements = Array.from({ length: 12 }, (_, index) => ({
      finding: finding({ id: `f${index}` }),
      place: 'inline' as const,
    }));
    const { annotations, leftOut } = renderAnnotations(review({ placements }));
    expect([annotations.length, leftOut]).toEqual([
      10,
      [
        { findingId: 'f10', reason: 'a step shows at most 10 annotations of level error' },
        { findingId: 'f11', reason: 'a step shows at most 10 annotations of level error' },
      ],
    ]);
  });

  it('are cut where the runner would cut them', () => {
    const placements = [
      { finding: finding({ title: 't'.repeat(500), review: 'r'.repeat(9_000) }), place: 'inline' },
    ] as const;
    const [annotation] = renderAnnotations(review({ placements })).annotations;
    expect([annotation?.title.length, annotation?.message.length, annotation?.message.at(-1)]).toEqual([
      255,
      4_096,
      '…',
    ]);
  });

  it('hold no secret and no control character', () => {
    const text = 'hunter2hunter2 \u001B[31m';
    const placements = [
      { finding: finding({ title: text, review: text, suggestion: text }), place: 'inline' },
    ] as const;
    const [annotation] = renderAnnotations(review({ placements }), context.redact).annotations;
    expect([annotation?.title, annotation?.message]).toEqual([
      'Critical: [redacted: secret] \\u{1B}[31m',
      '[redacted: secret] \\u{1B}[31m\n\nSuggested change:\n[redacted: secret] \\u{1B}[31m',
    ]);
  });
});
