import { describe, expect, it } from 'vitest';
import { combineReporters } from '../../src/core/combine-reporters.ts';
import type { ReviewEvent } from '../../src/core/reporter.ts';

describe('combined reporters', () => {
  it('all hear every event, also behind one that throws', () => {
    const heard: ReviewEvent[] = [];
    const broken = () => {
      throw new Error('disk full');
    };
    const report = combineReporters(
      broken,
      (event) => heard.push(event),
      broken,
      (event) => heard.push(event),
    );
    const event = { type: 'note', text: 'hello' } as const;
    report(event);
    expect(heard).toEqual([event, event]);
  });
});
