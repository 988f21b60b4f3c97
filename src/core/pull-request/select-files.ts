import type { Message } from '../messages/message.ts';
import { messageSchema } from '../messages/message-schema.ts';
import { linearGlob } from '../repository/path.ts';
import type { Repository } from '../repository/repository.ts';
import { splitLines } from '../repository/shown.ts';
import { anyText, exactly, type Infer, yesOrNo } from '../schema.ts';
import { type ChangedFile, changesLines, type Hunk, isOpaque } from './changed-file.ts';
import { type FileKindName, isPointer, kindByName, unreviewable } from './file-kinds.ts';

export type Selection = {
  readonly kept: readonly ChangedFile[];
  /** Excluded by the workflow, or without anything to review; each with the reason, shown in the summary. */
  readonly skipped: readonly { readonly path: string; readonly reason: Message }[];
  /** Neither reviewed nor excluded: whatever stands here forbids an approval. */
  readonly unread: readonly UnreadFile[];
  /** What the model is not shown and the workflow did not exclude by a pattern: the pattern rules look at it anyway. */
  readonly unshown: readonly ChangedFile[];
};

export const unreadFileSchema = exactly({
  path: anyText,
  reason: messageSchema,
  code: { ...yesOrNo, description: 'False when it is known to be no code.' },
});
export type UnreadFile = Infer<typeof unreadFileSchema>;

export type SelectionOptions = {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly skipKinds: readonly FileKindName[];
  /** Why the model may not read a path; null when it may. */
  readonly isDenied?: (path: string) => string | null;
  /** Globs of the files that somebody asked for in a comment; empty for all. */
  readonly asked?: readonly string[];
  /** Without a model the rules are the review, and they read all that has text. */
  readonly rulesOnly?: boolean;
};

/**
 * Decides which changed files are reviewed: a file is kept, skipped by the workflow's own choice, or not read. A file that matches `include`
 * by a pattern of its own is kept if it has text that the model may read.
 */
export function selectFiles(files: readonly ChangedFile[], options: SelectionOptions): Selection {
  const patterns = {
    included: options.include.map(matcher),
    excluded: options.exclude.map((pattern) => ({ pattern, matches: matcher(pattern) })),
    asked: (options.asked ?? []).map(matcher),
  };
  const decide = decider(options, patterns);
  const kept: ChangedFile[] = [];
  const skipped: { path: string; reason: Message }[] = [];
  const unread: UnreadFile[] = [];
  const unshown: ChangedFile[] = [];
  for (const file of files) {
    const { path } = file;
    const decision = decide(file);
    if (decision.kind === 'keep') kept.push(decision.moved === 'same' ? file : { ...file, moved: decision.moved });
    if (decision.kind === 'skip') skipped.push({ path, reason: decision.reason });
    // The model is shown the pointer, and nobody what it points to.
    if (decision.kind === 'keep' && pointsElsewhere(file) && options.rulesOnly !== true) {
      unread.push({ path, reason: { code: 'file.submodule' }, code: true });
    }
    if (decision.kind === 'unread') unread.push({ path, reason: decision.reason, code: decision.code });
    if (decision.kind !== 'keep' && !(decision.kind === 'skip' && decision.byPattern)) unshown.push(file);
  }
  return { kept, skipped, unread, unshown };
}

/** The selection in which what has another name, or may mean something else where it is now, is shown whole. What has no text is not read. */
export async function showMoved(selection: Selection, repository: Pick<Repository, 'readFile'>): Promise<Selection> {
  const kept: ChangedFile[] = [];
  const unread = [...selection.unread];
  const unshown = [...selection.unshown];
  for (const file of selection.kept) {
    const whole = file.moved !== undefined ? await withWholeText(file, repository) : file;
    if (whole !== null) kept.push(whole);
    else {
      unread.push({ path: file.path, reason: { code: 'file.moved-without-text' }, code: true });
      unshown.push(file);
    }
  }
  return { ...selection, kept, unread, unshown };
}

type MovePlace = ReturnType<typeof placeOfMove>;

type Decision =
  | { readonly kind: 'keep'; readonly moved: MovePlace }
  | { readonly kind: 'skip'; readonly reason: Message; readonly byPattern: boolean }
  | { readonly kind: 'unread'; readonly reason: Message; readonly code: boolean };

type Matcher = (path: string) => boolean;
type Patterns = {
  readonly included: readonly Matcher[];
  readonly excluded: readonly { readonly pattern: string; readonly matches: Matcher }[];
  readonly asked: readonly Matcher[];
};

