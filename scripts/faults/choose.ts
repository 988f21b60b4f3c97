/**
 * Chooses faults by seed; what was chosen before stays. `node scripts/faults/choose.ts 6` writes six of each room that has none, spread over its files.
 * `node scripts/faults/choose.ts --grow core/history` writes one for each exported function of the room that is of `fewestLines` lines or more and has none.
 */
import { createHash } from 'node:crypto';
import { parseArgs } from 'node:util';
import ts from 'typescript';
import { groupBy } from '../../src/core/text.ts';
import { type Fault, isInRoom, placeOf, readFaults, readSources, roomOf, writeFaults } from './fault.ts';

const seed = 'postil-1';
/** Of an exported function that a grown room has a fault for. */
const fewestLines = 10;
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

type Candidate = Omit<Fault, 'id'>;

function candidatesOf(file: string, text: string): readonly Candidate[] {
  return candidatesIn(parse(file, text), { file, text });
}

function parse(file: string, text: string): ts.SourceFile {
  return ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
}

function candidatesIn(parsed: ts.Node, { file, text }: { file: string; text: string }): readonly Candidate[] {
  const found: Candidate[] = [];
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
const byDigest = (list: readonly Candidate[]) => list.toSorted((a, b) => (digest(a) < digest(b) ? -1 : 1));

const sources = readSources();
const faults = readFaults();
/** A fault whose code has moved gets the file where it stands today. */
const moved = faults.map((fault) => ({ ...fault, file: placeOf(fault, sources)?.path ?? fault.file }));
const { values, positionals } = parseArgs({ options: { grow: { type: 'string' } }, allowPositionals: true });
const added = values.grow === undefined ? firstOfRooms(Number(positionals[0] ?? 6)) : grow(values.grow);
writeFaults([...moved, ...added]);
process.stdout.write(`${added.length} faults more, ${moved.length + added.length} in all\n`);

/** A fault for each long exported function of the room that has none. */
function grow(room: string): readonly Fault[] {
  const places = moved.map((fault) => placeOf(fault, sources));
  const taken = moved.flatMap(({ id }) => (id.startsWith(`${room}-`) ? [Number(id.slice(room.length + 1))] : []));
  let last = Math.max(0, ...taken.filter(Number.isInteger));
  return [...sources].flatMap(([file, text]) => {
    if (!isInRoom(file, room) || excluded.test(file)) return [];
    return exportedFunctions(parse(file, text)).flatMap(({ name, body }) => {
      const [start, end] = [body.getStart(), body.getEnd()];
      if (text.slice(start, end).split('\n').length < fewestLines) return [];
      if (places.some((place) => place?.path === file && place.at >= start && place.at < end)) return [];
      const candidates = byDigest(candidatesIn(body, { file, text }));
      const candidate = candidates.find((one) => placeOf({ id: '', ...one }, sources)?.path === file);
      if (candidate !== undefined) return [{ id: `${room}-${++last}`, ...candidate }];
      process.stdout.write(`No fault for ${name} in ${file}\n`);
      return [];
    });
  });
}

type NamedFunction = { readonly name: string; readonly body: ts.Node };

function exportedFunctions(parsed: ts.SourceFile): readonly NamedFunction[] {
  return parsed.statements.flatMap((statement): readonly NamedFunction[] => {
    const isExported =
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;
    if (!isExported) return [];
    if (ts.isFunctionDeclaration(statement)) return [{ name: statement.name?.text ?? '', body: statement }];
    if (!ts.isVariableStatement(statement)) return [];
    return statement.declarationList.declarations.flatMap(({ name, initializer }) =>
      initializer !== undefined && ts.isFunctionLike(initializer) ? [{ name: name.getText(), body: initializer }] : [],
    );
  });
}

function firstOfRooms(each: number): readonly Fault[] {
  const rooms = new Set(moved.map(({ file }) => roomOf(file)));
  const byRoom = groupBy(
    [...sources].filter(([path]) => !excluded.test(path)),
    ([path]) => roomOf(path),
  );
  return [...byRoom].flatMap(([room, files]) => {
    if (rooms.has(room)) return [];
    const taken = spread(
      files.map(([path, text]) => byDigest(candidatesOf(path, text))),
      each,
    );
    return taken.map((candidate, index) => ({ id: `${room}-${index + 1}`, ...candidate }));
  });
}

/** A candidate of each file in turn, those of other lines first. */
function spread(lists: readonly (readonly Candidate[])[], each: number): readonly Candidate[] {
  const taken: Candidate[] = [];
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
  return taken;
}
