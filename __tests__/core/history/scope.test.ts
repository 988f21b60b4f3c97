import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isLaterRun, recall } from '../../../src/core/history/recall.ts';
import type { FileStanding, HeldReceipts } from '../../../src/core/history/receipts/receipts.ts';
import { isTakenBack, losesLines, narrowToScope } from '../../../src/core/history/scope.ts';
import { withSignatures } from '../../../src/core/history/signed-marks.ts';
import { verbatim } from '../../../src/core/messages/message.ts';
import type { ChangedFile, Hunk } from '../../../src/core/pull-request/changed-file.ts';
import { past, sameAround, stateMark, stateOf } from '../../fakes/earlier-rounds.ts';
import { changedFile, hunkOf } from '../../fakes/memory-repository.ts';
import { keys, ownRemark, pullRequest, signedMark } from '../../fakes/review-record.ts';

const head = 'a'.repeat(40);
const earlier = 'b'.repeat(40);
const before = stateOf({ head: earlier, settings: 's' });
const identity = { name: 'Review', run: '2-1', settings: 's' };

function hunk(newStart: number, lines: readonly string[]): Hunk {
  return hunkOf(lines, { oldStart: newStart, newStart });
}

function file(path: string, hunks: readonly Hunk[], more: Partial<ChangedFile> = {}): ChangedFile {
  return changedFile(path, { additions: 9, deletions: 9, hunks, ...more });
}

const top = hunk(1, ['+a', ' b', ' c', ' d']);
const bottom = hunk(100, [' x', '-y', '+z', ' w']);
const kept = [file('a.ts', [top, bottom]), file('b.ts', [top]), file('late.ts', [top])];

const receipt = { key: '', path: '', readings: 1, approves: true, conversation: 0 };
const since = (hunks: readonly Hunk[], more: Partial<ChangedFile> = {}) => ({
  ...({ kind: 'pushed', receipt } as const),
  since: file('a.ts', hunks, more),
});
const standing = (ofFirst: FileStanding): HeldReceipts => ({
  files: new Map<string, FileStanding>([
    ['a.ts', ofFirst],
    ['b.ts', { kind: 'holds', receipt }],
    ['late.ts', { kind: 'new' }],
  ]),
  ...{ kept: [], key: 0 },
});
const narrow = (ofFirst: FileStanding, approves = false) =>
  narrowToScope(kept, { standing: standing(ofFirst), approves });

describe('a narrowed review', () => {
  it.each([
    ['a hunk that was touched', [hunk(101, ['+z'])], [bottom]],
    ['a hunk that begins three lines below one that was changed', [hunk(97, ['+p'])], [bottom]],
    ['a hunk with three lines between it and one that was removed', [hunk(105, ['-gone'])], [bottom]],
    ['both that were touched', [hunk(2, ['+b']), hunk(101, ['+z'])], [top, bottom]],
  ])('keeps %s, and files that were not reviewed', (_, touched, hunks) => {
    const narrowed = narrow(since(touched));
    expect(narrowed.kept.map(({ path, hunks: left }) => [path, left])).toEqual([
      ['a.ts', hunks],
      ['late.ts', [top]],
    ]);
    expect([narrowed.earlier, narrowed.narrowed]).toEqual([['b.ts'], hunks.length === 2 ? [] : ['a.ts']]);
  });

  it('counts the lines of what it keeps', () => {
    const [first] = narrow(since([hunk(101, ['+z'])])).kept;
    expect([first?.additions, first?.deletions]).toEqual([1, 1]);
  });

  it.each<[string, FileStanding]>([
    ['that a push changed and none of whose hunks shows it', since([hunk(50, ['+q'])])],
    ['whose diff since is not whole', since([hunk(50, ['+q'])], { incomplete: verbatim('too large') })],
    ['that became a program', since([hunk(101, ['+q'])], { modeChange: '100644 → 100755' })],
    ['whose review rested on what changed', { kind: 'rests on', changed: ['lib.ts'] }],
    ['that changed in the base as well', { kind: 'changed' }],
  ])('keeps a file whole %s', (_, one) => {
    expect(narrow(one).kept[0]).toBe(kept[0]);
  });

  const unapproved = { ...receipt, approves: false };
  it.each<[string, FileStanding, boolean, boolean]>([
    ['when a push touches it', { ...since([hunk(101, ['+z'])]), receipt: unapproved }, false, true],
    ['in every run that may approve', { kind: 'holds', receipt: unapproved }, true, true],
    ['in no other run', { kind: 'holds', receipt: unapproved }, false, false],
  ])('looks at a file that was not approved again, whole, %s', (_, one, approves, again) => {
    const {
      kept: [first],
      earlier,
    } = narrow(one, approves);
    expect([first === kept[0], earlier.includes('a.ts')]).toEqual([again, !again]);
  });

  it('keeps everything where nothing holds', () => {
    const nothing = { files: new Map(), kept: [], key: 0 };
    expect(narrowToScope(kept, { standing: nothing, approves: false })).toEqual({ kept, earlier: [], narrowed: [] });
  });
});

