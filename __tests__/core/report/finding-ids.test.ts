import { describe, expect, it } from 'vitest';
import { type PlacedFinding, placed, unraised } from '../../../src/core/findings/finding.ts';
import { idOf } from '../../../src/core/history/known-findings.ts';
import type { PriorFinding } from '../../../src/core/history/memory.ts';
import { verbatim } from '../../../src/core/messages/message.ts';
import { renderSticky } from '../../../src/core/report/sticky.ts';
import { stickyMarkOf } from '../../../src/core/report/sticky-mark.ts';
import { renderSummary } from '../../../src/core/report/summary.ts';
import type { Review } from '../../../src/core/review/review.ts';
import { prior } from '../../fakes/earlier-rounds.ts';
import {
  context,
  deliveryOf,
  finding,
  reviewer as identity,
  marked,
  ownRemark,
  recordOf,
  thread,
} from '../../fakes/review-record.ts';

function stickyOf(changes: Partial<Review>): string {
  return renderSticky(recordOf({ identity, ...changes }), { ...context, comment: 1 })?.replace(/<!--.*-->/g, '') ?? '';
}

const turnedDown = unraised(finding(), { by: 'people', reason: verbatim('declined by @lead') });

describe('the id by which people decline a finding', () => {
  const known = { id: 'p-0000000a', held: { in: 'sticky' } } as const;
  const inThread = { in: 'thread', thread: thread(), comment: ownRemark('') } as const;
  const stands = placed(finding(), 'standing', { reason: verbatim(''), url: null, held: 'sticky' });
  const isSummary = placed(finding(), 'summary', { reason: verbatim('below max-comments') });
  const own = idOf(marked(finding(), { name: identity.name }), { signed: true });
  it.each<[string, PlacedFinding, Partial<PriorFinding> | null, string | null]>([
    ['a new finding in the summary', isSummary, null, own],
    ['none of one with a comment', placed(finding(), 'inline'), null, null],
    ['one that stands, as it was', stands, known, 'p-0000000a'],
    ['none of one that stands in a thread', { ...stands, held: 'thread' }, { ...known, held: inThread }, null],
    ['a declined one, to take it back', turnedDown, { ...known, declined: true }, 'p-0000000a'],
    [
      'none of what a rule comment keeps back',
      unraised(finding(), { by: 'rule-comment', reason: verbatim('ours') }),
      null,
      null,
    ],
    ['no id that an unsigned mark gave itself', stands, { ...known, signed: false }, own],
  ])('is shown: %s', (_, placement, earlier, expected) => {
    const lives = earlier === null ? [] : [prior(finding(), earlier)].filter(({ signed }) => signed);
    const known = earlier?.id === undefined || lives.length === 0 ? {} : { knownAs: earlier.id };
    const placements = [{ ...placement, ...known }];
    const shown = stickyOf({ signs: true, lives, findings: placements });
    expect(/`(p-[0-9a-f]{8})`/.exec(shown)?.[1] ?? null).toBe(expected);
    expect(shown.includes('/postil dismiss ID REASON')).toBe(expected !== null);
    expect(stickyOf({ lives, findings: placements })).not.toMatch(/`p-[0-9a-f]{8}`/);
  });

  it('is in the job summary where a summary comment remembers it', () => {
    const record = (status: 'delivered' | 'failed') =>
      recordOf({ identity, signs: true, findings: [isSummary] }, [deliveryOf('summary comment', { status })]);
    const texts = [record('delivered'), record('failed')].map((one) => renderSummary(one, context));
    expect(texts.map((text) => text.includes(own))).toEqual([true, false]);
  });

  it('stays with the very mark that somebody declined, so that it covers no later line', () => {
    const earlier = prior(finding(), { ...known, mark: marked(finding(), { commit: 'd'.repeat(40) }), declined: true });
    const record = recordOf({ identity, lives: [{ ...earlier, life: 'declined' }], findings: [turnedDown] });
    const kept = { ...earlier.mark, id: 'p-0000000a', life: 'declined', comment: null };
    expect(stickyMarkOf(record, context)?.ended).toEqual([kept]);
  });
});
