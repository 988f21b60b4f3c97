import { enclosingOf } from '../context/scopes.ts';
import type { FileSyntax } from '../languages/syntax.ts';
import { changesLines, type Hunk, hunkLines } from '../pull-request/changed-file.ts';
import { exactly } from '../schema.ts';
import { grouped, plural } from '../text.ts';
import { fitOutline, outlineOf } from './get-file-structure.ts';
import {
  cutNote,
  defineTool,
  type Files,
  fitRange,
  limits,
  type OpenFile,
  openFile,
  renderLines,
  type Tool,
} from './sources.ts';

export function readFile(files: Files): Tool {
  return defineTool({
    name: 'read_file',
    description: 'Read a file, as `12 | code`; of a long one its outline and what is near the changes.',
    parameters: exactly({ path: { type: 'string' } }),
    path: 'path',
    shows: 'lines',
    run: async ({ path }) => {
      const file = await openFile(files, path);
      const { name, lines } = file;
      if (lines.length === 0) return `${name} is empty.`;
      const all = { from: 1, to: lines.length };
      const whole = renderLines(lines, all, wholeCharacters);
      if (whole.last === lines.length) return `${name} (${plural(whole.last, 'line')})\n${whole.text}`;
      const folded = await foldedFile(files, file);
      if (folded !== null) return folded;
      const { text, last } = renderLines(lines, all);
      const cut =
        last < lines.length ? `; cut after line ${last}, read the rest with read_file_lines from ${last + 1}` : '';
      return `${name} (${plural(lines.length, 'line')}${cut})\n${text}`;
    },
  });
}

/** About 400 lines. Of a longer file most is read for nothing, and paid in every call that follows. */
const wholeCharacters = 16_000;

/** A long file: its outline, and its lines around the changes of the pull request; null when there is neither. */
async function foldedFile(files: Files, file: OpenFile): Promise<string | null> {
  const outline = fitOutline((await outlineOf(files, file.path)) ?? [], limits.resultCharacters / 3);
  const places = await changedPlaces(files, file);
  if (outline.length === 0 && places.length === 0) return null;
  const parts = [
    ...(outline.length === 0 ? [] : ['its outline']),
    ...(places.length === 0 ? [] : ['its lines around the changes']),
  ];
  const size = plural(file.lines.length, 'line');
  return [
    `${file.name} (${size}, too long to show whole: ${parts.join(' and ')}; read_file_lines reads any others)`,
    ...outline,
    ...renderPlaces(file, places, limits.resultCharacters - outline.join('\n').length - noteCharacters),
  ].join('\n');
}

type LineSpan = { readonly from: number; readonly to: number };

const aroundLines = 20;
/** A longer definition is not shown whole because a line of it changed. */
const definitionLines = 120;

/** What lies around each change, with all of a definition that is not long; what touches is one place. */
async function changedPlaces(files: Files, { path, lines }: OpenFile): Promise<readonly LineSpan[]> {
  const change = files.files.find((changed) => changed.path === path);
  const syntax = (await files.symbols?.file(path))?.syntax ?? { definitions: [] };
  const places: LineSpan[] = [];
  for (const hunk of change?.hunks.filter(changesLines) ?? []) {
    const { from, to } = placeAround(changedLines(hunk), syntax);
    let place = { from: Math.max(1, from), to: Math.min(lines.length, to) };
    for (let last = places.at(-1); last !== undefined && place.from <= last.to + 1; last = places.at(-1)) {
      places.pop();
      place = { from: Math.min(last.from, place.from), to: Math.max(last.to, place.to) };
    }
    if (place.from <= place.to) places.push(place);
  }
  return places;
}

/** From the first to the last line at head that a hunk changes, without its context. */
function changedLines(hunk: Hunk): LineSpan {
  const kinds = [...hunkLines(hunk)].map(({ kind }) => kind);
  const before = kinds.findIndex((kind) => kind !== 'context');
  const after = kinds.length - 1 - kinds.findLastIndex((kind) => kind !== 'context');
  const from = hunk.newStart + before;
  return { from, to: Math.max(from, hunk.newStart + hunk.newLines - 1 - after) };
}

function placeAround({ from, to }: LineSpan, syntax: Pick<FileSyntax, 'definitions'>): LineSpan {
  const around = [from, to].flatMap((line) => enclosingOf(syntax, line) ?? []);
  const short = around.filter(({ startLine, endLine }) => endLine - startLine < definitionLines);
  return {
    from: Math.min(from - aroundLines, ...short.map(({ startLine }) => startLine)),
    to: Math.max(to + aroundLines, ...short.map(({ endLine }) => endLine)),
  };
}

const noteCharacters = 1_000;
const namedPlaces = 20;

/** As many lines as fit, and which are left out. */
function renderPlaces(file: OpenFile, places: readonly LineSpan[], maxCharacters: number): readonly string[] {
  const rows: string[] = [];
  const left: LineSpan[] = [];
  let room = maxCharacters;
  for (const place of places) {
    // One line may take as much.
    const { text, last } =
      room < limits.lineCharacters * 2 ? { text: '', last: place.from - 1 } : renderLines(file.lines, place, room);
    room -= text.length + noteCharacters / namedPlaces;
    if (last >= place.from) rows.push(`Lines ${place.from}-${last}:`, text);
    if (last < place.to) left.push({ from: last + 1, to: place.to });
  }
  if (left.length === 0) return rows;
  const named = left.slice(0, namedPlaces).map(({ from, to }) => `${from}-${to}`);
  const more = left.length > named.length ? ` and ${grouped(left.length - named.length)} more places` : '';
  return [...rows, `(around other changes, for read_file_lines: lines ${named.join(', ')}${more})`];
}

export function readFileLines(files: Files): Tool {
  return defineTool({
    name: 'read_file_lines',
    description: 'Read a range of lines.',
    parameters: exactly({ path: { type: 'string' }, start_line: { type: 'integer' }, end_line: { type: 'integer' } }),
    path: 'path',
    shows: 'lines',
    verifies: true,
    run: async ({ path, start_line, end_line }) => {
      const { name, lines } = await openFile(files, path);
      if (lines.length === 0) return `${name} is empty.`;
      const file = { lines: lines.length, maxLines: limits.rangeLines };
      const { from, to, wanted, notes } = fitRange({ start: start_line, end: end_line }, file);
      const { text, last } = renderLines(lines, { from, to });
      return `${[`${name}, lines ${from}-${last}`, ...notes, ...cutNote(last, wanted)].join('; ')}\n${text}`;
    },
  });
}