describe('what a push takes back', () => {
  const renamed = file('c.ts', [], { status: 'renamed', oldPath: 'b.ts' });
  it.each<[string, boolean, ChangedFile, (ChangedFile | undefined)?]>([
    ['a hunk that the pull request has no more', true, file('a.ts', [hunk(50, ['-guard'])])],
    ['a hunk beside one that it has', true, file('a.ts', [hunk(50, ['+q']), hunk(101, ['+z'])])],
    ['a file that it does not change any more', true, file('d.ts', [top]), undefined],
    ['the only lines of a file that it renames', true, file('c.ts', [top]), renamed],
    ['a mode that it does not change any more', true, file('a.ts', [], { modeChange: '100755 → 100644' })],
    ['nothing, if its diff has all of it', false, file('a.ts', [hunk(101, ['-y', '+z'])])],
    ['nothing that git tells, of a file without lines', false, file('a.ts', [], { kind: 'binary' })],
  ])('is %s', (_, expected, change, now = change.path === 'a.ts' ? kept[0] : undefined) => {
    expect(isTakenBack(change, now)).toBe(expected);
  });

  it.each<[string, boolean, readonly Hunk[], Partial<ChangedFile>?]>([
    ['the same lines, elsewhere', false, [hunk(7, ['+a']), hunk(300, ['-y', '+z'])]],
    ['one line less', true, [hunk(7, ['+a']), hunk(300, ['+z'])]],
    ['the same line once instead of twice', true, [hunk(7, ['+a']), hunk(300, ['-y', '+zz'])]],
    ['all of it and more', false, [hunk(7, ['+a', '+a2']), hunk(300, ['-y', '+z'])]],
    ['nothing that is whole', true, [hunk(7, ['+a']), hunk(300, ['-y', '+z'])], { incomplete: verbatim('cut') }],
  ])('of a file that the base changed, too, is known by its lines: %s', (_, expected, hunks, more = {}) => {
    expect(losesLines(file('a.ts', [top, bottom]), file('a.ts', hunks, more))).toBe(expected);
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

describe('what the last run left', () => {
  it.each([
    ['is known', true, head],
    ['is not, while a part of what that run said cannot be read', false, undefined],
  ])('%s', async (_, discussionRead, expected) => {
    const state = signedMark(stateMark({ ...before, head }), { in: 'summary', comment: 1 });
    const conversation = [ownRemark(`Reviewed.\n\n${state}`)];
    const read = withSignatures({ ...pullRequest, conversation, discussionRead }, keys);
    const asks = { identity, signs: true, past, surroundings: sameAround };
    const known = await recall({ pullRequest: read, ...asks });
    expect(known.state?.head).toBe(expected);
  });
});
