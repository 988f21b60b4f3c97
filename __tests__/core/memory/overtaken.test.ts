import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StickyMark } from '../../../src/core/memory/mark.ts';
import { isOvertaken } from '../../../src/core/memory/overtaken.ts';

const ours = { run: '20-1', head: 'a'.repeat(40) };

function written(by: string, head: string): StickyMark {
  return { kind: 'sticky', name: 'Review', run: by, head, mergeBase: '', settings: '', unreviewed: [], others: [] };
}

describe('what another run wrote meanwhile', () => {
  it.each([
    ['stays when it is of our head and from a later run', '21-1', ours.head, ours.head, true],
    ['stays when it is of our head and from a later attempt', '20-2', ours.head, ours.head, true],
    ['goes when it is of our head and from an earlier run', '9-1', ours.head, ours.head, false],
    ['goes when it is of another head, and ours is the present one', '21-1', 'b'.repeat(40), ours.head, false],
    ['stays when the pull request has moved on from our head', '9-1', 'b'.repeat(40), 'b'.repeat(40), true],
    ['stays when it has moved on from both', '21-1', 'b'.repeat(40), 'c'.repeat(40), true],
    ['goes when nobody knows the present head', '21-1', 'b'.repeat(40), null, false],
    ['goes when it was this run itself', '20-1', 'b'.repeat(40), 'b'.repeat(40), false],
  ] as const)('%s', (_, run, head, currentHead, stays) => {
    expect(isOvertaken({ present: written(run, head), ours, currentHead })).toBe(stays);
  });

  it('is decided alike by both of two runs on one head: exactly one of them stays', () => {
    const run = fc.tuple(fc.nat(), fc.integer({ min: 1, max: 9 })).map(([id, attempt]) => `${id}-${attempt}`);
    const pair = fc.tuple(run, run).filter(([one, other]) => one !== other);
    fc.assert(
      fc.property(pair, ([one, other]) => {
        const { head } = ours;
        const yields = (mine: string, theirs: string) =>
          isOvertaken({ present: written(theirs, head), ours: { run: mine, head }, currentHead: head });
        return yields(one, other) !== yields(other, one);
      }),
    );
  });
});
