import type { Repository, Revision } from '../repository/repository.ts';
import { type ShownLine, shown, splitLines } from '../repository/shown.ts';
import { patternSyntax } from './pattern-syntax.ts';
import type { FileSyntax, Syntax } from './syntax.ts';

export type IndexedFile = {
  readonly path: string;
  /** As `shown()` renders the whole file: what may be given to a model. */
  readonly lines: readonly ShownLine[];
  readonly syntax: FileSyntax;
};

/** Null for what may not be read, is no text, is too large, or would take more than the index may. */
export type IndexedFiles = (path: string, at?: Revision) => Promise<IndexedFile | null>;

export type IndexSources = {
  readonly repository: Repository;
  /** Null where nothing can be parsed: files are then read line by line. */
  readonly syntax: Syntax | null;
  /** Why a path may not be read; null when it may. */
  readonly isDenied: (path: string) => string | null;
  /** Milliseconds. */
  readonly now: () => number;
};

/** Of one file, and of all files of a run together. */
const limits = { fileBytes: 500_000, fileMilliseconds: 1_000, bytes: 30_000_000, milliseconds: 30_000 } as const;
/** Bytes of text whose files are kept: with its lines and names, a file takes a dozen times its bytes. */
const keptBytes = 6_000_000;

/** Reads and parses files within the limits of a whole run: each once, as long as those that were asked for last have room for it. */
export function indexedFiles(sources: IndexSources): IndexedFiles {
  const known = new Map<string, Promise<IndexedFile | null>>();
  const bytes = new Map<string, number>();
  let kept = 0;
  const spent = { bytes: 0, milliseconds: 0 };

  function keep(key: string, size: number): void {
    bytes.set(key, size);
    kept += size;
    for (const oldest of known.keys()) {
      if (kept <= keptBytes || oldest === key) break;
      kept -= bytes.get(oldest) ?? 0;
      bytes.delete(oldest);
      known.delete(oldest);
    }
  }

  async function read(path: string, at: Revision): Promise<IndexedFile | null> {
    if (sources.isDenied(path) !== null || spent.bytes > limits.bytes) return null;
    const content = await sources.repository.readFile(path, at);
    if (content.kind !== 'text' || content.bytes > limits.fileBytes) return null;
    spent.bytes += content.bytes;
    keep(`${at}:${path}`, content.bytes);
    const file = { path, text: content.text };
    const syntax = (await parse(file)) ?? patternSyntax(file);
    return { path, lines: shown(splitLines(content.text)), syntax };
  }

  async function parse(file: { readonly path: string; readonly text: string }): Promise<FileSyntax | null> {
    if (sources.syntax === null || spent.milliseconds > limits.milliseconds) return null;
    const start = sources.now();
    const syntax = await sources.syntax.parse(file, { milliseconds: limits.fileMilliseconds });
    spent.milliseconds += sources.now() - start;
    return syntax;
  }

  return (path, at = 'head') => {
    const key = `${at}:${path}`;
    const file = known.get(key) ?? read(path, at);
    // The last asked for is the last to go.
    known.delete(key);
    known.set(key, file);
    return file;
  };
}
