import { describeDefinition } from '../context/changed-symbols.ts';
import { type FoundSymbol, type FoundUse, findSymbol as find } from '../context/find-uses.ts';
import type { IndexedFile, SymbolIndex } from '../context/symbol-index.ts';
import { ToolError } from '../errors.ts';
import { numberedLines } from '../repository/shown.ts';
import { exactly } from '../schema.ts';
import { cutAround, plural } from '../text.ts';
import { fitOutline, syntaxOutline } from './get-file-structure.ts';
import { broughtIn } from './search-text.ts';
import { defineTool, fitRows, limits, nameOf, renderLines, type Sources, type Tool } from './sources.ts';

export function findSymbol({ files, onShown }: Pick<Sources, 'files' | 'onShown'>, index: SymbolIndex): Tool {
  return defineTool({
    name: 'find_symbol',
    description: `Where a name, or \`Type.member\`, is defined (with a body of up to ${limits.bodyLines} lines) and used.`,
    parameters: exactly({ name: { type: 'string' } }),
    path: null,
    run: async (call) => {
      const symbol = symbolOf(call.name);
      const found = await find(index, {
        ...symbol,
        first: files.map(({ path }) => path),
        reviewed: broughtIn(files),
      });
      if (found.definitions.length === 0 && found.uses.length === 0) return nothing(symbol.name, found);
      const shown = [...found.definitions.slice(0, limits.definitions), ...found.uses.slice(0, limits.uses)];
      for (const { file } of shown) onShown?.(file.path);
      return render(symbol.name, found);
    },
  });
}

