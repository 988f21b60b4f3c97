import type { Message, MessageCode } from '../messages/message.ts';
import { type ChangedFile, type Hunk, isOpaque, withHunks } from '../pull-request/changed-file.ts';
import { findingSettings } from '../settings/parse-settings.ts';
import type { Settings } from '../settings/settings.ts';
import { digestOf } from './mark.ts';
import { type FullReason, type PriorFinding, pathNow, type ReviewedScope } from './memory.ts';
import { firstWhere } from './positions.ts';
import { type HeldReceipts, isDoubted } from './receipts/receipts.ts';

/** What of a change was reviewed before. */
export type Standing = HeldReceipts & {
  /** Why all of it is reviewed; null where some was before. */
  readonly why: FullReason | null;
  /** The earlier head, full hash; null where none is known. */
  readonly since: string | null;
  /** What was read before although all of it is reviewed again; left out where that is `files`. */
  readonly read?: HeldReceipts['files'];
};

export function nothingHolds(why: FullReason, since: string | null = null): Standing {
  return { why, since, files: new Map(), kept: [], key: 0 };
}

/** The scope as a review tells it. */
export function scopeOf({ why, since }: Standing): ReviewedScope {
  return why !== null || since === null ? { kind: 'full', why: why ?? 'first review' } : { kind: 'incremental', since };
}

type Narrowed = {
  readonly kept: readonly ChangedFile[];
  /** Files that were reviewed before as they are now. */
  readonly earlier: readonly string[];
  /** Files of which a part is kept: the rest was reviewed before. */
  readonly narrowed: readonly string[];
};

type Narrowing = {
  readonly standing: HeldReceipts;
  /** Findings of which nobody has said what became of them. */
  readonly rechecked?: readonly PriorFinding[];
  /** Whether this run may approve: then it looks again at what the last one did not approve. */
  readonly approves: boolean;
};

/**
 * Of the files to review what was not reviewed before as it is now: the hunks that were pushed since, and those around findings to ask about; all of
 * a file that was not approved and is looked at again, and of every other.
 */
export function narrowToScope(
  files: readonly ChangedFile[],
  { standing, rechecked = [], approves }: Narrowing,
): Narrowed {
  const looked = files.map((file) => {
    const one = standing.files.get(file.path);
    if (one?.kind !== 'holds' && one?.kind !== 'pushed') return { file, now: file };
    const about = rechecked.filter((finding) => pathNow(finding) === file.path);
    const since = one.kind === 'pushed' ? one.since : undefined;
    const now = touched(file, { since, rechecked: about });
    if (isDoubted(one.receipt) && (approves || now !== null)) return { file, now: file };
    return { file, now: one.kind === 'pushed' ? (now ?? file) : now };
  });
  const kept = looked.flatMap(({ now }) => now ?? []);
  return {
    kept,
    earlier: looked.flatMap(({ file, now }) => (now === null ? [file.path] : [])),
    narrowed: looked.flatMap(({ file, now }) => (now === null || now === file ? [] : [file.path])),
  };
}

/** The file with the hunks that were touched since, or around the findings to ask about; null when there are none. */
function touched(
  file: ChangedFile,
  { since, rechecked }: { since: ChangedFile | undefined; rechecked: readonly PriorFinding[] },
): ChangedFile | null {
  const around = rechecked.flatMap(({ change }) => (change.kind === 'changed' ? change.hunks : []));
  const pushed = since === undefined ? null : pushedTo(file, since);
  if (rechecked.length === 0 || pushed === file) return pushed;
  const changed = around.flatMap(changedLines).sort((one, other) => one - other);
  const hunks = file.hunks.filter((hunk) => pushed?.hunks.includes(hunk) === true || adjoins(hunk, changed));
  // Where the change no longer shows it, somebody has to be asked anyway.
  return hunks.length === 0 ? file : withHunks(file, hunks);
}

