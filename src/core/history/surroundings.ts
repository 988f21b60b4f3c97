import { enclosingOf } from '../context/scopes.ts';
import type { Anchor } from '../findings/finding.ts';
import type { LineRange } from '../findings/words.ts';
import type { FileSyntax, Syntax } from '../languages/syntax.ts';
import type { Repository } from '../repository/repository.ts';
import { shown, splitLines } from '../repository/shown.ts';
import { digestOf } from './mark.ts';
import { digestsOf } from './memory.ts';

/** What places at head stand in. A decline, a withdrawal and a fix hold for as long as it is the same byte for byte. */
export type Surroundings = {
  /** Digest of the definition around a place, of 20 lines on each side where none is known, of the file for other places. Null where it cannot be read. */
  readonly around: (path: string, anchor: Anchor) => Promise<string | null>;
  /** Where lines with these digests stand in a file; null when they do not. */
  readonly find: (path: string, digests: readonly string[]) => Promise<LineRange | null>;
};

type Sources = {
  readonly repository: Pick<Repository, 'readFile'>;
  /** Null where nothing is parsed. */
  readonly syntax: Syntax | null;
};

/** Lines on each side. */
const nearby = 20;
const digits = 12;
/** Of a file that is parsed, and milliseconds of one parse. A definition of more lines is none of its own. */
const limits = { characters: 500_000, milliseconds: 1_000, lines: 400 } as const;

type Opened = { readonly text: string; readonly lines: readonly string[]; readonly syntax: FileSyntax | null };

/** Reads and parses each file once, when it is asked for. */
export function surroundingsAt({ repository, syntax }: Sources): Surroundings {
  const files = new Map<string, Promise<Opened | null>>();
  const read = async (path: string): Promise<Opened | null> => {
    const content = await repository.readFile(path, 'head');
    if (content.kind !== 'text') return null;
    const { text } = content;
    const parsed = text.length > limits.characters ? null : await syntax?.parse({ path, text }, limits);
    return { text, lines: splitLines(text), syntax: parsed ?? null };
  };
  const open = (path: string) => {
    const file = files.get(path) ?? read(path);
    files.set(path, file);
    return file;
  };
  return {
    around: async (path, anchor) => {
      const file = await open(path);
      if (file === null) return null;
      if (anchor.kind === 'file' || anchor.side === 'LEFT') return digestOf(file.text, digits);
      const { start, end } = rangeAround(file, anchor);
      return digestOf(file.lines.slice(start - 1, end).join('\n'), digits);
    },
    find: async (path, digests) => {
      const file = digests.length === 0 ? null : await open(path);
      return file === null
        ? null
        : placeOfDigests(
            shown(file.lines).map((line) => line.text),
            digests,
          );
    },
  };
}

function rangeAround({ lines, syntax }: Opened, { startLine, endLine }: { startLine: number; endLine: number }) {
  const first = syntax === null ? null : enclosingOf(syntax, startLine);
  const isWhole = first !== null && first.endLine >= endLine && first.endLine - first.startLine < limits.lines;
  if (isWhole) return { start: first.startLine, end: first.endLine };
  return { start: Math.max(1, startLine - nearby), end: Math.min(lines.length, endLine + nearby) };
}

/** Lines in a row, blank ones between them passed over. */
function placeOfDigests(lines: readonly string[], digests: readonly string[]): LineRange | null {
  const filled = lines.flatMap((text, index) =>
    text.trim() === '' ? [] : [{ digest: digestsOf(text)[0], line: index + 1 }],
  );
  const at = filled.findIndex((_, index) =>
    digests.every((digest, offset) => filled[index + offset]?.digest === digest),
  );
  const [first, last] = [filled[at], filled[at + digests.length - 1]];
  return at === -1 || first === undefined || last === undefined ? null : { start: first.line, end: last.line };
}
