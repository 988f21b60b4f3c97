import { linearGlob } from '../repository/linear-glob.ts';
import type { ChangedFile } from './changed-file.ts';
import { looksGenerated, unreviewableName } from './unreviewable.ts';

export type Selection = {
  readonly kept: readonly ChangedFile[];
  /** Each with the reason, shown in the summary. */
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
};

/** Decides which changed files are reviewed. A file that matches `include` by a pattern of its own is kept in any case but binary. */
export function selectFiles(
  files: readonly ChangedFile[],
  patterns: { readonly include: readonly string[]; readonly exclude: readonly string[] },
): Selection {
  const included = patterns.include.map(matcher);
  const excluded = patterns.exclude.map((pattern) => ({ pattern, matches: matcher(pattern) }));
  const kept: ChangedFile[] = [];
  const skipped: { path: string; reason: string }[] = [];
  for (const file of files) {
    const reason = reasonToSkip(file, { included, excluded });
    if (reason === null) kept.push(file);
    else skipped.push({ path: file.path, reason });
  }
  return { kept, skipped };
}

/** Takes out what the model may not read: its diff would tell what its text may not. The pattern rules look at it all the same. */
export function withhold(selection: Selection, isDenied: (path: string) => string | null): Selection {
  const denied = ({ path, oldPath }: ChangedFile) => isDenied(path) !== null || isDenied(oldPath) !== null;
  const withheld = selection.kept.filter(denied).map(({ path }) => ({ path, reason: withheldReason }));
  return { kept: selection.kept.filter((file) => !denied(file)), skipped: [...selection.skipped, ...withheld] };
}

const withheldReason =
  'never shown to the model (holds secrets, or is in `deny-paths`); the pattern rules looked at it';

/** Why a file without text is left out. */
export const binaryReason = 'binary';

type Matcher = (path: string) => boolean;
type Patterns = { included: readonly Matcher[]; excluded: readonly { pattern: string; matches: Matcher }[] };

function reasonToSkip(file: ChangedFile, { included, excluded }: Patterns): string | null {
  if (included.length > 0 && !included.some((matches) => matches(file.path))) return 'not in `include`';
  const exclusion = excluded.find(({ matches }) => matches(file.path));
  if (exclusion !== undefined) return `excluded by \`${exclusion.pattern}\``;
  if (file.kind === 'binary') return binaryReason;
  if (file.hunks.length === 0) return withoutHunks(file);
  // Removing a generated or vendored file is as dull as adding it; who names it in `include` wants it.
  if (included.length > 0) return null;
  if (file.generated) return 'generated (`linguist-generated` at the base)';
  return unreviewableName(file.path) ?? looksGenerated(file);
}

function withoutHunks(file: ChangedFile): string | null {
  // What could not be read is not "nothing to review": it stays, and the coverage names it.
  if (file.incomplete !== null) return null;
  if (file.status === 'renamed') return `renamed from \`${file.oldPath}\` without a change`;
  if (file.status === 'copied') return `copied from \`${file.oldPath}\` without a change`;
  if (file.modeChange !== null) return `mode changed only (${file.modeChange})`;
  return 'empty change';
}

/** A pattern without a slash matches at any depth, as in .gitignore; a trailing slash means everything below. */
function matcher(pattern: string): Matcher {
  const anchored = pattern.replace(/^\.\//, '');
  return linearGlob(anchored.endsWith('/') ? `${anchored}**` : anchored);
}
