import type { BlameLine, History, Log, LogEntry } from '../repository/repository.ts';
import { shown, splitLines } from '../repository/shown.ts';
import { exactly } from '../schema.ts';
import { cutLine } from '../text.ts';
import {
  cutNote,
  defineTool,
  explainMissing,
  type Files,
  fitRange,
  fitRows,
  limits,
  nameOf,
  noteShown,
  openFile,
  pathOf,
  type Tool,
} from './sources.ts';

const defaultEntries = 10;
const bodyLines = 6;

export function getGitLog(files: Files, history: History): Tool {
  return defineTool({
    name: 'get_git_log',
    description: `The last commits (null: ${defaultEntries}) that touched a file or directory (null: any).`,
    parameters: exactly({ path: { type: ['string', 'null'] }, count: { type: ['integer', 'null'] } }),
    path: 'path',
    run: async (call) => {
      const path = pathOf(call.path ?? '');
      await noteShown(files, path);
      const log = await history.log(path, Math.min(limits.logEntries, Math.max(1, call.count ?? defaultEntries)));
      if (log.entries.length === 0) return explainEmpty(files, { path, log });
      return renderLog(log);
    },
  });
}

async function explainEmpty(files: Files, { path, log }: { path: string; log: Log }): Promise<string> {
  if (log.shallow)
    return `The fetched history has no commit that touched ${nameOf(path)}; older commits were not fetched.`;
  const content = path === '' ? null : await files.repository.readFile(path, 'head');
  if (content?.kind === 'unreadable' && content.reason === 'missing') return explainMissing(files, path);
  return 'There is no commit.';
}

function renderLog(log: Log): string {
  const { rows, left } = fitRows(log.entries.map(renderEntry), limits.logEntries);
  return [
    ...rows,
    ...(left > 0 ? [`(${left} more commits did not fit)`] : []),
    ...(log.shallow ? ['(older commits were not fetched)'] : []),
  ].join('\n');
}

function renderEntry({ commit, date, author, subject, body }: LogEntry): string {
  const message = splitLines(body.trim());
  const left = message.length - bodyLines;
  const lines = [`${commit.slice(0, 10)} ${date} ${author}: ${subject}`, ...message.slice(0, bodyLines)];
  const texts = shown(lines).map((line) => cutLine(line.text, limits.matchCharacters));
  return [...texts, ...(left > 0 ? [`(${left} more lines)`] : [])].join('\n    ');
}

export function getGitBlame(files: Files, history: History): Tool {
  return defineTool({
    name: 'get_git_blame',
    description: 'Who last changed these lines, and in which commit.',
    parameters: exactly({ path: { type: 'string' }, start_line: { type: 'integer' }, end_line: { type: 'integer' } }),
    path: 'path',
    run: async ({ path, start_line, end_line }) => {
      const file = await openFile(files, path);
      if (file.lines.length === 0) return `${file.name} is empty.`;
      const size = { lines: file.lines.length, maxLines: limits.blameLines };
      const { from, to, wanted, notes } = fitRange({ start: start_line, end: end_line }, size);
      const runs = groupLines(await history.blame(file.path, from, to));
      if (runs.length === 0) return `The history of ${file.name} is not known.`;
      return [
        [`${file.name}, lines ${from}-${to}`, ...notes, ...cutNote(to, wanted)].join('; '),
        ...runs.map(renderRun),
      ].join('\n');
    },
  });
}

type Run = { readonly first: BlameLine; readonly last: BlameLine };

/** Consecutive lines of one commit. */
function groupLines(lines: readonly BlameLine[]): readonly Run[] {
  const runs: Run[] = [];
  for (const line of lines) {
    const run = runs.at(-1);
    if (run !== undefined && run.last.commit === line.commit && run.last.line + 1 === line.line) {
      runs[runs.length - 1] = { first: run.first, last: line };
    } else runs.push({ first: line, last: line });
  }
  return runs;
}

function renderRun({ first, last }: Run): string {
  const range = first.line === last.line ? String(first.line) : `${first.line}-${last.line}`;
  if (first.commit === null) return `${range} older than the fetched history`;
  const text = `${range} ${first.commit.slice(0, 10)} ${first.date} ${first.author}: ${first.subject}`;
  return cutLine(shown([text])[0]?.text ?? '', limits.matchCharacters);
}
