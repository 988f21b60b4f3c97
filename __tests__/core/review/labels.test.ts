import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PlacedFinding, placed } from '../../../src/core/findings/finding.ts';
import { labelChanges } from '../../../src/core/review/labels.ts';
import type { Review } from '../../../src/core/review/review.ts';
import { readLabelRules } from '../../../src/core/settings/label-rules.ts';
import { categories, severities } from '../../../src/core/settings/setting.ts';
import { allProven, review } from '../../fakes/review-record.ts';
import { finding } from '../findings/make.ts';

type Given = { readonly findings?: readonly PlacedFinding[]; readonly whole?: boolean; readonly size?: Review['size'] };

function reviewWith({ findings = [], whole = true, size = { files: 3, changed: 120 } }: Given): Review {
  const open = findings.filter(({ place }) => place !== 'suppressed').map(({ severity }) => severity);
  return review({ facts: { ...allProven, files: whole ? 'proven' : 'broken', open }, findings, size });
}

const warning = placed(finding({ severity: 'warning', category: 'security' }), 'inline');
const standing = placed(finding({ severity: 'critical', category: 'bug' }), 'standing');
const declined = placed(finding({ severity: 'critical', category: 'test' }), 'suppressed');

/** What becomes of a label with this condition: `set`, `removed`, or left as it is. */
function fate(condition: string, given: Given): string {
  const rules = readLabelRules([`x: ${condition}`]);
  const made = reviewWith(given);
  if (labelChanges(rules, made, ['other']).add.length > 0) return 'set';
  return labelChanges(rules, made, ['other', 'X']).remove.length > 0 ? 'removed' : 'left';
}

describe('a label', () => {
  const findings = [warning, standing, declined];
  it.each([
    ['security >= warning', 'set', 'set'],
    ['security > warning', 'removed', 'left'],
    ['security = warning', 'set', 'set'],
    ['security <= nitpick', 'removed', 'left'],
    ['findings >= critical', 'set', 'set'],
    ['bug = 1', 'set', 'left'],
    ['bug = 0', 'removed', 'removed'],
    ['findings = 3', 'removed', 'left'],
    ['findings > 1', 'set', 'set'],
    ['findings < 2', 'removed', 'removed'],
    ['findings < 9', 'set', 'left'],
    ['test >= nitpick', 'removed', 'left'],
    ['changed > 119', 'set', 'set'],
    ['changed > 120', 'removed', 'removed'],
    ['files = 3', 'set', 'set'],
    ['files <= 2 and findings > 9', 'removed', 'removed'],
    ['files = 3 and findings > 9', 'removed', 'left'],
    ['files = 3 and findings > 1', 'set', 'set'],
  ])('with %s is %s after a complete review, and %s after a partial one', (condition, complete, partial) => {
    expect([fate(condition, { findings }), fate(condition, { findings, whole: false })]).toEqual([complete, partial]);
  });

  it('stays where nobody knows how large the change is', () => {
    expect(['changed > 1', 'files < 9', 'files >= 0'].map((one) => fate(one, { size: null }))).toEqual([
      'left',
      'left',
      'set',
    ]);
  });

  it('that a rule does not name is never touched, and one is removed by the name that it has', () => {
    const rules = readLabelRules(['big: changed > 1', 'hot: findings > 0']);
    expect(labelChanges(rules, reviewWith({}), ['Hot', 'Big', 'mine'])).toEqual({ add: [], remove: ['Hot'] });
  });

  it('is never changed by a partial review in a way that any complete one with more findings would not', () => {
    const found = fc.record({ severity: fc.constantFrom(...severities), category: fc.constantFrom(...categories) });
    const list = fc.array(
      found.map((one) => placed(finding(one), 'inline')),
      { maxLength: 4 },
    );
    const condition = fc
      .tuple(
        fc.constantFrom('findings', ...categories),
        fc.constantFrom('>=', '<=', '>', '<', '='),
        fc.constantFrom(0, 1, 2, 3, ...severities),
      )
      .map((parts) => parts.join(' '));
    fc.assert(
      fc.property(list, list, condition, condition, (known, more, one, other) => {
        const rule = `${one} and ${other}`;
        const partial = fate(rule, { findings: known, whole: false });
        expect([fate(rule, { findings: [...known, ...more] }), 'left']).toContain(partial);
      }),
    );
  });
});
