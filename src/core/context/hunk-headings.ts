import { type Hunk, hunkLines } from '../pull-request/changed-file.ts';
import type { ShownChange } from './changed-symbols.ts';
import { describeDefinition, enclosingBefore, enclosingOf } from './enclosing.ts';
import type { IndexedFile } from './indexed-files.ts';
import type { SymbolIndex } from './symbol-index.ts';

/** Characters: a heading helps to find one's way, and is paid for in every call. */
const longest = 100;

/**
 * The hunks of a change, each headed by what its first changed line stands in at head, such as `method Cart.total`. Where the file
 * is not parsed git's own heading stays, as far as it can be one. Never throws: a heading is worth no failed review.
 */
export async function withHeadings(index: SymbolIndex | null, { file, hunks }: ShownChange): Promise<readonly Hunk[]> {
  const head = file.status === 'deleted' || file.kind !== 'text' ? null : await parsed(index, file.path);
  return hunks.map((hunk) => ({
    ...hunk,
    heading: cut(head === null ? gitHeading(hunk, file.path) : headingIn(head, hunk)),
  }));
}

/** The same parse as the context chain's: an index reads each file once. Null without a parser for the language. */
async function parsed(index: SymbolIndex | null, path: string): Promise<IndexedFile | null> {
  if (index === null || !index.knows(path)) return null;
  try {
    const file = await index.file(path);
    return file?.syntax.by === 'parser' ? file : null;
  } catch {
    // What cannot be read is reported by whoever needs it.
    return null;
  }
}

function headingIn({ syntax }: IndexedFile, hunk: Hunk): string {
  const change = firstChange(hunk);
  if (change === null) return '';
  // Removed lines stood before this one: what only begins here did not hold them.
  const definition = (change.added ? enclosingOf : enclosingBefore)(syntax, change.line);
  return definition === null ? '' : describeDefinition(definition);
}

/** The first added line of the first changed lines; where they are only removed the line at head that follows them. */
function firstChange(hunk: Hunk): { readonly line: number; readonly added: boolean } | null {
  // An empty side begins behind the line that git names.
  let next = hunk.newLines === 0 ? hunk.newStart + 1 : hunk.newStart;
  let removed = false;
  for (const { kind, newLine } of hunkLines(hunk)) {
    if (kind === 'added') return { line: newLine ?? next, added: true };
    if (kind === 'context' && removed) break;
    if (kind === 'removed') removed = true;
    else next = (newLine ?? next) + 1;
  }
  return removed ? { line: next, added: false } : null;
}

/** In prose git takes any line that begins with a letter. */
function gitHeading({ heading }: Hunk, path: string): string {
  return /\.(?:md|mdx|markdown|txt|rst|adoc)$/i.test(path) ? '' : heading;
}

function cut(text: string): string {
  const heading = text.replaceAll(/\s+/g, ' ').trim();
  return heading.length > longest ? `${heading.slice(0, longest - 1).trimEnd()}…` : heading;
}
