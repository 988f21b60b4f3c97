import { familyOf } from '../../core/languages/languages.ts';
import { cppQuery, csharpQuery, goQuery, javaQuery, rustQuery } from './queries/compiled.ts';
import { javascriptQuery, phpQuery, pythonQuery, rubyQuery, tsxQuery, typescriptQuery } from './queries/scripted.ts';

export type Language = {
  /** Files of one language can define what others of it use, whichever grammar reads them. */
  readonly name: string;
  /** Its file is `tree-sitter-<grammar>.wasm`. */
  readonly grammar: string;
};

export const grammars: readonly { readonly grammar: string; readonly extensions: readonly string[] }[] = [
  { grammar: 'typescript', extensions: ['ts', 'mts', 'cts'] },
  { grammar: 'tsx', extensions: ['tsx'] },
  { grammar: 'javascript', extensions: ['js', 'mjs', 'cjs', 'jsx'] },
  { grammar: 'python', extensions: ['py', 'pyi'] },
  { grammar: 'go', extensions: ['go'] },
  { grammar: 'java', extensions: ['java'] },
  { grammar: 'ruby', extensions: ['rb', 'rake'] },
  { grammar: 'rust', extensions: ['rs'] },
  { grammar: 'cpp', extensions: ['c', 'h', 'cc', 'cpp', 'cxx', 'hh', 'hpp', 'hxx', 'ipp'] },
  { grammar: 'c-sharp', extensions: ['cs'] },
  { grammar: 'php', extensions: ['php'] },
];

/** Null when no grammar knows the file's extension. */
export function languageFor(path: string): Language | null {
  const extension = /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase() ?? '';
  const grammar = grammars.find(({ extensions }) => extensions.includes(extension))?.grammar;
  const name = familyOf(path);
  return grammar === undefined || name === null ? null : { name, grammar };
}

/** By grammar: what is looked for in its trees. Apart from the languages' names, since only the thread that parses needs it. */
export const queries: ReadonlyMap<string, string> = new Map([
  ['typescript', typescriptQuery],
  ['tsx', tsxQuery],
  ['javascript', javascriptQuery],
  ['python', pythonQuery],
  ['go', goQuery],
  ['java', javaQuery],
  ['ruby', rubyQuery],
  ['rust', rustQuery],
  ['cpp', cppQuery],
  ['c-sharp', csharpQuery],
  ['php', phpQuery],
]);
