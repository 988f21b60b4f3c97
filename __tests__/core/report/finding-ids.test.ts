import { describe, expect, it } from 'vitest';
import { type PlacedFinding, placed, unraised } from '../../../src/core/findings/finding.ts';
import type { PriorFinding } from '../../../src/core/history/memory.ts';
import { verbatim } from '../../../src/core/messages/message.ts';
import { renderSticky } from '../../../src/core/report/sticky.ts';
import { renderSummary } from '../../../src/core/report/summary.ts';
import type { Review } from '../../../src/core/review/review.ts';
import { prior, roundOf } from '../../fakes/earlier-rounds.ts';
import {
  context,
  deliveryOf,
  finding,
  reviewer as identity,
  marked,
  ownRemark,
  postedReview,
  recordOf,
  thread,
} from '../../fakes/review-record.ts';

function stickyOf(changes: Partial<Review>): string {
  const record = recordOf({ identity, round: roundOf(), ...changes });
  return renderSticky(record, { ...context, comment: 1, present: null })?.replace(/<!--.*-->/g, '') ?? '';
}

describe('the id by which people decline a finding', () => {
  const own = 'p-0000000a';
  const one = finding({ knownAs: own });
  const known = { mark: marked(one), held: { in: 'sticky' } } as const;
  const inThread = { in: 'thread', thread: thread(), comment: ownRemark('') } as const;
  const inReview = { in: 'review', review: postedReview() } as const;
  const stands = placed(one, 'standing', { reason: verbatim(''), url: null, held: 'sticky' });
  const isSummary = placed(one, 'summary', { reason: verbatim('below max-comments') });
  const turnedDown = unraised(one, { by: 'people', reason: verbatim('declined by @lead') });
  it.each<[string, PlacedFinding, Partial<PriorFinding> | null, string | null]>([
    ['a new finding in the summary', isSummary, null, own],
    ['none of one with a comment', placed(one, 'inline'), null, null],
    ['one that stands, as it was', stands, known, own],
    ['none of one that stands in a thread', { ...stands, held: 'thread' }, { ...known, held: inThread }, null],
    ['a declined one, to take it back', turnedDown, { ...known, declined: true }, own],
    [
      'none of what a rule comment keeps back',
      unraised(one, { by: 'rule-comment', reason: verbatim('ours') }),
      null,
      null,
    ],
    ['one that a review holds', { ...stands, held: 'review' }, { ...known, held: inReview }, own],
    ['none of one without an id', placed(finding(), 'summary', { reason: verbatim('') }), null, null],
  ])('is shown: %s', (_, placement, earlier, expected) => {
    const lives = earlier === null ? [] : [prior(one, earlier)];
    const placements = [placement];
    const shown = stickyOf({ signs: true, lives, findings: placements });
    expect(/`(p-[0-9a-f]{8})`/.exec(shown)?.[1] ?? null).toBe(expected);
    expect(shown.includes('/postil dismiss ID REASON')).toBe(expected !== null);
    expect(stickyOf({ lives, findings: placements })).not.toMatch(/`p-[0-9a-f]{8}`/);
  });

  it('is in the job summary where a summary comment remembers it', () => {
    const record = (status: 'delivered' | 'failed') =>
      recordOf({ identity, round: roundOf(), signs: true, findings: [isSummary] }, [
        deliveryOf('summary comment', { status }),
      ]);
    const texts = [record('delivered'), record('failed')].map((one) => renderSummary(one, context));
    expect(texts.map((text) => text.includes(own))).toEqual([true, false]);
  });
});
