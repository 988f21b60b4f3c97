import { cppQuery, csharpQuery, goQuery, javaQuery, rustQuery } from './queries/compiled.ts';
import { javascriptQuery, phpQuery, pythonQuery, rubyQuery, tsxQuery, typescriptQuery } from './queries/scripted.ts';

export type Language = {
  /** Files of one language can define what others of it use, whichever grammar reads them. */
  readonly name: string;
  /** Its file is `tree-sitter-<grammar>.wasm`. */
  readonly grammar: string;
};

export const grammars: readonly (Language & { readonly extensions: readonly string[] })[] = [
  { name: 'ecmascript', grammar: 'typescript', extensions: ['ts', 'mts', 'cts'] },
  { name: 'ecmascript', grammar: 'tsx', extensions: ['tsx'] },
  { name: 'ecmascript', grammar: 'javascript', extensions: ['js', 'mjs', 'cjs', 'jsx'] },
  { name: 'python', grammar: 'python', extensions: ['py', 'pyi'] },
  { name: 'go', grammar: 'go', extensions: ['go'] },
  { name: 'java', grammar: 'java', extensions: ['java'] },
  { name: 'ruby', grammar: 'ruby', extensions: ['rb', 'rake'] },
  { name: 'rust', grammar: 'rust', extensions: ['rs'] },
  { name: 'c++', grammar: 'cpp', extensions: ['c', 'h', 'cc', 'cpp', 'cxx', 'hh', 'hpp', 'hxx', 'ipp'] },
  { name: 'c#', grammar: 'c-sharp', extensions: ['cs'] },
  { name: 'php', grammar: 'php', extensions: ['php'] },
];

/** Null when no grammar knows the file's extension. */
export function languageFor(path: string): Language | null {
  const extension = /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase() ?? '';
  return grammars.find(({ extensions }) => extensions.includes(extension)) ?? null;
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
