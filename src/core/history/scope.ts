import type { Message, MessageCode } from '../messages/message.ts';
import { type ChangedFile, type Hunk, isOpaque, withHunks } from '../pull-request/changed-file.ts';
import { type SelectionOptions, selectFiles } from '../pull-request/select-files.ts';
import { findingSettings } from '../settings/parse-settings.ts';
import type { Settings } from '../settings/settings.ts';
import { digestOf } from './mark.ts';
import {
  type FullReason,
  type Past,
  type PriorFinding,
  pathNow,
  type ReviewedScope,
  type RunIdentity,
  type Scope,
} from './memory.ts';
import { firstWhere } from './positions.ts';
import type { State } from './state.ts';

export type ScopeInput = {
  readonly incremental: boolean;
  readonly sticky: State | null;
  /** True when there is a summary comment that no key of this run signed: nothing of it is believed. */
  readonly isUnsigned?: boolean;
  readonly identity: RunIdentity;
  /** Full hashes. */
  readonly head: string;
  readonly mergeBase: string;
  /** Name of the base branch. */
  readonly base: string;
  readonly past: Past;
  /** Whether this run may approve: then it looks again at what the last one did not. */
  readonly approves?: boolean;
};

/** What this run looks at: what changed since the last reviewed commit, or everything, with the reason. */
export async function decideScope(input: ScopeInput): Promise<Scope> {
  const { sticky, head, past, approves = false } = input;
  const why = whyFull(input);
  if (why !== null || sticky === null) return full(why ?? 'first review');
  const { doubted = [], unreviewed: left = [] } = sticky;
  const unreviewed = [...new Set([...left, ...(approves ? doubted : [])])];
  const since = { since: sticky.head, unreviewed, doubted };
  if (sticky.head === head) return { kind: 'incremental', ...since, changed: [] };
  const relation = await past.relationOf(sticky.head);
  if (relation === 'gone') return full('the earlier commit cannot be read');
  if (relation === 'diverged') return full('history was rewritten');
  const changed = await past.changesBetween(sticky.head, head);
  return changed === null ? full('the earlier commit cannot be read') : { kind: 'incremental', ...since, changed };
}

type Known = Pick<ScopeInput, 'incremental' | 'sticky' | 'isUnsigned' | 'identity' | 'mergeBase' | 'base'>;

/** Why a review does not go on from an earlier one, whatever was pushed since; null when it may. */
export function whyFull({ incremental, sticky, isUnsigned, identity, mergeBase, base }: Known): FullReason | null {
  if (!incremental) return 'incremental is off';
  if (sticky === null) return isUnsigned === true ? 'the earlier state is not signed' : 'first review';
  if (sticky.settings !== identity.settings) return 'the settings changed';
  // Another branch has other rules and guidance, and whoever opened the pull request may have written them.
  return sticky.mergeBase === mergeBase && sticky.base === base ? null : 'the base changed';
}

function full(why: FullReason): Scope {
  return { kind: 'full', why };
}

/**
 * The same scope, or a full one when a push took something out of the diff of the pull request: what is left may have relied on it. What the
 * workflow leaves out and what is no code does not matter here.
 */
export function fullIfTakenBack(scope: Scope, files: readonly ChangedFile[], options: SelectionOptions): Scope {
  if (scope.kind === 'full') return scope;
  const { kept, unread, unshown } = selectFiles(scope.changed, options);
  const isCode = new Map(unread.map(({ path, code }) => [path, code]));
  const others = unshown.filter(({ path, hunks }) => isCode.get(path) ?? hunks.length === 0);
  const byPath = new Map(files.map((file) => [file.path, file]));
  const isBack = [...kept, ...others].some((since) => isTakenBack(since, byPath.get(since.path)));
  return isBack ? full('lines were taken back') : scope;
}

/** Whether something that was pushed to a file is nowhere near what the pull request changes in it. */
function isTakenBack(since: ChangedFile, file: ChangedFile | undefined): boolean {
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

type Narrowed = {
  readonly kept: readonly ChangedFile[];
  /** Files whose change was reviewed before and that no push touched since. */
  readonly earlier: readonly string[];
};

/** Lines between a hunk of the pull request and a line changed since: what adjoins belongs together. */
const nearby = 3;

/**
 * Of the files to review, what the scope asks for: with an incremental one the hunks that were touched since, files left unreviewed, and what
 * changed around findings of which nobody has said what became of them.
 */
export function narrowToScope(
  kept: readonly ChangedFile[],
  scope: Scope,
  asked: readonly PriorFinding[] = [],
): Narrowed {
  if (scope.kind === 'full') return { kept, earlier: [] };
  const since = new Map(scope.changed.map((file) => [file.path, file]));
  const unreviewed = new Set(scope.unreviewed);
  const doubted = new Set(scope.doubted);
  // What the pull request had renamed and a push renamed again and rewrote is the deletion of a path that the push does not name.
  const isMoved = scope.changed.some(({ status }) => status === 'renamed');
  const narrowed = kept.map((file) => {
    const mayBeNew = isMoved && file.status === 'deleted' && !since.has(file.path);
    if (mayBeNew || unreviewed.has(file.path)) return { file, now: file };
    const about = asked.filter((one) => pathNow(one) === file.path);
    const now = touched(file, { since: since.get(file.path), asked: about });
    return { file, now: now !== null && doubted.has(file.path) ? file : now };
  });
  return {
    kept: narrowed.flatMap(({ now }) => now ?? []),
    earlier: narrowed.flatMap(({ file, now }) => (now === null ? [file.path] : [])),
  };
}

/** The file with the hunks that were touched since, or around the findings to ask about; null when there are none. */
function touched(
  file: ChangedFile,
  { since, asked }: { since: ChangedFile | undefined; asked: readonly PriorFinding[] },
): ChangedFile | null {
  const around = asked.flatMap(({ change }) => (change.kind === 'changed' ? change.hunks : []));
  const pushed = since === undefined ? null : pushedTo(file, since);
  if (asked.length === 0 || pushed === file) return pushed;
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

/** What is looked at, one plain sentence; null for a first review, which needs no word. */
export function scopeMessage(scope: ReviewedScope, head: string): Message | null {
  if (scope.kind === 'full') return scope.why === 'first review' ? null : { code: fullReviews[scope.why] };
  const since = scope.since.slice(0, 12);
  if (scope.since === head) return { code: 'scope.same-commit', since };
  return { code: 'scope.since', since };
}

const fullReviews = {
  'incremental is off': 'scope.not-incremental',
  'history was rewritten': 'scope.rewritten',
  'the base changed': 'scope.base-changed',
  'the settings changed': 'scope.other-settings',
  'the earlier commit cannot be read': 'scope.unreadable-commit',
  'the earlier state is not signed': 'scope.unsigned',
  'lines were taken back': 'scope.taken-back',
} as const satisfies Readonly<Record<Exclude<FullReason, 'first review'>, MessageCode>>;

/**
 * 16 hex digits over what decides what is found: another model, depth, choice of files or language asks for a full review. Limits of
 * tokens and time do not: what they cut is remembered as unreviewed.
 */
export function settingsDigest(settings: Settings, { withModel }: { withModel: boolean }): string {
  return digestOf(JSON.stringify([5, withModel, ...findingSettings(settings)]), 16);
}
