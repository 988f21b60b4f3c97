import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codeChange } from '../../../src/core/history/code-change.ts';
import { withoutEchoes } from '../../../src/core/history/echoes.ts';
import { endedComment, isMarkedEnded, reopenedComment } from '../../../src/core/history/ended-comment.ts';
import { type Life, type LifeFacts, lifeMessage, lives, nextState } from '../../../src/core/history/life.ts';
import { readWrittenMarks } from '../../../src/core/history/mark.ts';
import { matchFindings } from '../../../src/core/history/match.ts';
import type { PriorFinding } from '../../../src/core/history/memory.ts';
import { settle } from '../../../src/core/history/settle.ts';
import { inEnglish } from '../../../src/core/messages/languages.ts';
import { prior } from '../../fakes/earlier-rounds.ts';
import { finding, keys, marked, signedComment } from '../../fakes/review-record.ts';
import { changedFile, hunk } from '../findings/make.ts';

const quiet: LifeFacts = { code: 'same', isBack: true, answer: null, declined: null, isClosed: false };
const touched = { ...quiet, code: 'changed', isBack: false } as const;

describe('the life of a finding', () => {
  it.each<[Life, string, Partial<LifeFacts>, Life]>([
    ['open', 'nothing happened', quiet, 'open'],
    ['open', 'its lines changed and nobody answered', touched, 'changed'],
    ['open', 'its lines changed and it is proven', { ...touched, answer: 'fixed' }, 'fixed'],
    ['open', 'its lines changed and it is still there', { ...touched, answer: 'still there' }, 'open'],
    ['open', 'nothing changed, whatever is claimed', { ...quiet, answer: 'fixed' }, 'open'],
    ['open', 'its commit is gone', { ...touched, code: 'unknown' }, 'changed'],
    ['open', 'its file is gone', { ...touched, code: 'left' }, 'gone'],
    ['changed', 'the change was taken back', quiet, 'open'],
    ['changed', 'nobody answered again', touched, 'changed'],
    ['fixed', 'nobody says anything', touched, 'fixed'],
    ['fixed', 'its code is back', quiet, 'returned'],
    ['fixed', 'it was found again', { ...touched, answer: 'still there' }, 'returned'],
    ['gone', 'its file is back', quiet, 'returned'],
    ['returned', 'its comment is still closed', { ...quiet, isClosed: true }, 'returned'],
    ['returned', 'its comment is open again', quiet, 'open'],
    ['open', 'somebody declined it', { ...touched, answer: 'still there', declined: 'people' }, 'declined'],
    ['open', 'a line of source excludes it', { ...quiet, answer: 'still there', declined: 'evidence' }, 'withdrawn'],
    ['withdrawn', 'that line is gone', quiet, 'open'],
    ['declined', 'somebody took that back', quiet, 'open'],
  ])('%s, when %s', (before, _, facts, after) => {
    expect(nextState(before, { ...quiet, ...facts })).toBe(after);
  });

  const anyFacts: fc.Arbitrary<LifeFacts> = fc.record({
    code: fc.constantFrom('same', 'changed', 'left', 'unknown'),
    isBack: fc.boolean(),
    answer: fc.constantFrom('fixed', 'still there', null),
    declined: fc.constantFrom('people' as const, 'evidence' as const, null),
    isClosed: fc.boolean(),
  });

  it('is never fixed without a proof, and never ends without a word, over any sequence of pushes', () => {
    fc.assert(
      fc.property(fc.array(anyFacts, { maxLength: 30 }), (runs) => {
        let before: Life = 'open';
        for (const facts of runs) {
          const after = nextState(before, facts);
          const wasEnded = before === 'fixed' || before === 'gone';
          expect(lives).toContain(after);
          if (after === 'fixed' && before !== 'fixed')
            expect([facts.answer, facts.code === 'same']).toEqual(['fixed', false]);
          if (after === 'gone' && before !== 'gone') expect(facts.code).toBe('left');
          if (after === 'declined') expect(facts.declined).toBe('people');
          if (after === 'withdrawn') expect(facts.declined).toBe('evidence');
          if (wasEnded && facts.isBack && !facts.declined) expect(after).toBe('returned');
          before = after;
        }
      }),
    );
  });

  it('has a word of its own for each state', () => {
    expect(lives.map((life) => inEnglish(lifeMessage(life)))).toEqual([
      'still open',
      'changed, not checked',
      'came back',
      'fixed',
      'gone with its file',
      'declined',
      'withdrawn by evidence',
    ]);
  });
});

