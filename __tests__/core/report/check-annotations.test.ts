import { describe, expect, it } from 'vitest';
import { renderCheckAnnotations } from '../../../src/core/report/check-annotations.ts';
import { context, finding, review } from '../../fakes/review-record.ts';
import { richRecord } from '../../fakes/rich-record.ts';

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
