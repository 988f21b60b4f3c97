import { type ChangedFile, type Hunk, hunkLines } from '../pull-request/changed-file.ts';
import { changedSymbols } from './changed-symbols.ts';
import { isProsePath } from './paths.ts';
import type { SymbolIndex } from './symbol-index.ts';

/** Names that a changed file defines, removes or renames, as words: who uses one of them relies on the change. */
export async function changedNames(index: SymbolIndex | null, file: ChangedFile): Promise<ReadonlySet<string>> {
  const symbols = index === null ? null : await changedSymbols(index, { file, hunks: file.hunks }).catch(() => null);
  const names = symbols?.defined.map(({ definition }) => definition.name) ?? file.hunks.flatMap(namesIn(file));
  const gone = file.status === 'deleted' || file.status === 'renamed' ? [stemOf(file.oldPath)] : [];
  return new Set([...names, ...gone].flatMap(wordsIn));
}

/** Letters, digits, `_` and `$`, as they stand together. */
export function wordsIn(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}_$]+/gu) ?? [];
}

/** By its name other files import it. */
function stemOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return name.replace(/(?<=.)\..*$/, '');
}

const behindKeyword =
  /\b(?:def|class|func|function|fn|fun|sub|proc|procedure|struct|enum|union|trait|interface|type|typedef|module|namespace|package|record|const|let|var|val|static|impl|macro|define|message|service|table|view)\b\W{1,20}([\p{L}_$][\p{L}\p{N}_$]*)/gu;
const beforeBracket = /([\p{L}_$][\p{L}\p{N}_$]*)\s*\(/u;

/** Where nothing is parsed: what stands behind a keyword that defines, and the head that git shows above the hunk. */
function namesIn({ path }: ChangedFile): (hunk: Hunk) => readonly string[] {
  if (isProsePath(path)) return () => [];
  return (hunk) => {
    const changed = [...hunkLines(hunk)].filter(({ kind }) => kind !== 'context').map(({ text }) => text);
    const defined = [hunk.heading, ...changed].flatMap((text) => [...text.slice(0, longest).matchAll(behindKeyword)]);
    const heads = beforeBracket.exec(hunk.heading.slice(0, longest))?.[1] ?? [];
    return [...defined.flatMap(([, name]) => name ?? []), ...[heads].flat()];
  };
}

/** Characters of a line: what is longer is data. */
const longest = 500;
