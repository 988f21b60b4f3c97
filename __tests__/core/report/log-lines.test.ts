import { describe, expect, it } from 'vitest';
import { logLines } from '../../../src/core/report/log-lines.ts';
import type { ReviewEvent } from '../../../src/core/reporter.ts';

const wait = { type: 'call-wait', phase: 'review', milliseconds: 10_000, characters: null } as const;

function runOf(count: number): readonly ReviewEvent[] {
  const names = Array.from({ length: count }, (_, index) => `${index + 1} src`);
  const paths = Array.from({ length: 1_000 }, (_, index) => `src/${index}.ts`);
  return [
    {
      type: 'files-select',
      kept: paths,
      skipped: paths.map((path) => ({ path, reason: 'x' })),
      unread: [],
      changedLines: 1,
    },
    { type: 'bundles-plan', bundles: names.map((name) => ({ name, paths, estimatedTokens: 1 })) },
    ...names.flatMap((bundle): readonly ReviewEvent[] => [
      { type: 'bundle-start', bundle },
      { type: 'agent-event', bundle, event: wait },
      { type: 'warning', text: `Something about ${bundle}.` },
      { type: 'bundle-end', bundle, sentence: 'Reviewed.', findings: 0 },
    ]),
    { type: 'review-end', outcome: 'partial', headline: 'Done.', milliseconds: 1_000 },
  ];
}

function linesOf(events: readonly ReviewEvent[], debugging = false): readonly string[] {
  const lines = logLines({ debugging });
  return events
    .flatMap(lines)
    .flatMap(({ text, detail }) => [text, ...(detail ?? '').split('\n')])
    .filter((line) => line !== '');
}

describe('the lines of a run', () => {
  it('tell every call of a few bundles', () => {
    expect(linesOf(runOf(20)).filter((line) => line.includes('still waiting'))).toHaveLength(20);
  });

  it('are at most 150, however many bundles, files and warnings there are', () => {
    const lines = linesOf(runOf(10_000));
    expect(lines.length).toBeLessThanOrEqual(150);
    expect(lines.filter((line) => line.startsWith('… and') || line.startsWith('More '))).toEqual([
      '… and 985 more',
      '… and 9,985 more',
      'More notes and warnings appear with debug logging only.',
      'More results of batches appear with debug logging only.',
    ]);
    expect(lines.at(-1)).toBe('Done. 1 s.');
    expect(linesOf(runOf(10_000), true).length).toBeGreaterThan(40_000);
    expect(lines.find((line) => line.startsWith('1 src: '))).toMatch(/src\/14\.ts and 985 more$/);
  });
});
