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
  const [stem = ''] = path
    .slice(path.lastIndexOf('/') + 1)
    .split('.')
    .filter((part) => part !== '');
  return stem;
}

/** What stands behind one of these is defined there, in one language or another. */
const defining: ReadonlySet<string> = new Set([
  ...['def', 'class', 'func', 'function', 'fn', 'fun', 'sub', 'proc', 'procedure', 'macro', 'define', 'package'],
  ...['struct', 'enum', 'union', 'trait', 'interface', 'type', 'typedef', 'record', 'message', 'module', 'namespace'],
  ...['const', 'let', 'var', 'val', 'static', 'impl', 'service', 'table', 'view'],
]);

/** Where nothing is parsed: what a changed line defines, and what the head that git shows above the hunk does. */
function namesIn({ path }: ChangedFile): (hunk: Hunk) => readonly string[] {
  if (isProsePath(path)) return () => [];
  return (hunk) => {
    const changed = [...hunkLines(hunk)].filter(({ kind }) => kind !== 'context').map(({ text }) => text);
    const called = hunk.heading.slice(0, Math.max(0, hunk.heading.indexOf('(')));
    return [...[hunk.heading, ...changed].flatMap(definedIn), ...wordsIn(called).slice(-1)];
  };
}

function definedIn(text: string): readonly string[] {
  const words = wordsIn(text);
  return words.filter((_, at) => defining.has(words[at - 1] ?? ''));
}
