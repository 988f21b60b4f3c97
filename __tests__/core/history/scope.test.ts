import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FullReason, Past, Scope } from '../../../src/core/history/memory.ts';
import { isLaterRun, recall } from '../../../src/core/history/recall.ts';
import { decideScope, fullIfTakenBack, narrowToScope, type ScopeInput } from '../../../src/core/history/scope.ts';
import { withSignatures } from '../../../src/core/history/signed-marks.ts';
import { verbatim } from '../../../src/core/messages/message.ts';
import type { ChangedFile, Hunk } from '../../../src/core/pull-request/changed-file.ts';
import { past, sameAround, stateMark, stateOf } from '../../fakes/earlier-rounds.ts';
import { changedFile, hunkOf } from '../../fakes/memory-repository.ts';
import { keys, ownRemark, pullRequest, signedMark } from '../../fakes/review-record.ts';

const head = 'a'.repeat(40);
const earlier = 'b'.repeat(40);
const mergeBase = 'c'.repeat(40);
const sticky = stateOf({ head: earlier, mergeBase, settings: 's', unreviewed: ['late.ts'] });
const identity = { name: 'Review', run: '2-1', settings: 's' };
const input: ScopeInput = { incremental: true, sticky, identity, head, mergeBase, base: 'main', past };

describe('what a run looks at', () => {
  it('after a push is what changed since, and what was left over', async () => {
    const scope = { kind: 'incremental', since: earlier, changed: [], unreviewed: ['late.ts'], doubted: [] };
    expect(await decideScope(input)).toEqual(scope);
  });

  it.each([
    ['again where this run may approve', true, ['late.ts', 'a.ts']],
    ['not again where nobody asks for an approval', false, ['late.ts']],
  ])('is what was not approved, %s', async (_, approves, unreviewed) => {
    const doubted = ['a.ts'];
    const scope = await decideScope({ ...input, approves, sticky: { ...sticky, doubted } });
    expect(scope).toMatchObject({ unreviewed, doubted });
  });

  const withPast = (changes: Partial<Past>) => ({ past: { ...past, ...changes } });
  it.each<[string, Partial<ScopeInput>, FullReason]>([
    ['no earlier run', { sticky: null }, 'first review'],
    ['`incremental: false`', { incremental: false }, 'incremental is off'],
    ['other settings', { identity: { ...identity, settings: 't' } }, 'the settings changed'],
    ['another merge base', { mergeBase: 'd'.repeat(40) }, 'the base changed'],
    ['another base branch on the same merge base', { base: 'mine' }, 'the base changed'],
    ['a rewritten branch', withPast({ relationOf: async () => 'diverged' }), 'history was rewritten'],
    ['a forgotten commit', withPast({ relationOf: async () => 'gone' }), 'the earlier commit cannot be read'],
    ['no diff that can be had', withPast({ changesBetween: async () => null }), 'the earlier commit cannot be read'],
  ])('after %s is everything', async (_, changes, why) => {
    expect(await decideScope({ ...input, ...changes })).toEqual({ kind: 'full', why });
  });

  it('is nothing new on the same commit, and nothing is asked', async () => {
    const asked = { ...past, relationOf: () => Promise.reject(new Error('asked')) };
    expect(await decideScope({ ...input, head: earlier, past: asked })).toMatchObject({ since: earlier, changed: [] });
  });
});

function hunk(newStart: number, lines: readonly string[]): Hunk {
  return hunkOf(lines, { oldStart: newStart, newStart });
}

function file(path: string, hunks: readonly Hunk[], more: Partial<ChangedFile> = {}): ChangedFile {
  return changedFile(path, { additions: 9, deletions: 9, hunks, ...more });
}

const top = hunk(1, ['+a', ' b', ' c', ' d']);
const bottom = hunk(100, [' x', '-y', '+z', ' w']);
const kept = [file('a.ts', [top, bottom]), file('b.ts', [top]), file('late.ts', [top])];

