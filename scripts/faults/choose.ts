/** Chooses faults by seed: `node scripts/faults/choose.ts 6` writes six of each room, spread over its files. What was chosen before stays. */
import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import ts from 'typescript';
import { groupBy } from '../../src/core/text.ts';
import { type Fault, placeOf, readFaults, readSources, writeFaults } from './fault.ts';

const seed = 'postil-1';
/** Programs of their own, which begin before a fault could be chosen. */
const excluded = /watchdog|watched|worker\.ts|\/queries\//;

const swaps: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '&&': '||',
  '||': '&&',
  '-': '+',
  '*': '/',
};
const otherMethods: Readonly<Record<string, string>> = {
  some: 'every',
  every: 'some',
  min: 'max',
  max: 'min',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
};
const droppedMethods = new Set(['filter', 'slice', 'trim', 'toLowerCase', 'toSorted', 'toReversed', 'replaceAll']);

type Change = { readonly node: ts.Node; readonly to: string | null };

/** What Stryker's operators would do with a node; nothing where it has none for it. */
function changesOf(node: ts.Node): readonly Change[] {
  if (ts.isBinaryExpression(node)) {
    const other = swaps[node.operatorToken.getText()];
    return other === undefined ? [] : [{ node, to: `(${node.left.getText()}) ${other} (${node.right.getText()})` }];
  }
  if (ts.isIfStatement(node)) return ['true', 'false'].map((to) => ({ node: node.expression, to }));
  if (ts.isConditionalExpression(node)) return [{ node: node.condition, to: `!(${node.condition.getText()})` }];
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) {
    return [{ node, to: node.operand.getText() }];
  }
  if (node.kind === ts.SyntaxKind.TrueKeyword || node.kind === ts.SyntaxKind.FalseKeyword) {
    return [{ node, to: String(node.kind === ts.SyntaxKind.FalseKeyword) }];
  }
  if (ts.isNumericLiteral(node)) return [{ node, to: `${node.getText()} + 1` }];
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression))
    return changesOfCall(node, node.expression);
  return [];
}

function changesOfCall(node: ts.CallExpression, { name, expression }: ts.PropertyAccessExpression): readonly Change[] {
  const other = Object.hasOwn(otherMethods, name.text) ? otherMethods[name.text] : undefined;
  const args = node.arguments.map((one) => one.getText()).join(', ');
  if (other !== undefined) return [{ node, to: `${expression.getText()}.${other}(${args})` }];
  if (droppedMethods.has(name.text)) return [{ node, to: expression.getText() }];
  return ts.isExpressionStatement(node.parent) ? [{ node: node.parent, to: null }] : [];
}

function isInFunction(node: ts.Node): boolean {
  for (let parent = node.parent; parent !== undefined; parent = parent.parent)
    if (ts.isFunctionLike(parent)) return true;
  return false;
}

function isInType(node: ts.Node): boolean {
  for (let parent = node.parent; parent !== undefined; parent = parent.parent) {
    if (ts.isTypeNode(parent) || ts.isImportDeclaration(parent)) return true;
    if (ts.isParameter(parent) || ts.isBindingElement(parent)) return true;
  }
  return false;
}

function candidatesOf(file: string, text: string): readonly Omit<Fault, 'id'>[] {
  const parsed = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: Omit<Fault, 'id'>[] = [];
  const visit = (node: ts.Node): void => {
    if (isInFunction(node) && !isInType(node)) {
      for (const { node: changed, to } of changesOf(node)) {
        const [start, end] = [changed.getStart(), changed.getEnd()];
        const first = text.lastIndexOf('\n', start) + 1;
        const lines = text.slice(first, text.indexOf('\n', end));
        found.push({ file, lines, offset: start - first, from: text.slice(start, end), to });
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(parsed);
  return found;
}

const digest = (of: unknown) =>
  createHash('sha256')
    .update(JSON.stringify([seed, of]))
    .digest('hex');
const sources = readSources();
const each = Number(process.argv[2] ?? 6);
const roomOf = (path: string) => dirname(path).replace(/^src\//, '');
const byRoom = groupBy(
  [...sources].filter(([path]) => !excluded.test(path)),
  ([path]) => roomOf(path),
);
const chosen: Fault[] = [...readFaults()];
const rooms = new Set(chosen.map(({ id }) => id.slice(0, id.lastIndexOf('-'))));
for (const [room, files] of byRoom) {
  if (rooms.has(room)) continue;
  const taken: Omit<Fault, 'id'>[] = [];
  const lists = files.map(([path, text]) =>
    candidatesOf(path, text).toSorted((a, b) => (digest(a) < digest(b) ? -1 : 1)),
  );
  // One of each file in turn, those of other lines first.
  for (let round = 0; taken.length < each && lists.some((list) => list.length > round); round += 1) {
    for (const list of lists.toSorted((a, b) => (digest([round, a[0]]) < digest([round, b[0]]) ? -1 : 1))) {
      const [one] = list.slice(round);
      if (
        one === undefined ||
        taken.length >= each ||
        taken.some(({ lines }) => lines.includes(one.lines) || one.lines.includes(lines))
      )
        continue;
      if (placeOf({ id: '', ...one }, sources)?.path === one.file) taken.push(one);
    }
  }
  chosen.push(...taken.map((one, index) => ({ id: `${room}-${index + 1}`, ...one })));
}
writeFaults(chosen);
process.stdout.write(`${chosen.length} faults in ${new Set(chosen.map(({ file }) => file)).size} files\n`);
