import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeFollowUp } from '../../../src/core/review/merge-follow-up.ts';
import { finding } from '../../fakes/review-record.ts';

const before = ['f1', 'f2', 'f3'].map((id) => finding({ id, source: 'model' }));
const added = finding({ id: 'f4', source: 'model' });

function ids({ findings }: { readonly findings: readonly { readonly id: string }[] }): readonly string[] {
  return findings.map(({ id }) => id);
}

describe('the merge of a follow-up', () => {
  it('keeps what is confirmed and what is not mentioned, takes out what is dismissed, and adds what is new', () => {
    const merged = mergeFollowUp(before, [...before, added], {
      confirmed: [1],
      dismissed: [{ finding: 2, reason: 'Guarded above.' }],
      again: false,
    });
    expect(ids(merged)).toEqual(['f1', 'f3', 'f4']);
    expect(merged.dismissed.map((one) => [one.finding.id, one.reason, one.by])).toEqual([
      ['f2', 'Guarded above.', 'follow-up'],
    ]);
    expect([merged.confirmed, merged.removed, merged.added]).toEqual([1, 1, 1]);
  });

  it('counts what is said once more as confirmed, also when it is dismissed at once', () => {
    const again = before.map((one, index) => (index === 1 ? { ...one, review: 'Said once more.' } : one));
    const merged = mergeFollowUp(before, again, {
      confirmed: [],
      dismissed: [{ finding: 2, reason: 'No.' }],
      again: false,
    });
    expect([ids(merged), merged.confirmed, merged.removed]).toEqual([['f1', 'f2', 'f3'], 1, 0]);
  });

  it('takes a list that is given again for the same findings, one by one at the same place, however they are worded', () => {
    const words = ['Division by zero', 'The list may be empty', 'A third matter'];
    const reworded = words.map((title, index) => finding({ id: `n${index}`, source: 'model', title }));
    const two = before.slice(0, 2);
    const merged = mergeFollowUp(two, [...two, ...reworded], { confirmed: [], dismissed: [], again: true });
    expect([ids(merged), merged.confirmed, merged.added]).toEqual([['f1', 'f2', 'n2'], 2, 1]);
  });

  it('never dismisses what a rule found', () => {
    const rule = [finding({ id: 'r1', source: 'rule' })];
    expect(
      ids(mergeFollowUp(rule, rule, { confirmed: [], dismissed: [{ finding: 1, reason: 'No.' }], again: false })),
    ).toEqual(['r1']);
  });

  it('loses nothing, doubles nothing and takes out only what was dismissed with a reason, whatever is said', () => {
    const numbers = fc.array(fc.integer({ min: -2, max: 12 }), { maxLength: 12 });
    fc.assert(
      fc.property(fc.nat(8), fc.nat(4), numbers, numbers, (known, more, confirmed, dismissed) => {
        const first = Array.from({ length: known }, (_, index) => finding({ id: `f${index + 1}`, source: 'model' }));
        const after = [
          ...first,
          ...Array.from({ length: more }, (_, index) => finding({ id: `n${index}`, source: 'model' })),
        ];
        const merged = mergeFollowUp(first, after, {
          confirmed,
          dismissed: dismissed.map((number) => ({ finding: number, reason: 'Refuted.' })),
          again: false,
        });
        const gone = merged.dismissed.map((one) => one.finding.id);
        const expectedGone = first
          .map(({ id }, index) => ({ id, number: index + 1 }))
          .filter(({ number }) => dismissed.includes(number) && !confirmed.includes(number))
          .map(({ id }) => id);
        expect([...gone].sort()).toEqual([...expectedGone].sort());
        expect([...ids(merged), ...gone].sort()).toEqual(after.map(({ id }) => id).sort());
        expect([merged.removed, merged.added]).toEqual([gone.length, more]);
      }),
    );
  });
});
