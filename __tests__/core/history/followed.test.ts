import { describe, expect, it } from 'vitest';
import { followedAll } from '../../../src/core/history/followed.ts';
import { matchFindings } from '../../../src/core/history/match.ts';
import type { PriorFinding } from '../../../src/core/history/memory.ts';
import type { CodeChange, Present } from '../../../src/core/history/positions.ts';
import { settle } from '../../../src/core/history/settle.ts';
import { verbatim } from '../../../src/core/messages/message.ts';
import type { ChangedFile } from '../../../src/core/pull-request/changed-file.ts';
import { prior } from '../../fakes/earlier-rounds.ts';
import { finding, linesAt, marked } from '../../fakes/review-record.ts';
import { changedFile, hunk } from '../findings/make.ts';

const query = '  const rows = await query(sql + id);';
const sql = finding({ anchor: linesAt([12, 12], query) });
const fileGone: CodeChange = { kind: 'file gone' };

const lifeOf = (one: PriorFinding, files: readonly ChangedFile[]) =>
  settle(matchFindings([], followedAll([one], files)), { answers: [], files }).parts[0]?.life;

/** Where it is looked for now, and what becomes of it. */
function told(one: PriorFinding, files: readonly ChangedFile[]): string {
  const { present, change } = followedAll([one], files)[0] ?? one;
  const lines = change.kind === 'changed' ? change.hunks.flatMap((some) => some.lines).length : 0;
  return [present.kind, present.path ?? '', lines === 0 ? '' : `${lines} lines`, lifeOf(one, files)].join(' ');
}

describe('a finding whose file is gone', () => {
  const gone = prior(sql, { present: { kind: 'gone' }, change: fileGone, isBack: false });
  const deleted = changedFile('src/cart.ts', { status: 'deleted', hunks: [hunk({ old: 12, new: 11 }, `-${query}`)] });
  const added = (path: string, ...lines: readonly string[]) => {
    return changedFile(path, { hunks: [hunk({ old: 1, new: 1 }, ...lines.map((line) => `+${line}`))] });
  };
  const many = Array.from({ length: 30 }, (_, index) => `  add(item${index});`);

  it.each<[string, readonly ChangedFile[], string]>([
    ['is gone with it', [deleted], 'gone   gone'],
    ['is gone where another file adds other lines', [deleted, added('src/b.ts', 'other();')], 'gone   gone'],
    ['follows its lines to another file', [deleted, added('src/b.ts', 'a();', query)], 'gone src/b.ts 2 lines changed'],
    [
      'follows them with a few around them',
      [added('src/b.ts', ...many, query, ...many)],
      'gone src/b.ts 9 lines changed',
    ],
    [
      'follows no lines that are there from before',
      [changedFile('b.ts', { hunks: [hunk({ old: 1, new: 1 }, ` ${query}`)] })],
      'gone   gone',
    ],
    [
      'follows no lines into a file that is deleted',
      [deleted, { ...added('b.ts', query), status: 'deleted' }],
      'gone   gone',
    ],
  ])('%s', (_, files, expected) => {
    expect(told(gone, files)).toBe(expected);
  });

  it('follows them to no lines that another finding stands on, and to the next place that has them', () => {
    const twice = added('src/b.ts', query, 'other();', query);
    const there = finding({ id: 'f2', path: 'src/b.ts', anchor: linesAt([1, 1], query) });
    const other = prior(there, { mark: marked(there) });
    const [first, second] = followedAll([gone, other], [added('src/b.ts', query)]);
    const [moved] = followedAll([gone, other], [twice]);
    const hunks = moved?.change.kind === 'changed' ? moved.change.hunks.map(({ newStart }) => newStart) : [];
    expect([first?.present, second?.present, moved?.present.path, hunks]).toEqual([
      gone.present,
      other.present,
      'src/b.ts',
      [1],
    ]);
    const removed = {
      ...other,
      present: { ...other.present, kind: 'here', path: 'src/b.ts', anchor: linesAt([1, 1], query, 'LEFT') },
    } as const;
    expect(followedAll([gone, removed], [added('src/b.ts', query)])[0]?.present.path).toBe('src/b.ts');
  });

  it('does not follow a bracket, which stands everywhere', () => {
    const bracket = prior(finding({ anchor: linesAt([12, 12], '  }') }), {
      present: { kind: 'gone' },
      change: fileGone,
    });
    expect(told({ ...bracket, isBack: false }, [added('src/b.ts', '  }')])).toBe('gone   gone');
  });
});

