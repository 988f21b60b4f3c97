import { defineTool, type Tool } from '../agent/tool.ts';
import { cutLine } from '../repository/cut-line.ts';
import type { History, Log, LogEntry } from '../repository/repository.ts';
import { shown, splitLines } from '../repository/shown.ts';
import { explainMissing } from './explain-missing.ts';
import { nameOf, pathOf } from './file-name.ts';
import { fitRows } from './fit-rows.ts';
import { limits } from './limits.ts';
import type { Files } from './sources.ts';

const defaultEntries = 10;
const bodyLines = 6;

export function getGitLog(files: Files, history: History): Tool {
  return defineTool({
    name: 'get_git_log',
    description: `The last commits (null: ${defaultEntries}, at most ${limits.logEntries}) that touched a file or directory (null: any), newest first, as \`commit date author: subject\` with the first lines of the message.`,
    parameters: {
      type: 'object',
      additionalProperties: false,
      required: ['path', 'count'],
      properties: { path: { type: ['string', 'null'] }, count: { type: ['integer', 'null'] } },
    },
    run: async (call) => {
      const path = pathOf(call.path ?? '');
      const log = await history.log(path, Math.min(limits.logEntries, Math.max(1, call.count ?? defaultEntries)));
      if (log.entries.length === 0) return explainEmpty(files, { path, log });
      return render(log);
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

function render(log: Log): string {
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