/** `Cart.total`, `Cart::total`, `Cart#total` and `total()` are all meant. */
function symbolOf(text: string): { readonly name: string; readonly container: string | null } {
  const parts = text
    .trim()
    .replace(/\([\s\S]*$/, (rest) => (rest.endsWith(')') ? '' : rest))
    .split(/\.|::|#|->/)
    .filter((part) => part !== '');
  const name = parts.at(-1) ?? '';
  if (name === '' || name.length > maxNameCharacters || /\s/.test(name)) {
    throw new ToolError(
      `${nameOf(text.slice(0, maxNameCharacters))} is not a name: give one, such as total or Cart.total.`,
    );
  }
  return { name, container: parts.at(-2) ?? null };
}

const maxNameCharacters = 200;

function nothing(name: string, { incomplete, unparsed, leftOut }: FoundSymbol): string {
  const where = unparsed.length === 0 ? 'Nothing' : 'No file that was parsed';
  const found =
    incomplete === 'time'
      ? `The search for ${nameOf(name)} ran out of time, so nothing is known of it.`
      : `${where} defines or uses ${nameOf(name)} at the reviewed commit; names are case-sensitive.`;
  const text = `${found} search_text finds it inside other words, strings and comments.`;
  return [text, ...unparsedNote(unparsed), ...leftOutNote(leftOut)].join('\n');
}

/** Only files of some languages are parsed: without it, what others define and use would seem to be nowhere. */
function unparsedNote(unparsed: FoundSymbol['unparsed']): readonly string[] {
  if (unparsed.length === 0) return [];
  const more = unparsed.length > namedFiles ? ', …' : '';
  const named = `${unparsed.slice(0, namedFiles).map(nameOf).join(', ')}${more}`;
  return [`(mentioned in ${plural(unparsed.length, 'file')} not parsed: ${named}; search_text shows the lines)`];
}

/** Without it, what a built or vendored file defines would seem to be nowhere. */
function leftOutNote(leftOut: FoundSymbol['leftOut']): readonly string[] {
  if (leftOut === undefined) return [];
  const { files, paths } = leftOut;
  const more = files > paths.length ? ', …' : '';
  return [
    `(${plural(files, 'built or vendored file')} that mention it left out: ${paths.map(nameOf).join(', ')}${more}; search_text with their path finds it)`,
  ];
}

function render(name: string, found: FoundSymbol): string {
  const uses = found.uses.slice(0, limits.uses);
  const isAllParsed = found.unparsed.length === 0;
  const source = isAllParsed ? 'it may come from a library' : 'one of the files that were not parsed may define it';
  const none = `No definition of ${nameOf(name)} was recognised in this repository: ${source}.`;
  const rows = [
    ...(found.definitions.length === 0 ? [none] : definitionRows(found.definitions.slice(0, limits.definitions))),
    ...(uses.length === 0
      ? [isAllParsed ? 'Nothing uses it.' : 'No file that was parsed uses it.']
      : [`Uses (${plural(uses.length, 'line')}):`, ...uses.map(useRow(uses))]),
  ];
  const fitting = fitRows(rows, rows.length);
  return [...fitting.rows, ...notes(found, fitting.left)].join('\n');
}

type FoundDefinition = FoundSymbol['definitions'][number];

/** The first have their bodies; of those behind them the head is shown when the room is used up. */
function definitionRows(definitions: readonly FoundDefinition[]): readonly string[] {
  const rows: string[] = [];
  let room: number = limits.definitionCharacters;
  for (const definition of definitions) {
    const row = definitionRow(definition, Math.max(room, limits.headCharacters));
    room -= row.length;
    rows.push(row);
  }
  return rows;
}

function definitionRow({ file, definition }: FoundDefinition, room: number): string {
  const { startLine, signatureEndLine, endLine } = definition;
  const heading = `${nameOf(file.path)}: ${nameOf(describeDefinition(definition))}`;
  const whole = renderLines(file.lines, { from: startLine, to: endLine }, room);
  if (endLine - startLine < limits.bodyLines && whole.last === endLine) {
    return startLine === endLine
      ? `${heading}\n${lineAround(file, { line: startLine, name: definition.name, most: limits.lineCharacters })}`
      : `${heading}\n${whole.text}`;
  }
  const wanted = Math.max(signatureEndLine, startLine + limits.headLines - 1);
  const range = { from: startLine, to: Math.min(wanted, endLine, startLine + limits.bodyLines - 1) };
  const head = renderLines(file.lines, range, room);
  const inner = file.syntax.definitions.filter((each) => each.startLine > head.last && each.endLine <= endLine);
  const outline = fitOutline(
    syntaxOutline({ ...file.syntax, definitions: inner }, file.lines),
    room - head.text.length,
  );
  const rest = `${head.last + 1}-${endLine}${outline.length === 0 ? '' : ' in outline'}`;
  return [`${heading} (of lines ${rest}: read_file_lines)`, head.text, ...outline].join('\n');
}

function useRow(uses: readonly FoundUse[]): (use: FoundUse, index: number) => string {
  return ({ file, reference: { line, name } }, index) => {
    const text = lineAround(file, { line, name, most: limits.matchCharacters });
    return uses[index - 1]?.file.path === file.path ? text : `${nameOf(file.path)}\n${text}`;
  };
}

function lineAround({ lines }: IndexedFile, at: { line: number; name: string; most: number }): string {
  const { text = '', redacted = false } = lines[at.line - 1] ?? {};
  return numberedLines(
    [{ text: cutAround(text, Math.max(0, text.indexOf(at.name)), at.most).text, redacted }],
    at.line,
  );
}

const namedFiles = 5;

function notes(
  { definitions, uses, unparsed, unread, incomplete, leftOut }: FoundSymbol,
  left: number,
): readonly string[] {
  const more = Math.max(0, definitions.length - limits.definitions);
  const hidden = Math.max(0, uses.length - limits.uses) + left;
  return [
    ...(more > 0 ? [`(${plural(more, 'more definition')} left out: name it as Type.member)`] : []),
    ...(hidden > 0 ? [`(${plural(hidden, 'more line')} left out: search_text lists them)`] : []),
    ...(unread > 0 ? [`(${plural(unread, 'more file')} mention it and were not looked at)`] : []),
    ...unparsedNote(unparsed),
    ...leftOutNote(leftOut),
    ...(incomplete === 'limit' ? ['(the name is common: there are more mentions than were looked at)'] : []),
    ...(incomplete === 'time' ? ['(the search ran out of time and may have missed some)'] : []),
  ];
}
