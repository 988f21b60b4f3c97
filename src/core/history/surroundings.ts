import type { Anchor } from '../findings/finding.ts';
import type { LineRange } from '../findings/words.ts';
import type { Definition, FileSyntax, Syntax } from '../languages/syntax.ts';
import type { Repository } from '../repository/repository.ts';
import { shown, splitLines } from '../repository/shown.ts';
import { digestOf } from './mark.ts';
import { digestsOf } from './memory.ts';

/** What places at head stand in. A decline, a withdrawal and a fix hold for as long as it is the same byte for byte. */
export type Surroundings = {
  /** Digest of the definition around a place, of 20 lines on each side where none is known, of the file for other places. Null where it cannot be read. */
  readonly around: (path: string, anchor: Anchor) => Promise<string | null>;
  /** Where lines with these digests stand in a file. */
  readonly find: (path: string, digests: readonly string[]) => Promise<readonly LineRange[]>;
};

type Sources = {
  readonly repository: Pick<Repository, 'readFile'>;
  /** Null where nothing is parsed. */
  readonly syntax: Syntax | null;
};

/** Lines on each side. */
const nearby = 20;
/** Of hex: whoever writes the code must not find a comment that keeps a digest. */
const digits = 20;
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
      // What a change removed may have stood in a file that is gone.
      if (file === null) return anchor.kind === 'lines' && anchor.side === 'LEFT' ? digestOf('', digits) : null;
      if (anchor.kind === 'file' || anchor.side === 'LEFT') return digestOf(file.text, digits);
      const texts = rangesAround(file, anchor).map(({ start, end }) => file.lines.slice(start - 1, end).join('\n'));
      return digestOf(texts.join('\n\n'), digits);
    },
    find: async (path, digests) => {
      const file = digests.length === 0 ? null : await open(path);
      return file === null
        ? []
        : placesOfDigests(
            shown(file.lines).map((line) => line.text),
            digests,
          );
    },
  };
}

/** The outermost function, with what decorates it and the heads of all that it stands in; without one 20 lines on each side. */
function rangesAround(
  { lines, syntax }: Opened,
  { startLine, endLine }: { startLine: number; endLine: number },
): readonly LineRange[] {
  const around = (syntax?.definitions ?? []).filter((one) => one.startLine <= startLine && endLine <= one.endLine);
  const own = around.find(({ kind }) => kind === 'function' || kind === 'method') ?? around.at(-1);
  if (own === undefined || own.endLine - own.startLine >= limits.lines) {
    return [{ start: Math.max(1, startLine - nearby), end: Math.min(lines.length, endLine + nearby) }];
  }
  const heads = around.slice(0, around.indexOf(own)).map((one): LineRange => {
    return { start: decoratedFrom(one, lines), end: one.signatureEndLine };
  });
  return [...heads, { start: decoratedFrom(own, lines), end: own.endLine }];
}

/** Lines above a definition that belong to it: decorators, attributes, comments, up to an empty line. */
function decoratedFrom({ startLine }: Definition, lines: readonly string[]): number {
  let first = startLine;
  while (first > 1 && startLine - first < mostDecorators && (lines[first - 2] ?? '').trim() !== '') first -= 1;
  return first;
}

const mostDecorators = 10;

/** Lines in a row, blank ones between them passed over. */
function placesOfDigests(lines: readonly string[], digests: readonly string[]): readonly LineRange[] {
  const filled = lines.flatMap((text, index) =>
    text.trim() === '' ? [] : [{ digest: digestsOf(text)[0], line: index + 1 }],
  );
  return filled.flatMap(({ line: start }, index) => {
    const isThere = digests.every((digest, offset) => filled[index + offset]?.digest === digest);
    const last = filled[index + digests.length - 1];
    return isThere && last !== undefined ? [{ start, end: last.line }] : [];
  });
}
