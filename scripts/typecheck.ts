import { relative } from 'node:path';
import ts from 'typescript';

/*
 * What `tsc -p .` does, and one check more: a message stands in no text, where it would print as `[object Object]`. The compiler allows any object
 * there, and Biome's noBaseToString does not see through the types that follow from the table of messages.
 */
const root = process.cwd();
const config = ts.getParsedCommandLineOfConfigFile(
  'tsconfig.json',
  {},
  { ...ts.sys, onUnRecoverableConfigFileDiagnostic },
);
if (config === undefined) throw new Error('tsconfig.json cannot be read.');
const program = ts.createProgram(config.fileNames, config.options);
const checker = program.getTypeChecker();
const diagnostics = ts.getPreEmitDiagnostics(program);
const host = { getCanonicalFileName: (name: string) => name, getCurrentDirectory: () => root, getNewLine: () => '\n' };
if (diagnostics.length > 0) console.error(ts.formatDiagnostics(diagnostics, host).trimEnd());
const messages = program
  .getSourceFiles()
  .filter(({ fileName }) => !fileName.includes('node_modules'))
  .flatMap((file) => messagesInTexts(file));
for (const place of messages) console.error(`${place}: a message is put into a text; print it with a translator.`);
if (diagnostics.length + messages.length > 0) process.exitCode = 1;

function messagesInTexts(file: ts.SourceFile): readonly string[] {
  const places: string[] = [];
  const visit = (node: ts.Node): void => {
    if (printed(node).some(isMessage)) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart());
      places.push(`${relative(root, file.fileName)}:${line + 1}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return places;
}

/** The types that this node turns into text. */
function printed(node: ts.Node): readonly ts.Type[] {
  if (ts.isTemplateSpan(node)) return [checker.getTypeAtLocation(node.expression)];
  if (!ts.isCallExpression(node)) return [];
  const { expression, arguments: given } = node;
  if (expression.getText() === 'String') return given.slice(0, 1).map((one) => checker.getTypeAtLocation(one));
  if (!ts.isPropertyAccessExpression(expression) || !/^(?:join|toString)$/.test(expression.name.text)) return [];
  return [checker.getTypeAtLocation(expression.expression)];
}

/** True for a message, a list of messages, and whatever may be one. */
function isMessage(type: ts.Type): boolean {
  if (type.isUnion()) return type.types.some(isMessage);
  const item = checker.getIndexTypeOfType(type, ts.IndexKind.Number);
  if (item !== undefined && (type.flags & ts.TypeFlags.Object) !== 0) return isMessage(item);
  const code = checker.getPropertyOfType(type, 'code');
  return code !== undefined && (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) !== 0;
}

function onUnRecoverableConfigFileDiagnostic(diagnostic: ts.Diagnostic): void {
  throw new Error(ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n'));
}
