import { globSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

/** Rooms where a run is put together: what a function takes was built once and has a name. */
const rooms = [
  'src/{main,cli,command-line}.ts',
  'src/{run,cli}/**/*.ts',
  'src/adapters/{actions,files,terminal,mcp,replay}/**/*.ts',
  'src/core/{handover,transcript}/**/*.ts',
];

const root = new URL('..', import.meta.url);
const sources = globSync(rooms, { cwd: root }).map((path) =>
  ts.createSourceFile(path, readFileSync(new URL(path, root), 'utf8'), ts.ScriptTarget.Latest, true),
);

type Bag = 'Pick' | 'Omit' | 'Parameters<typeof' | 'conditional spread' | 'getter';

/** What puts a bag together for one call, or takes one apart. */
function bagIn(node: ts.Node): Bag | null {
  if (ts.isTypeReferenceNode(node)) {
    const name = node.typeName.getText();
    if (name === 'Pick' || name === 'Omit') return name;
    const [of] = node.typeArguments ?? [];
    return name === 'Parameters' && of !== undefined && ts.isTypeQueryNode(of) ? 'Parameters<typeof' : null;
  }
  if (ts.isSpreadAssignment(node)) {
    let spread: ts.Expression = node.expression;
    while (ts.isParenthesizedExpression(spread)) spread = spread.expression;
    return ts.isConditionalExpression(spread) ? 'conditional spread' : null;
  }
  return ts.isGetAccessorDeclaration(node) && ts.isObjectLiteralExpression(node.parent) ? 'getter' : null;
}

function placesOf<T>(look: (node: ts.Node) => T | null): readonly string[] {
  return sources.flatMap((source) => {
    const found: string[] = [];
    const visit = (node: ts.Node): void => {
      const what = look(node);
      const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
      if (what !== null) found.push(`${source.fileName}:${line} ${what}`);
      ts.forEachChild(node, visit);
    };
    visit(source);
    return found;
  });
}

describe('where a run is put together', () => {
  it('looks at the rooms that it names', () => {
    expect(sources.length).toBeGreaterThan(60);
  });

  it('no bag is put together for a call: no Pick, Omit, Parameters<typeof …>, conditional spread or getter in a literal', () => {
    expect(placesOf(bagIn)).toEqual([]);
  });

  it('each step of a job has fewer than forty lines', () => {
    const long = placesOf((node) => {
      if (!ts.isFunctionDeclaration(node) || !node.getSourceFile().fileName.startsWith('src/run/job/')) return null;
      const lines = node.getText().split('\n').length;
      return lines < 40 ? null : `${node.name?.text ?? ''} has ${lines} lines`;
    });
    expect(long).toEqual([]);
  });
});
