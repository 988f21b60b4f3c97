import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StickyMark } from '../../../src/core/memory/mark.ts';
import type { Past, Scope } from '../../../src/core/memory/memory.ts';
import { isOvertaken, recall } from '../../../src/core/memory/recall.ts';
import { decideScope, narrowToScope, type ScopeInput } from '../../../src/core/memory/scope.ts';
import { withSignatures } from '../../../src/core/memory/signed-marks.ts';
import type { ChangedFile, Hunk } from '../../../src/core/pull-request/changed-file.ts';
import { keys, ownRemark, pullRequest, signedMark } from '../../fakes/review-record.ts';

const head = 'a'.repeat(40);
const earlier = 'b'.repeat(40);
const mergeBase = 'c'.repeat(40);
const sticky: StickyMark = {
  kind: 'sticky',
  name: 'Review',
  run: '1-1',
  head: earlier,
  mergeBase,
  base: 'main',
  settings: 's',
  unreviewed: ['late.ts'],
  others: [],
};
const past: Past = {
  canWrite: async () => false,
  relationOf: async () => 'ancestor',
  changesBetween: async () => [],
};
const input: ScopeInput = {
  incremental: true,
  sticky,
  identity: { name: 'Review', run: '2-1', settings: 's' },
  head,
  mergeBase,
  base: 'main',
  past,
};

describe('what a run looks at', () => {
  it.each<[string, Partial<ScopeInput>, Scope]>([
    ['a push', {}, { kind: 'incremental', since: earlier, changed: [], unreviewed: ['late.ts'] }],
    ['no earlier run', { sticky: null }, { kind: 'full', why: 'first review' }],
    ['`incremental: false`', { incremental: false }, { kind: 'full', why: 'incremental is off' }],
    [
      'other settings',
      { identity: { ...input.identity, settings: 't' } },
      { kind: 'full', why: 'the settings changed' },
    ],
    ['another merge base', { mergeBase: 'd'.repeat(40) }, { kind: 'full', why: 'the base changed' }],
    ['another base branch on the same merge base', { base: 'mine' }, { kind: 'full', why: 'the base changed' }],
    [
      'a rewritten branch',
      { past: { ...past, relationOf: async () => 'diverged' } },
      { kind: 'full', why: 'history was rewritten' },
    ],
    [
      'a forgotten commit',
      { past: { ...past, relationOf: async () => 'gone' } },
      { kind: 'full', why: 'the earlier commit cannot be read' },
    ],
    [
      'a diff that cannot be had',
      { past: { ...past, changesBetween: async () => null } },
      { kind: 'full', why: 'the earlier commit cannot be read' },
    ],
  ])('after %s', async (_, changes, scope) => {
    expect(await decideScope({ ...input, ...changes })).toEqual(scope);
  });

  it('is nothing new on the same commit, and nothing is asked', async () => {
    const asked = { ...past, relationOf: () => Promise.reject(new Error('asked')) };
    expect(await decideScope({ ...input, head: earlier, past: asked })).toMatchObject({ since: earlier, changed: [] });
  });
});

function hunk(newStart: number, lines: readonly string[]): Hunk {
  const count = (sign: RegExp) => lines.filter((line) => sign.test(line)).length;
  return { oldStart: newStart, oldLines: count(/^[ -]/), newStart, newLines: count(/^[ +]/), heading: '', lines };
}

function file(path: string, hunks: readonly Hunk[], more: Partial<ChangedFile> = {}): ChangedFile {
  const plain = { oldPath: path, status: 'modified', kind: 'text', modeChange: null, generated: false } as const;
  return { path, ...plain, additions: 9, deletions: 9, hunks, incomplete: null, ...more };
}

const top = hunk(1, ['+a', ' b', ' c', ' d']);
const bottom = hunk(100, [' x', '-y', '+z', ' w']);
const kept = [file('a.ts', [top, bottom]), file('b.ts', [top]), file('late.ts', [top])];

