import type { QueryCapture, QueryMatch } from 'web-tree-sitter';
import type { FileSyntax } from '../../core/context/syntax.ts';
import { collectDefinitions } from './collect-definitions.ts';
import { collectImports } from './collect-imports.ts';
import { collectReferences } from './collect-references.ts';

export type Extracted = Pick<FileSyntax, 'definitions' | 'references' | 'imports'> & {
  /** Characters of the text that the parser could make nothing of. */
  readonly errorCharacters: number;
};

/**
 * What a query found, by the names of its captures: `definition.<kind>`, or `definition.<kind>.prototype` without a body, with `name`
 * (and `receiver`, the type that a method stands outside of), `scope`, `import` with `source`; `local`, `ignored`, and the kinds of use.
 */
export function extractSyntax(matches: readonly QueryMatch[]): Extracted {
  const captures = matches.map((match) => match.captures);
  const { definitions, spans, names } = collectDefinitions(captures);
  const imports = collectImports(captures);
  const singles = captures.flatMap((match) => (match.length === 1 ? match : match.filter(isSingle)));
  const references = collectReferences(singles, { spans, names, imports });
  return { definitions, references, imports, errorCharacters: errorCharacters(singles) };
}

/** Captures that mean something alone, without the others of their pattern. */
function isSingle({ name }: QueryCapture): boolean {
  return name === 'local' || name === 'ignored' || name === 'call' || name === 'call.member';
}

function errorCharacters(captures: readonly QueryCapture[]): number {
  let characters = 0;
  let end = 0;
  for (const { name, node } of captures) {
    // Errors inside an error are in its extent already.
    if (name !== 'error' || node.startIndex < end) continue;
    end = node.endIndex;
    characters += end - node.startIndex;
  }
  return characters;
}