function pushedTo(file: ChangedFile, since: ChangedFile): ChangedFile | null {
  // The same text may mean something else under another name or mode.
  if (since.path !== since.oldPath || since.modeChange !== null) return file;
  if (file.hunks.length === 0 || since.hunks.length === 0 || since.incomplete !== null) return file;
  const changed = changedIn(since);
  const hunks = file.hunks.filter((hunk) => adjoins(hunk, changed));
  return hunks.length === 0 ? null : withHunks(file, hunks);
}

/** Both are counted in lines of the present head. A file may have thousands of hunks. */
function adjoins(hunk: Hunk, changed: readonly number[]): boolean {
  const first = hunk.newStart - nearby;
  const last = hunk.newStart + hunk.newLines + nearby;
  const next = firstWhere(changed, (line) => line >= first);
  return next !== undefined && next <= last;
}

/** The new lines that a hunk adds, and for what it removes the line behind it. */
function changedLines(hunk: Hunk): readonly number[] {
  const lines: number[] = [];
  let newLine = hunk.newLines === 0 ? hunk.newStart + 1 : hunk.newStart;
  for (const line of hunk.lines) {
    if (line.startsWith('+')) lines.push(newLine++);
    else if (line.startsWith('-')) lines.push(newLine);
    else if (!line.startsWith('\\')) newLine += 1;
  }
  return lines;
}

/** Lines between a hunk of the pull request and a line changed since: what adjoins belongs together. */
const nearby = 3;

/** Whether something that was pushed to a file is nowhere near what the pull request changes in it. */
export function isTakenBack(since: ChangedFile, file: ChangedFile | undefined): boolean {
  if (file === undefined) return true;
  if (since.modeChange !== null && file.modeChange === null && file.status !== 'added') return true;
  // Without its hunks a diff cannot tell.
  if (file.incomplete !== null || isOpaque(file)) return false;
  const now = changedIn(file);
  return changedIn(since).some((line) => {
    const next = firstWhere(now, (one) => one >= line - nearby);
    return next === undefined || next > line + nearby;
  });
}

function changedIn({ hunks }: ChangedFile): readonly number[] {
  return hunks.flatMap(changedLines).sort((one, other) => one - other);
}

/** Whether lines that one diff of a file adds or removes are not in the other. */
export function losesLines(before: ChangedFile, now: ChangedFile): boolean {
  if (before.incomplete !== null || now.incomplete !== null || isOpaque(before)) return true;
  const left = new Map<string, number>();
  for (const line of changesIn(now)) left.set(line, (left.get(line) ?? 0) + 1);
  return changesIn(before).some((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count === 0;
  });
}

function changesIn({ hunks }: ChangedFile): readonly string[] {
  return hunks.flatMap(({ lines }) => lines.filter((line) => /^[+-]/.test(line)));
}

/** What is looked at, one plain sentence; null for a first review, which needs no word, and where the rules alone look. */
export function scopeMessage(scope: ReviewedScope, head: string): Message | null {
  if (scope.kind === 'full') {
    const code = fullReviews[scope.why];
    return code === null ? null : { code };
  }
  const since = scope.since.slice(0, 12);
  if (scope.since === head) return { code: 'scope.same-commit', since };
  return { code: 'scope.since', since };
}

const fullReviews = {
  'first review': null,
  'no model': null,
  'incremental is off': 'scope.not-incremental',
  'nothing was complete': 'scope.nothing-complete',
  'what it rests on changed': 'scope.rests-on',
  'everything changed': 'scope.everything-changed',
  'the base changed': 'scope.base-changed',
  'the settings changed': 'scope.other-settings',
  'the earlier commit cannot be read': 'scope.unreadable-commit',
  'the earlier state is not signed': 'scope.unsigned',
  'without git': 'scope.without-git',
} as const satisfies Readonly<Record<FullReason, MessageCode | null>>;

/**
 * 16 hex digits over what decides what is found: another model, depth, choice of files or language asks for a full review. Limits of
 * tokens and time do not: what they cut is remembered as unreviewed.
 */
export function settingsDigest(settings: Settings, { withModel }: { withModel: boolean }): string {
  return digestOf(JSON.stringify([5, withModel, ...findingSettings(settings)]), 16);
}