function pointsElsewhere({ kind, status, hunks }: ChangedFile): boolean {
  return kind === 'submodule' && status !== 'deleted' && hunks.length > 0;
}

function decider(options: SelectionOptions, patterns: Patterns): (file: ChangedFile) => Decision {
  const { isDenied = () => null, skipKinds, rulesOnly = false } = options;
  return (file) => {
    const byPattern = excludedBy(file.path, patterns);
    // Who moves a file out of what is reviewed takes it away there.
    const leaves = byPattern !== null && file.status === 'renamed' && excludedBy(file.oldPath, patterns) === null;
    if (byPattern !== null && !leaves) return { kind: 'skip', reason: byPattern, byPattern: true };
    if (patterns.asked.length > 0 && !patterns.asked.some((matches) => matches(file.path))) {
      return { kind: 'unread', reason: { code: 'file.not-asked' }, code: true };
    }
    const found = unreviewable(file);
    const known = patterns.included.length > 0 && !isOpaque(file) && !isPointer(file) ? null : found;
    const isHidden = !rulesOnly && (isDenied(file.path) !== null || isDenied(file.oldPath) !== null);
    if (isHidden) return { kind: 'unread', reason: { code: 'file.denied' }, code: !isOpaque(file) || found === null };
    if (known !== null && skipKinds.includes(known.kind)) {
      return {
        kind: 'skip',
        reason: { code: 'file.skipped-kind', why: known.reason, kind: known.kind },
        byPattern: false,
      };
    }
    if (isOpaque(file) || (isPointer(file) && !rulesOnly)) {
      const reason = known?.reason ?? file.unreadable;
      return { kind: 'unread', reason: reason ?? reasonWithoutText(file), code: known === null };
    }
    const isNew = leaves || isUnseen(file, (path) => excludedBy(path, patterns) !== null);
    const moved = isNew ? 'elsewhere' : placeOfMove(file);
    if (file.hunks.length === 0) return withoutHunks(file, moved);
    if (known === null || rulesOnly) return { kind: 'keep', moved };
    return { kind: 'unread', reason: known.reason, code: false };
  };
}

/** Says why a file without text and without a known kind is not read. */
function reasonWithoutText(file: ChangedFile): Message {
  return { code: isOpaque(file) ? 'file.binary' : 'file.lfs-pointer' };
}

function excludedBy(path: string, { included, excluded }: Omit<Patterns, 'asked'>): Message | null {
  if (included.length > 0 && !included.some((matches) => matches(path))) return { code: 'file.not-included' };
  const exclusion = excluded.find(({ matches }) => matches(path));
  return exclusion === undefined ? null : { code: 'file.excluded', pattern: exclusion.pattern };
}

function withoutHunks(file: ChangedFile, moved: MovePlace): Decision {
  // What could not be read is not "nothing to review": it stays, and the coverage names it.
  if (file.incomplete !== null || moved !== 'same') return { kind: 'keep', moved };
  const skip = (reason: Message): Decision => ({ kind: 'skip', reason, byPattern: false });
  if (file.status === 'renamed') return skip({ code: 'file.renamed', path: file.oldPath });
  if (file.status === 'copied') return skip({ code: 'file.copied', path: file.oldPath });
  if (file.modeChange === null) return skip({ code: 'file.empty-change' });
  return skip({ code: 'file.mode-change', modes: file.modeChange });
}

