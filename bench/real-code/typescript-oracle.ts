import { join } from 'node:path';
import ts from 'typescript';
import type { SourceText } from './fetch-package.ts';
import type { Lines, Oracle, Target } from './oracle.ts';

/** The type checker of TypeScript: follows imports and types to the very declaration. */
export function typescriptOracle(folder: string, files: readonly SourceText[]): Oracle {
  const program = ts.createProgram(
    files.map(({ path }) => join(folder, path)),
    {
      allowImportingTsExtensions: true,
      noEmit: true,
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      target: ts.ScriptTarget.ES2022,
      types: [],
      skipLibCheck: true,
    },
  );
  const checker = program.getTypeChecker();
  const sources = new Map(
    files.flatMap(({ path }) => {
      const source = program.getSourceFile(join(folder, path));
      return source === undefined ? [] : [[path, source] as const];
    }),
  );
  const pathOf = new Map([...sources].map(([path, source]) => [source.fileName, path]));

  function targetOf(identifier: ts.Identifier): Target | null {
    const symbol = checker.getSymbolAtLocation(identifier);
    if (symbol === undefined) return null;
    const meant = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    const declarations = meant.declarations ?? [];
    // What has a body is what a reader wants, not an overload.
    const best = declarations.find((each) => 'body' in each && each.body !== undefined) ?? declarations[0];
    const named = best === undefined ? undefined : ts.getNameOfDeclaration(best);
    if (best === undefined || named === undefined || isLocal(best)) return null;
    const source = best.getSourceFile();
    const path = pathOf.get(source.fileName);
    if (path === undefined) return null;
    return { path, line: lineOf(source, named.getStart()), name: named.getText() };
  }

  /** Where each function is called, by the place of its name. */
  const calls = new Map<string, Target[]>();
  for (const [path, source] of sources) {
    visit(source, (node) => {
      const callee = ts.isCallExpression(node) || ts.isNewExpression(node) ? node.expression : null;
      const name = callee !== null && ts.isPropertyAccessExpression(callee) ? callee.name : callee;
      const target = name !== null && ts.isIdentifier(name) ? targetOf(name) : null;
      if (name === null || target === null) return;
      const known = calls.get(placeOf(target));
      const call = { path, line: lineOf(source, name.getStart()), name: target.name };
      if (known === undefined) calls.set(placeOf(target), [call]);
      else known.push(call);
    });
  }

  return {
    provenance: `TypeScript ${ts.version}`,
    bodies: [...sources].flatMap(([path, source]) => bodiesIn(source).map((lines) => ({ path, ...lines }))),
    uses: ({ path, start, end }) => {
      const source = sources.get(path);
      if (source === undefined) return [];
      const found: Target[] = [];
      visit(source, (node) => {
        if (!ts.isIdentifier(node)) return;
        const line = lineOf(source, node.getStart());
        const target = start <= line && line <= end ? targetOf(node) : null;
        if (target !== null && !(target.path === path && start <= target.line && target.line <= end))
          found.push(target);
      });
      return found;
    },
    callers: ({ path, start, end }) => {
      const source = sources.get(path);
      if (source === undefined) return [];
      const found: Target[] = [];
      visit(source, (node) => {
        if (!ts.isFunctionDeclaration(node) && !ts.isMethodDeclaration(node)) return;
        const [from, to] = [lineOf(source, node.getStart()), lineOf(source, node.getEnd())];
        if (node.name === undefined || from > end || to < start) return;
        found.push(...(calls.get(placeOf({ path, line: lineOf(source, node.name.getStart()) })) ?? []));
      });
      return found;
    },
  };
}

function placeOf({ path, line }: Pick<Target, 'path' | 'line'>): string {
  return `${path}:${line}`;
}

function visit(node: ts.Node, look: (node: ts.Node) => void): void {
  look(node);
  node.forEachChild((child) => visit(child, look));
}

function lineOf(source: ts.SourceFile, position: number): number {
  return source.getLineAndCharacterOfPosition(position).line + 1;
}

/** A parameter, or what is declared inside a function: a reader has it before the eyes, or finds it in the same function. */
function isLocal(declaration: ts.Declaration): boolean {
  if (ts.isParameter(declaration) || ts.isTypeParameterDeclaration(declaration)) return true;
  for (let outer = declaration.parent; !ts.isSourceFile(outer); outer = outer.parent) {
    if (ts.isFunctionLike(outer)) return true;
    if (outer.parent === undefined) return false;
  }
  return false;
}

function bodiesIn(source: ts.SourceFile): readonly Omit<Lines, 'path'>[] {
  const found: Omit<Lines, 'path'>[] = [];
  visit(source, (node) => {
    if (!ts.isFunctionDeclaration(node) && !ts.isMethodDeclaration(node)) return;
    const [first, last] = [node.body?.statements[0], node.body?.statements.at(-1)];
    if (first === undefined || last === undefined) return;
    found.push({ start: lineOf(source, first.getStart()), end: lineOf(source, last.getEnd()) });
  });
  return found;
}