describe('the code of a finding on lines 10 to 12', () => {
  const lines = { side: 'RIGHT', startLine: 10, endLine: 12, digests: [] } as const;
  const kindOf = (...hunks: readonly ReturnType<typeof hunk>[]) => {
    const head = [changedFile('a.ts', { hunks })];
    const change = codeChange({ path: 'a.ts', lines }, { head, side: head });
    return change.kind === 'changed' ? `${change.kind}${change.isIntact ? ' around' : ''}` : change.kind;
  };

  it.each<[string, readonly ReturnType<typeof hunk>[], string]>([
    ['is the same without a change', [], 'same'],
    ['is the same when a line far above is added', [hunk({ old: 1, new: 1 }, '+x', ' a')], 'same'],
    ['is the same when the fourth line above it is removed', [hunk({ old: 5, new: 5 }, ' a', '-b', ' c')], 'same'],
    [
      'changed around it when the third line above it is removed',
      [hunk({ old: 6, new: 6 }, ' a', '-b', ' c')],
      'changed around',
    ],
    [
      'changed around it when a line is added right before it',
      [hunk({ old: 9, new: 9 }, ' a', '+b', ' c')],
      'changed around',
    ],
    ['changed when a line is added between its own', [hunk({ old: 10, new: 10 }, ' a', '+b', ' c')], 'changed'],
    ['changed when one of its lines is another', [hunk({ old: 11, new: 11 }, '-a', '+b')], 'changed'],
  ])('%s', (_, hunks, kind) => {
    expect(kindOf(...hunks)).toBe(kind);
  });

  it('is gone with its file, and unknown without its commit', () => {
    const deleted = [changedFile('a.ts', { status: 'deleted' })];
    const kinds = [deleted, null].map((head) => codeChange({ path: 'a.ts', lines }, { head, side: head }).kind);
    expect(kinds).toEqual(['file gone', 'unknown']);
  });
});

describe('earlier findings that meet on one line', () => {
  const [ended, open] = [{ life: 'fixed' }, {}] as const;
  const standing = (...some: readonly Partial<PriorFinding>[]) => {
    const known = withoutEchoes(some.map((one, index) => prior(finding(), { id: `p-${index}`, ...one })));
    const settled = settle(matchFindings([], known), { answers: [], files: [] });
    return settled.standing.map((one) => `${one.prior.id} ${one.prior.life}`);
  };
  const elsewhere = { ...ended, present: { kind: 'here', path: 'src/b.ts', anchor: { kind: 'file' } } } as const;
  it.each<[string, readonly Partial<PriorFinding>[], readonly string[]]>([
    ['what ended stays so where it stands as another', [ended, open], ['p-1 open']],
    ['one of two that ended comes back', [ended, ended], ['p-0 returned']],
    ['one in another place comes back, too', [elsewhere, open], ['p-0 returned', 'p-1 open']],
    ['two that are open stay two', [open, open], ['p-0 open', 'p-1 open']],
  ])('are one: %s', (_, some, expected) => {
    expect(standing(...some)).toEqual(expected);
  });
});

it('a comment that says that its finding ended holds what it said, signed, and can be opened again as it was', () => {
  const body = signedComment('**Reads past the end**\n\nIt throws.', marked(finding()));
  const ended = endedComment(body, { life: 'fixed', commit: 'a'.repeat(40) });
  const [written] = readWrittenMarks(ended);
  const holds = written !== undefined && keys.accepts(written, { in: 'thread', words: ended });
  expect([isMarkedEnded(body), isMarkedEnded(ended), holds, reopenedComment(ended)]).toEqual([false, true, true, body]);
  const copied = ended.replace('It throws.', 'It is fine.');
  expect(written !== undefined && keys.accepts(written, { in: 'thread', words: copied })).toBe(false);
});