/** A pattern without a slash matches at any depth, as in .gitignore; a trailing slash means everything below. */
function matcher(pattern: string): Matcher {
  const anchored = pattern.replace(/^\.\//, '');
  return linearGlob(anchored.endsWith('/') ? `${anchored}**` : anchored);
}

/**
 * Where a change puts a text: only what keeps name and mode in a folder of the same kind is the `same`. Source that is only `renamed` is read
 * again, and its old lines stay old. All else is `elsewhere`: something may run or obey it there, or a check that ran is gone.
 */
export function placeOfMove(file: ChangedFile): 'same' | NonNullable<ChangedFile['moved']> {
  const { status, kind, path, oldPath, modeChange, executable = false } = file;
  if (status !== 'renamed' && status !== 'copied') return modeChange !== null && executable ? 'elsewhere' : 'same';
  // The end of a link is counted from where it stands.
  if (kind === 'symlink' || executable || modeChange !== null) return 'elsewhere';
  if (isInRoot(path) || mayRun(path) || mayRun(oldPath) || aside.test(path) !== aside.test(oldPath)) return 'elsewhere';
  const isSameName = path.endsWith(oldPath.slice(oldPath.lastIndexOf('/')));
  if (isSameName && !isInRoot(oldPath)) return 'same';
  return source.test(path) === source.test(oldPath) ? 'renamed' : 'elsewhere';
}

function isInRoot(path: string): boolean {
  return !path.includes('/');
}

/** In a folder from which something runs it, or where something may look for it by its name. */
function mayRun(path: string): boolean {
  return running.test(path) || known.test(path) || ![aside, source, prose].some((one) => one.test(path));
}

/** A folder with a dot at its start, and the others from which something runs what is there. */
const running = /(^|\/)(\.[^/]*|hooks|s?bin|etc|\w+\.d|systemd|migrations?|deploy(ments?)?)\//i;
/** Tests, texts and examples: what leaves them becomes the product. */
const aside =
  /(^|\/)(__\w+__|tests?|specs?|testdata|e2e|fixtures|mocks?|docs?|examples?|samples?|demos?|templates?)\/|[._-](test|spec|mock|stories)\.\w+$/i;
const source =
  /\.([cm]?[jt]sx?|vue|svelte|astro|py|rb|go|rs|java|kt|scala|cs|swift|dart|cc?|cpp|hh?|hpp|mm?|php|exs?|erl|hs|ml|clj|lua|sql|css|s[ac]ss|less|html?)$/i;
const prose = /\.(md|mdx|rst|adoc|txt)$/i;
/** By a dot, by capitals, and what tools look for in any folder. */
const known =
  /(^|\/)(\.[^/]*|[A-Z_-]+\.md|(setup|conftest|sitecustomize|usercustomize|noxfile|manage|__\w+__|[aw]sgi)\.py|build\.rs|requirements[^/]*\.txt|CMakeLists\.txt|[^/]*(rc|file|\.config)\.[cm]?[jt]s)$/;

/** Whether nobody reviewed the text where it came from. */
function isUnseen(file: ChangedFile, isExcluded: (path: string) => boolean): boolean {
  const { path, oldPath, status } = file;
  if (status !== 'renamed' && status !== 'copied') return false;
  if (isExcluded(oldPath) || (file.wasMarked === true && !file.generated && file.vendored !== true)) return true;
  const was = kindByName(oldPath);
  return was !== null && kindByName(path) !== was;
}

/** The file with all of its text: the lines between the hunks become hunks, which change nothing. Null for a file without any text. */
async function withWholeText(file: ChangedFile, repository: Pick<Repository, 'readFile'>): Promise<ChangedFile | null> {
  const content = await repository.readFile(file.path, 'head');
  const text = content.kind === 'symlink' ? content.target : content.kind === 'text' ? content.text : null;
  // The diff of a submodule is all that there is of it.
  if (text === null) return file.hunks.length > 0 ? file : null;
  const lines = splitLines(text);
  const hunks: Hunk[] = [];
  let next = { oldLine: 1, newLine: 1 };
  for (const hunk of file.hunks) {
    const first = hunk.newLines === 0 ? hunk.newStart + 1 : hunk.newStart;
    hunks.push(...unchanged(lines.slice(next.newLine - 1, first - 1), next), hunk);
    next = { newLine: first + hunk.newLines, oldLine: oldEnd(hunk) };
  }
  hunks.push(...unchanged(lines.slice(next.newLine - 1), next));
  return { ...file, hunks };
}

function oldEnd({ oldStart, oldLines }: Hunk): number {
  return (oldLines === 0 ? oldStart + 1 : oldStart) + oldLines;
}

function unchanged(
  lines: readonly string[],
  { oldLine, newLine }: { oldLine: number; newLine: number },
): readonly Hunk[] {
  if (lines.length === 0) return [];
  const count = lines.length;
  const ranges = { oldStart: oldLine, oldLines: count, newStart: newLine, newLines: count };
  return [{ ...ranges, heading: '', lines: lines.map((line) => ` ${line}`) }];
}

/** For the pattern rules, which look at what a change adds: all of a file that may mean something else now. */
export function asAdded(file: ChangedFile): ChangedFile {
  if (file.moved !== 'elsewhere') return file;
  const hunks = file.hunks.map((hunk) => ({
    ...hunk,
    lines: hunk.lines.map((line) => (line.startsWith(' ') ? `+${line.slice(1)}` : line)),
  }));
  return { ...file, hunks: hunks.filter(changesLines) };
}
