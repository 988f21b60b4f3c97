import { cutLine } from '../repository/cut-line.ts';
import { couldBeKeyBody } from '../repository/private-keys.ts';
import type { TextMatch, TextMatches } from '../repository/repository.ts';
import { shown, splitLines } from '../repository/shown.ts';
import { nameOf } from './file-name.ts';
import { fitRows } from './fit-rows.ts';
import { counted, limits } from './limits.ts';
import type { Sources } from './sources.ts';

/** The matches below the path of their file; those in denied files are only counted. */
export async function renderMatches(sources: Sources, found: TextMatches): Promise<string> {
  const open = found.matches.filter((match) => sources.isDenied(match.path) === null);
  const groups = await Promise.all(open.map((match, index) => group(sources, match, open[index - 1]?.path)));
  const { rows, left } = fitRows(groups, limits.matches);
  return [...rows, ...notes(found, { denied: found.matches.length - open.length, cut: left })].join('\n');
}

/** One match, below the path of its file where the file is not the one before. */
async function group(sources: Sources, match: TextMatch, pathBefore: string | undefined): Promise<string> {
  const text = cutLine(await textOf(sources, match), limits.matchCharacters);
  const row = `${String(match.line).padStart(4)} | ${text}`;
  return match.path === pathBefore ? row : `${nameOf(match.path)}\n${row}`;
}

/** A line inside a private key can only be recognized in its file. */
async function textOf(sources: Sources, match: TextMatch): Promise<string> {
  const alone = shown([match.text])[0]?.text ?? '';
  if (!couldBeKeyBody(match.text)) return alone;
  const content = await sources.repository.readFile(match.path, 'head');
  if (content.kind !== 'text') return alone;
  return shown(splitLines(content.text))[match.line - 1]?.text ?? alone;
}

function notes(found: TextMatches, left: { denied: number; cut: number }): readonly string[] {
  const narrow = 'narrow the search with path or file_pattern';
  return [
    ...(left.denied > 0 ? [`(${counted(left.denied, 'match', 'matches')} in denied files left out)`] : []),
    ...(left.cut > 0 ? [`(${counted(left.cut, 'match', 'matches')} more did not fit: ${narrow})`] : []),
    ...(found.incomplete === 'limit'
      ? [`(there are more than ${counted(found.matches.length, 'match', 'matches')}: ${narrow})`]
      : []),
    ...(found.incomplete === 'time' ? [`(the search ran out of time and may have missed matches: ${narrow})`] : []),
  ];
}