describe('a finding whose lines are gone', () => {
  const changed: CodeChange = { kind: 'changed', isIntact: false, hunks: [] };
  const moved = changedFile('src/b.ts', { hunks: [hunk({ old: 1, new: 1 }, `+${query}`)] });
  const own = changedFile('src/cart.ts');
  const one = prior(sql, { present: { kind: 'gone' }, change: changed, isBack: false });

  it('stays with its file while that is one of the diff, and follows them when it is not', () => {
    expect([told(one, [own, moved]), told(one, [moved]), told(one, [changedFile('x.ts')])]).toEqual([
      'gone   changed',
      'gone src/b.ts 1 lines changed',
      'gone   gone',
    ]);
  });

  it('follows nothing where it is about the whole file, or its lines are there', () => {
    const whole = finding({ anchor: { kind: 'file' } });
    const ofFile = prior(whole, { present: { kind: 'gone' }, change: fileGone, isBack: false });
    const there = prior(sql, { change: changed, isBack: false });
    expect([told(ofFile, [moved]), told(there, [own, moved])]).toEqual(['gone   gone', 'here src/cart.ts  changed']);
  });
});

describe('a finding on removed lines', () => {
  const guard = finding({ path: 'src/new.ts', anchor: linesAt([30, 31], 'if (!admin) {\n  throw denied();', 'LEFT') });
  const mark = marked(guard, { oldPath: 'src/old.ts' });
  // Removed lines are known by what their file is called at the merge base.
  const present: Present = { kind: 'here', path: 'src/old.ts', anchor: linesAt([30, 31], '', 'LEFT') };
  const pushed: CodeChange = { kind: 'changed', isIntact: true, hunks: [] };
  const one = prior(guard, { mark, present });
  const removing = (path: string, more: Partial<ChangedFile> = {}) =>
    changedFile(path, {
      ...{ oldPath: 'src/old.ts', status: 'renamed' },
      hunks: [hunk({ old: 29, new: 29 }, ' function pay() {', '-if (!admin) {', '-  throw denied();')],
      ...more,
    });
  const restoring = removing('src/new.ts', { hunks: [hunk({ old: 2, new: 2 }, '+log();', ' ')] });

  it.each<[string, PriorFinding, readonly ChangedFile[], string]>([
    ['stands under the name that its file has', one, [removing('src/new.ts')], 'here src/new.ts  open'],
    ['follows its file to another name', one, [removing('src/newer.ts')], 'here src/newer.ts  open'],
    [
      'stands where its file is deleted as a whole',
      one,
      [removing('src/old.ts', { status: 'deleted' })],
      'here src/old.ts  open',
    ],
    [
      'stands while one of its lines is removed',
      one,
      [removing('src/new.ts', { hunks: [hunk({ old: 31, new: 31 }, '-  throw denied();')] })],
      'here src/new.ts  open',
    ],
    [
      'stands where the diff of its file is not whole',
      one,
      [{ ...restoring, incomplete: verbatim('cut') }],
      'here src/new.ts  open',
    ],
    ['is fixed once all its lines are there again', { ...one, change: pushed }, [restoring], 'gone src/new.ts  fixed'],
    ['ends with the change of its file', one, [changedFile('src/other.ts')], 'gone   gone'],
    ['ends with the diff', one, [], 'gone   gone'],
  ])('%s', (_, earlier, files, expected) => {
    expect(told(earlier, files)).toBe(expected);
  });

  it('is back when its lines are removed again', () => {
    const [part] = settle(matchFindings([], followedAll([{ ...one, change: pushed }], [restoring])), {
      answers: [],
      files: [restoring],
    }).parts;
    expect(lifeOf({ ...one, life: part?.life ?? 'open' }, [removing('src/new.ts')])).toBe('returned');
  });

  it('stands as it stood when it is looked for again', () => {
    const files = [removing('src/newer.ts')];
    const once = followedAll([one], files);
    expect(followedAll(once, files)).toEqual(once);
  });

  it('is matched by what is found on them under the present name', () => {
    const again = { ...guard, path: 'src/newer.ts' };
    const { standing } = matchFindings([again], followedAll([one], [removing('src/newer.ts')]));
    expect(standing.map((pair) => pair.prior.id)).toEqual(['p-f1']);
  });
});
