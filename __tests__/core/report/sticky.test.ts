import { describe, expect, it } from 'vitest';
import { placed } from '../../../src/core/findings/finding.ts';
import { signedStateIn } from '../../../src/core/history/known-findings.ts';
import { isUnchanged, renderSticky, withJoinedState } from '../../../src/core/report/sticky.ts';
import type { Review } from '../../../src/core/review/review.ts';
import { knownFinding, prior, roundOf, stateIn, stateMark, stateOf } from '../../fakes/earlier-rounds.ts';
import {
  context,
  coverageOf,
  finding,
  reviewer as identity,
  keys,
  marked,
  recordOf,
  signedMark,
} from '../../fakes/review-record.ts';

const inComment = { ...context, comment: 1, present: null };

describe('the state in the summary comment', () => {
  const round = roundOf();
  it.each([
    ['of Latin letters', 'x'],
    ['of any script', '界'],
    ['of emoji', '🦀'],
  ])('holds the walkthrough of 300 files %s, and the comment stays within what GitHub takes', (_, character) => {
    const notes = Array.from({ length: 300 }, (_, index) => {
      return { paths: [`src/${index}.ts`], changes: character.repeat(400), checked: character.repeat(400) };
    });
    const text = renderSticky(recordOf({ identity, round, walkthrough: notes }), { ...inComment, keys }) ?? '';
    const kept = stateIn(text)?.walkthrough ?? [];
    expect([kept.length, kept[0]?.changes.length, text.length <= 65_536]).toEqual([300, 300, true]);
  });

  it('is signed for its comment, and is none where there is no key or no number yet', () => {
    const record = recordOf({ identity, round });
    const read = (context: Parameters<typeof renderSticky>[1]) => {
      const body = renderSticky(record, context) ?? '';
      return [
        stateIn(body)?.number ?? null,
        signedStateIn(body, { comment: 1, name: identity.name, keys })?.number ?? null,
      ];
    };
    expect([
      read({ ...inComment, keys }),
      read({ ...inComment, keys, comment: 2 }),
      read({ ...inComment, keys, comment: null }),
      read(inComment),
    ]).toEqual([
      [1, 1],
      [1, null],
      [null, null],
      [null, null],
    ]);
  });

  it('is joined with what another run wrote meanwhile', () => {
    const theirs = stateOf({ number: 5, run: '8-1', findings: [knownFinding(marked(finding({ id: 'f9' })))] });
    const ours = placed(finding({ knownAs: 'p-f1' }), 'inline');
    const record = recordOf({ identity, round, findings: [ours] });
    const state = stateIn(renderSticky(record, { ...inComment, keys, present: theirs }) ?? '');
    expect([state?.number, state?.run, state?.findings.map(({ id }) => id)]).toEqual([
      6,
      identity.run,
      ['p-f9', 'p-f1'],
    ]);
  });

  it('is joined with ours where another run keeps its words', () => {
    const theirs = stateOf({ number: 5, run: '8-1', head: 'f'.repeat(40) });
    const body = `### Postil · Theirs\n\nWords.\n\n${signedMark(stateMark(theirs), { in: 'summary', comment: 1 })}`;
    const record = recordOf({ identity, round, findings: [placed(finding({ knownAs: 'p-f1' }), 'inline')] });
    const joined = withJoinedState(body, record, { ...inComment, keys, present: theirs }) ?? '';
    const state = signedStateIn(joined, { comment: 1, name: identity.name, keys });
    expect(joined.startsWith('### Postil · Theirs\n\nWords.\n\n<!-- postil:v2 ')).toBe(true);
    expect([state?.number, state?.run, state?.head, state?.findings.map(({ id }) => id)]).toEqual([
      6,
      '8-1',
      theirs.head,
      ['p-f1'],
    ]);
  });

  it('says the same already where the same commit comes to the same findings and nothing was looked at', () => {
    const findings = [knownFinding()];
    const before = stateOf({ findings });
    const parts = [prior()];
    const coverage = coverageOf({ earlier: ['src/cart.ts'] });
    const told = (changes: Partial<Review>) =>
      isUnchanged(recordOf({ identity, round: roundOf({ before, parts }), coverage, ...changes }), 'Words.', context);
    expect([
      told({}),
      told({ coverage: coverageOf({ reviewed: ['src/cart.ts'] }) }),
      told({ round: roundOf({ before, parts: [prior(finding(), { life: 'declined' })] }) }),
      told({ round: roundOf({ before: { ...before, head: 'f'.repeat(40) }, parts }) }),
      told({ round: roundOf({ parts }) }),
    ]).toEqual([true, false, false, false, false]);
  });
});
