import type { FileSyntax } from '../../core/context/syntax.ts';
import { extractSyntax } from './extract-syntax.ts';
import type { Language } from './languages.ts';
import type { Grammar } from './load-grammar.ts';

export type Parsing = { readonly language: Language; readonly grammar: Grammar; readonly milliseconds: number };

/** More of a text than this as errors: it is another language, or no code. */
const maxErrorShare = 0.5;
/** Bytes: a text that takes more is made to, and what one took stays taken. */
const maxMemory = 2 ** 27;

/** Null when time or memory run out, and for a text that is mostly errors. @throws where the parser itself breaks. */
export function parseFile(text: string, { language, grammar, milliseconds }: Parsing): FileSyntax | null {
  const { parser, query, memory } = grammar;
  const deadline = performance.now() + milliseconds;
  const memoryLimit = Math.max(maxMemory, memory());
  const progressCallback = () => performance.now() > deadline || memory() > memoryLimit;
  const tree = parser.parse(text, null, { progressCallback });
  // A parse that was cancelled would go on with the next text.
  parser.reset();
  if (tree === null) return null;
  try {
    const matches = query.matches(tree.rootNode, { progressCallback });
    if (progressCallback()) return null;
    const { errorCharacters, ...found } = extractSyntax(matches);
    if (errorCharacters > text.length * maxErrorShare) return null;
    return { language: language.name, by: 'parser', ...found };
  } finally {
    tree.delete();
  }
}
