import { describe, expect, it } from 'vitest';
import { renderAnnotations, renderCheckAnnotations } from '../../../src/core/report/annotations.ts';
import { permalink } from '../../../src/core/report/finding.ts';
import { severities } from '../../../src/core/settings/setting.ts';
import { context, finding, pullRequest, review } from '../../fakes/review-record.ts';
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

  it('are ten of a level, and the others are reported', () => {
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

describe('annotations of a check', () => {
  it('are always on a line, with the evidence as details', () => {
    const annotations = renderCheckAnnotations(richRecord().review);
    expect(
      annotations.map(({ findingId, level, startLine, endLine }) => [findingId, level, startLine, endLine]),
    ).toEqual([
      ['f1', 'failure', 12, 12],
      ['f2', 'warning', 1, 1],
      ['f3', 'warning', 3, 3],
    ]);
    expect(annotations[0]?.details).toContain('calls it for every order');
  });

  it('are all there, however many there are of a level', () => {
    const placements = Array.from({ length: 120 }, (_, index) => ({
      finding: finding({ id: `f${index}` }),
      place: 'inline' as const,
    }));
    expect(renderCheckAnnotations(review({ placements })).map(({ findingId }) => findingId)).toEqual(
      placements.map(({ finding: { id } }) => id),
    );
  });

  it('may say far more than a workflow command, and never more than 64 KB', () => {
    const long = (text: string) => ({ finding: finding({ review: text, evidence: text }), place: 'inline' as const });
    const sizes = renderCheckAnnotations(
      review({ placements: [long('r'.repeat(20_000)), long('€'.repeat(40_000))] }),
    ).map(({ message, details }) => [message, details ?? ''].map((text) => new TextEncoder().encode(text).length));
    expect(sizes[0]).toEqual([
      20_000 + '\n\nSuggested change:\n  return items[items.length - 1].price;'.length,
      20_000,
    ]);
    for (const size of sizes[1] ?? []) expect([size > 63_900, size <= 64_000]).toEqual([true, true]);
  });

  it('have no details without evidence, and no secret in them', () => {
    const of = (evidence: string) => ({ finding: finding({ evidence }), place: 'inline' as const });
    const annotations = renderCheckAnnotations(
      review({ placements: [of(' '), of('hunter2hunter2 \u001B')] }),
      context.redact,
    );
    expect(annotations.map(({ details }) => details)).toEqual([null, '[redacted: secret] \\u{1B}']);
  });
});

const links = { context, pullRequest };
const head = 'a'.repeat(40);
const lines = { kind: 'lines', side: 'RIGHT', startLine: 3, endLine: 5, quote: 'a\nb\nc' } as const;

describe('the link to a finding', () => {
  it.each([
    ['lines at head', finding({ anchor: lines }), `https://github.com/acme/shop/blob/${head}/src/cart.ts#L3-L5`],
    ['one line', finding(), `https://github.com/acme/shop/blob/${head}/src/cart.ts#L12`],
    [
      'a file that GitHub renders',
      finding({ path: 'docs/a b(1).md', anchor: lines }),
      `https://github.com/acme/shop/blob/${head}/docs/a%20b%281%29.md?plain=1#L3-L5`,
    ],
    [
      'removed lines',
      finding({ anchor: { ...lines, side: 'LEFT' } }),
      'https://github.com/acme/shop/pull/7/files#diff-3e111233cdeb1e3f31646b9088b8e9f55eba99c0cf0a167026d8503c5408c24bL3-L5',
    ],
  ])('shows %s', (_name, one, url) => {
    expect(permalink(one, links)).toBe(url);
  });

  it('does not exist on a laptop', () => {
    expect(permalink(finding(), { context: { ...context, repository: null }, pullRequest })).toBeNull();
  });
});