describe('a narrowed review', () => {
  const since = (changed: readonly ChangedFile[]): Scope => ({
    kind: 'incremental',
    since: earlier,
    changed,
    unreviewed: ['late.ts'],
  });

  it.each([
    ['a hunk that was touched', [hunk(101, ['+z'])], [bottom]],
    ['a hunk near a line that was removed', [hunk(103, ['-gone'])], [bottom]],
    ['both that were touched', [hunk(2, ['+b']), hunk(101, ['+z'])], [top, bottom]],
  ])('keeps %s, and files that were left over', (_, touched, hunks) => {
    const narrowed = narrowToScope(kept, since([file('a.ts', touched)]));
    expect(narrowed.kept.map(({ path, hunks: left }) => [path, left])).toEqual([
      ['a.ts', hunks],
      ['late.ts', [top]],
    ]);
    expect(narrowed.earlier).toEqual(['b.ts']);
  });

  it('counts the lines of what it keeps', () => {
    const [first] = narrowToScope(kept, since([file('a.ts', [hunk(101, ['+z'])])])).kept;
    expect([first?.additions, first?.deletions]).toEqual([1, 1]);
  });

  it('leaves a file out whose push does not touch what the pull request shows of it', () => {
    expect(narrowToScope(kept, since([file('a.ts', [hunk(50, ['+q'])])])).earlier).toEqual(['a.ts', 'b.ts']);
  });

  it.each<[string, Partial<ChangedFile>]>([
    ['whose diff since is not whole', { incomplete: 'too large' }],
    ['of which only the mode changed', { hunks: [], modeChange: '100644 → 100755' }],
    ['that became a program', { modeChange: '100644 → 100755' }],
    ['that was renamed', { oldPath: 'docs/a.txt', status: 'renamed' }],
  ])('keeps a file whole %s', (_, more) => {
    expect(narrowToScope(kept, since([file('a.ts', [hunk(50, ['+q'])], more)])).kept[0]).toBe(kept[0]);
  });

  it.each<[string, Partial<ChangedFile>]>([
    ['deleted', { status: 'deleted' }],
    ['renamed once more and rewritten', { status: 'renamed', oldPath: 'src/moved.ts', path: 'a.ts' }],
  ])('keeps the deletion of a file that the pull request had renamed and a push %s', (_, more) => {
    const gone = { ...file('src/guard.ts', [top]), status: 'deleted' } as const;
    const { earlier } = narrowToScope([...kept, gone], since([{ ...file('src/moved.ts', [top]), ...more }]));
    expect(earlier).not.toContain('src/guard.ts');
  });

  it('leaves an earlier deletion out while no push takes a file away', () => {
    const gone = { ...file('src/guard.ts', [top]), status: 'deleted' } as const;
    expect(narrowToScope([...kept, gone], since([])).earlier).toContain('src/guard.ts');
  });

  it('keeps everything in a full review', () => {
    expect(narrowToScope(kept, { kind: 'full', why: 'first review' })).toEqual({ kept, earlier: [] });
  });
});

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

describe('recall unread', () => {
  const identity = { name: 'Review', run: '2-1', settings: '0123456789abcdef' };
  const sticky: StickyMark = {
    kind: 'sticky',
    ...identity,
    run: '1-1',
    head: 'e'.repeat(40),
    mergeBase: pullRequest.mergeBase,
    unreviewed: [],
    others: [],
  };
  const past: Past = {
    canWrite: async () => true,
    relationOf: async () => 'ancestor',
    changesBetween: async () => [],
  };

  it.each([
    ['goes on where the last run ended', true, 'incremental'],
    ['is full while a part of what that run said cannot be read', false, 'full'],
  ])('a review %s', async (_, discussionRead, expected) => {
    const conversation = [ownRemark(`Reviewed.\n\n${signedMark(sticky, { in: 'summary', comment: 1 })}`)];
    const read = withSignatures({ ...pullRequest, conversation, discussionRead }, keys);
    const { scope } = await recall({ pullRequest: read, identity, incremental: true, heedsUnsigned: true, past });
    expect(scope.kind).toBe(expected);
  });
});
