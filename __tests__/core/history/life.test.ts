import { describe, expect, it } from 'vitest';
import { endedComment, isMarkedEnded, reopenedComment } from '../../../src/core/history/ended-comment.ts';
import {
  evidence,
  hasEnded,
  isOpen,
  type Life,
  lifeMessage,
  lifeOfAll,
  lives,
  nextState,
} from '../../../src/core/history/life.ts';
import { readWrittenMarks } from '../../../src/core/history/mark.ts';
import { codeChange } from '../../../src/core/history/positions.ts';
import { inEnglish } from '../../../src/core/messages/languages.ts';
import { finding, keys, marked, signedComment } from '../../fakes/review-record.ts';
import { changedFile, hunk } from '../findings/make.ts';

/** A row for each evidence, a column for each state before. */
function table(): string {
  const line = (name: string, cells: readonly string[]) =>
    [name.padEnd(13), ...cells.map((cell) => cell.padEnd(9))].join(' ').trimEnd();
  const rows = evidence.map((of) =>
    line(
      of,
      lives.map((before) => nextState(before, of)),
    ),
  );
  return [line('', lives), ...rows].join('\n');
}

const all = lives.flatMap((before) => evidence.map((of) => ({ before, of, after: nextState(before, of) })));

describe('the life of a finding', () => {
  it('is one table: state before and evidence', () => {
    expect(table()).toMatchInlineSnapshot(`
      "              open      changed   returned  fixed     gone      declined  withdrawn
      declined      declined  declined  declined  declined  declined  declined  declined
      withdrawn     withdrawn withdrawn withdrawn withdrawn withdrawn withdrawn withdrawn
      found         open      open      returned  returned  returned  open      open
      back          open      open      returned  returned  returned  open      open
      proven        fixed     fixed     fixed     fixed     gone      fixed     fixed
      left          gone      gone      gone      fixed     gone      gone      gone
      proof changed changed   changed   changed   changed   gone      changed   changed
      changed       changed   changed   changed   fixed     gone      changed   changed
      unchanged     open      open      returned  fixed     gone      open      open"
    `);
  });

  it.each<[string, Life, readonly string[]]>([
    ['fixed without a proof', 'fixed', ['proven']],
    ['gone while its lines may be in the diff', 'gone', ['left']],
    ['declined without a decline', 'declined', ['declined']],
    ['withdrawn without an answer that proves it', 'withdrawn', ['withdrawn']],
    ['back without its code', 'returned', ['found', 'back']],
  ])('is never %s', (_, after, only) => {
    const ways = all.flatMap((one) => (one.after === after && one.before !== after ? [one.of] : []));
    expect([...new Set(ways)]).toEqual(only);
  });

  it.each<[string, readonly Life[], Life]>([
    ['open while one place is', ['fixed', 'open', 'gone', 'declined'], 'open'],
    ['back when one of them is', ['open', 'returned'], 'returned'],
    ['changed where nobody knows of the last one', ['fixed', 'changed'], 'changed'],
    ['declined where the others ended', ['fixed', 'declined', 'gone'], 'declined'],
    ['fixed when one place is, and the others are gone', ['gone', 'fixed'], 'fixed'],
    ['gone when all are', ['gone', 'gone'], 'gone'],
  ])('with several places is %s', (_, places, whole) => {
    expect([lifeOfAll(places), lifeOfAll(places.toReversed())]).toEqual([whole, whole]);
  });

  it('counts, has ended, or somebody said no', () => {
    const kinds = lives.map((life) => (isOpen(life) ? 'open' : hasEnded(life) ? 'ended' : 'no'));
    expect(kinds).toEqual(['open', 'open', 'open', 'ended', 'ended', 'no', 'no']);
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
      'is the same when only the context of a change reaches it',
      [hunk({ old: 5, new: 5 }, ' a', '-b', ' c', ' d', ' e')],
      'same',
    ],
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

it('a comment that says that its finding ended holds what it said, signed, and can be opened again as it was', () => {
  const body = signedComment('**Reads past the end**\n\nIt throws.', marked(finding()));
  const ended = endedComment(body, { life: 'fixed', commit: 'a'.repeat(40) });
  const [written] = readWrittenMarks(ended);
  const holds = written !== undefined && keys.accepts(written, { in: 'thread', words: ended });
  expect([isMarkedEnded(body), isMarkedEnded(ended), holds, reopenedComment(ended)]).toEqual([false, true, true, body]);
  const copied = ended.replace('It throws.', 'It is fine.');
  expect(written !== undefined && keys.accepts(written, { in: 'thread', words: copied })).toBe(false);
});
