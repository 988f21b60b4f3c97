import type { ShownLine } from '../repository/shown.ts';
import { declarationText, type OutlineEntry } from './outline.ts';
import type { FileSyntax } from './syntax.ts';

/** The outline of a parsed file. Fields and members of enumerations are left out: they are read with their type. */
export function syntaxOutline(syntax: FileSyntax, lines: readonly ShownLine[]): readonly OutlineEntry[] {
  const open: number[] = [];
  return syntax.definitions
    .filter(({ kind }) => kind !== 'field')
    .map(({ startLine, endLine }) => {
      while (open.length > 0 && (open.at(-1) ?? 0) < endLine) open.pop();
      const depth = open.length;
      open.push(endLine);
      return { line: startLine, depth, text: declarationText(lines[startLine - 1]?.text ?? '') };
    });
}