describe('a narrowed review', () => {
  const since = (changed: readonly ChangedFile[]) => {
    return { kind: 'incremental', since: earlier, changed, unreviewed: ['late.ts'], doubted: [] } satisfies Scope;
  };

  it.each([
    ['a hunk that was touched', [hunk(101, ['+z'])], [bottom]],
    ['a hunk that begins three lines below one that was changed', [hunk(97, ['+p'])], [bottom]],
    ['a hunk with three lines between it and one that was removed', [hunk(105, ['-gone'])], [bottom]],
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
    const apart = [50, 96, 107].map((line) => hunk(line, ['+q']));
    expect(narrowToScope(kept, since([file('a.ts', apart)])).earlier).toEqual(['a.ts', 'b.ts']);
  });

  it.each<[string, Partial<ChangedFile>]>([
    ['whose diff since is not whole', { incomplete: verbatim('too large') }],
    ['of which only the mode changed', { hunks: [], modeChange: '100644 → 100755' }],
    ['that became a program', { modeChange: '100644 → 100755' }],
    ['that was renamed', { oldPath: 'docs/a.txt', status: 'renamed' }],
  ])('keeps a file whole %s', (_, more) => {
    expect(narrowToScope(kept, since([file('a.ts', [hunk(50, ['+q'])], more)])).kept[0]).toBe(kept[0]);
  });

  const gone = file('src/guard.ts', [top], { status: 'deleted' });
  it.each<[string, readonly ChangedFile[], boolean]>([
    ['a push renamed a file', [file('a.ts', [top], { status: 'renamed', oldPath: 'src/moved.ts' })], false],
    ['no push renamed one', [], true],
  ])('looks at a deletion of the pull request again where it may be another: %s', (_, changed, left) => {
    expect(narrowToScope([...kept, gone], since(changed)).earlier.includes('src/guard.ts')).toBe(left);
  });

  it('keeps a file whole that was not approved, when a push touches it', () => {
    const scope = { ...since([file('a.ts', [hunk(101, ['+z'])])]), doubted: ['a.ts', 'b.ts'] };
    const narrowed = narrowToScope(kept, scope);
    expect([narrowed.kept[0], narrowed.earlier]).toEqual([kept[0], ['b.ts']]);
  });

  const taken = (changed: readonly ChangedFile[], files: readonly ChangedFile[] = kept) =>
    fullIfTakenBack(since(changed), files, { include: [], exclude: ['dist/'], skipKinds: [] }).kind;
  const renamed = file('c.ts', [], { status: 'renamed', oldPath: 'b.ts' });
  it.each<[string, 'full' | 'incremental', readonly ChangedFile[], (readonly ChangedFile[])?]>([
    ['a hunk that the pull request has no more', 'full', [file('a.ts', [hunk(50, ['-guard'])])]],
    ['a hunk beside one that it has', 'full', [file('a.ts', [hunk(50, ['+q']), hunk(101, ['+z'])])]],
    ['a file that it does not change any more', 'full', [file('d.ts', [top])]],
    ['the only lines of a file that it renames', 'full', [file('c.ts', [top])], [...kept, renamed]],
    ['a mode that it does not change any more', 'full', [file('a.ts', [], { modeChange: '100755 → 100644' })]],
    ['what its diff has', 'incremental', [file('a.ts', [hunk(101, ['-y', '+z'])]), file('b.ts', [top])]],
    ['a file of which git does not tell the lines', 'incremental', [file('a.ts', [], { kind: 'binary' })]],
    ['a file that the workflow leaves out', 'incremental', [file('dist/d.js', [top])]],
    ['an image', 'incremental', [file('logo.png', [], { kind: 'binary', media: 'image' })]],
    ['a lock file', 'incremental', [file('package-lock.json', [top], { lock: true })]],
  ])('after a push of %s is %s', (_, kind, changed, files) => {
    expect(taken(changed, files)).toBe(kind);
  });

  it('keeps everything in a full review', () => {
    expect(narrowToScope(kept, { kind: 'full', why: 'first review' })).toEqual({ kept, earlier: [] });
  });
});

describe('of two runs', () => {
  it.each([
    ['of a later number is the later one', '21-1', '20-1', true],
    ['of a later attempt is the later one', '20-2', '20-1', true],
    ['of a number with more digits is the later one', '100-1', '20-9', true],
    ['is not later than itself', '20-1', '20-1', false],
    ['of an earlier number is not, whatever its attempt', '9-7', '20-1', false],
  ])('the one %s', (_, one, other, isLater) => {
    expect(isLaterRun(one, other)).toBe(isLater);
  });

  it('exactly one is the later one', () => {
    const run = fc.tuple(fc.nat(), fc.integer({ min: 1, max: 9 })).map(([id, attempt]) => `${id}-${attempt}`);
    const pair = fc.tuple(run, run).filter(([one, other]) => one !== other);
    fc.assert(fc.property(pair, ([one, other]) => isLaterRun(one, other) !== isLaterRun(other, one)));
  });
});

describe('a review', () => {
  it.each([
    ['goes on where the last run ended', true, 'incremental'],
    ['is full while a part of what that run said cannot be read', false, 'full'],
  ])('%s', async (_, discussionRead, expected) => {
    const before = { ...sticky, mergeBase: pullRequest.mergeBase };
    const conversation = [ownRemark(`Reviewed.\n\n${signedMark(stateMark(before), { in: 'summary', comment: 1 })}`)];
    const read = withSignatures({ ...pullRequest, conversation, discussionRead }, keys);
    const asks = { identity, incremental: true, signs: true, past, surroundings: sameAround };
    const { scope } = await recall({ pullRequest: read, ...asks });
    expect(scope.kind).toBe(expected);
  });
});
