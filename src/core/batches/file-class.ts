import { diffArrays } from 'diff';
import { isTestPath } from '../context/paths.ts';
import { isFreelyIndented } from '../languages/languages.ts';
import { type ChangedFile, type Hunk, isOpaque } from '../pull-request/changed-file.ts';
import { built, isReadLast } from '../pull-request/file-kinds.ts';

/** What a file is worth to a review, most first: a limit then cuts the least. */
export const fileClasses = ['source', 'test', 'document', 'configuration', 'trivial', 'generated'] as const;
export type FileClass = (typeof fileClasses)[number];

const documents = /\.(md|mdx|markdown|rst|adoc|txt|tex|org)$|(^|\/)(license|notice|authors|changelog|readme)[^/]*$/i;
const configuration =
  /\.(json|jsonc|json5|ya?ml|toml|ini|cfg|conf|properties|env|xml|plist|svg|csv|tsv|lock|editorconfig)$|(^|\/)\.[^/]+$/i;
// Workflows, containers and infrastructure are code that runs with rights: they count as source.
const runsWithRights =
  /(^|\/)\.github\/(workflows|actions)\/|(^|\/)action\.ya?ml$|(^|\/)dockerfile[^/]*$|\.tf$|(^|\/)(jenkinsfile|makefile|\.gitlab-ci\.yml)$/i;
const testData = /(^|\/)(testdata|fixtures|__fixtures__)\//;

export function classOf(file: ChangedFile): FileClass {
  const known = classes.get(file);
  if (known !== undefined) return known;
  const decided = decideClass(file);
  classes.set(file, decided);
  return decided;
}

/** Asked for each part of a file that is shared among batches, and all its lines are read for it. */
const classes = new WeakMap<ChangedFile, FileClass>();

function decideClass(file: ChangedFile): FileClass {
  if (isData(file.path)) return 'trivial';
  // Looked at last, not left out: what is hidden in built output runs anyway.
  if (isReadLast(file) || built.test(file.path)) return 'generated';
  if (runsWithRights.test(file.path)) return 'source';
  if (isReindented(file)) return 'trivial';
  // An image explains code, it does not run.
  if (isOpaque(file)) return 'document';
  if (isTestPath(file.path) || testData.test(file.path)) return 'test';
  if (documents.test(file.path)) return 'document';
  return configuration.test(file.path) ? 'configuration' : 'source';
}

const dataEnds = /\.(json|ya?ml|csv|tsv|txt|properties|po|pot|arb|strings|resx|xlf|xliff|ftl)$/i;
const localeFolders = /(^|\/)(locales?|i18n|l10n|lang|languages|translations)\//i;

/** Translations, snapshots and test data: texts that nothing runs. What else has such a name is judged by its own. */
function isData(path: string): boolean {
  if (/\.snap$/.test(path) || /\.(po|pot|arb|xlf|xliff|ftl)$/i.test(path)) return true;
  return dataEnds.test(path) && (localeFolders.test(path) || testData.test(path));
}

/** True when the change moves text sideways and does nothing else. */
function isReindented(file: ChangedFile): boolean {
  if (file.hunks.length === 0 || file.incomplete !== null || !isFreelyIndented(file.path)) return false;
  return file.hunks.every(({ lines }) => {
    const [removed, added] = ['-', '+'].map((sign) => lines.filter((line) => line.startsWith(sign)));
    if (removed === undefined || removed.length !== added?.length) return false;
    return removed.every((line, index) => bare(line) === bare(added[index] ?? ''));
  });
}

/** Without its sign and the white space at its ends, which is all that indenting changes. */
function bare(line: string): string {
  return line.slice(1).trim();
}

/** Lines of a block that two versions are compared for: beyond it they are shown as they are. */
const comparedLines = 600;

/**
 * The hunk with re-indented lines as context, as they are now, and a note that says which these are: what else changes among them is seen at
 * a glance. The same hunk where there are none, or where the language reads indentation.
 */
export function withoutIndentation(hunk: Hunk, path: string): Hunk {
  if (!isFreelyIndented(path)) return hunk;
  const lines: string[] = [];
  let count = 0;
  for (const block of blocksOf(hunk.lines)) {
    const shown = block.context ? block.lines : aligned(block.lines);
    count += block.context ? 0 : shown.filter((line) => line.startsWith(' ')).length;
    lines.push(...shown);
  }
  if (count === 0) return hunk;
  const note = `${count === 1 ? '1 line' : `${count} lines`} without a sign changed its indentation only, and is shown as it is now`;
  return { ...hunk, lines: [...lines, `\\ ${note}`] };
}

type Block = { readonly context: boolean; readonly lines: string[] };

function blocksOf(lines: readonly string[]): readonly Block[] {
  const blocks: Block[] = [];
  for (const line of lines) {
    const context = !/^[+-]/.test(line);
    const last = blocks.at(-1);
    if (last !== undefined && last.context === context) last.lines.push(line);
    else blocks.push({ context, lines: [line] });
  }
  return blocks;
}

/** Removed and added lines of one block, those that differ in their indentation alone as context. */
function aligned(lines: readonly string[]): readonly string[] {
  const removed = lines.filter((line) => line.startsWith('-'));
  const added = lines.filter((line) => line.startsWith('+'));
  if (removed.length === 0 || added.length === 0 || lines.length > comparedLines) return lines;
  const parts = diffArrays(removed.map(bare), added.map(bare));
  const moved = parts.filter((part) => !part.added && !part.removed).flatMap(({ value }) => value);
  // Braces and empty lines are alike by chance.
  if (!moved.some((text) => /\w{3}/.test(text))) return lines;
  const old = removed.values();
  const now = added.values();
  const next = (lines: Iterator<string>) => lines.next().value ?? '';
  return parts.flatMap(({ added: isNew, removed: isOld, value }) =>
    value.map(() => {
      if (isOld) return next(old);
      if (isNew) return next(now);
      next(old);
      return ` ${next(now).slice(1)}`;
    }),
  );
}
