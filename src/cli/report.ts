import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { requireOwnPath } from '../adapters/files/own-path.ts';
import { paintFor, widthOf } from '../adapters/terminal/terminal.ts';
import { explain, UserError } from '../core/errors.ts';
import { renderCommands } from '../core/report/annotations.ts';
import { fromReport } from '../core/report/from-report.ts';
import { renderHtml } from '../core/report/html/render-html.ts';
import { renderReport } from '../core/report/json.ts';
import { parseReviewReport, type ReviewReport } from '../core/report/json-schema.ts';
import { renderSarif } from '../core/report/sarif.ts';
import { renderSummary } from '../core/report/summary.ts';
import { renderTerminalReport } from '../core/report/terminal.ts';
import { neutralise, visibleLine } from '../core/report/text.ts';
import type { RenderContext } from '../core/report/wording.ts';
import type { ReviewRecord } from '../core/review/sink.ts';
import { version } from '../surroundings.ts';
import type { Command, Format } from './arguments.ts';

/** What `--format` prints on stdout of a review. */
export function rendererFor(format: Format, context: RenderContext): (record: ReviewRecord) => string {
  const { redact } = context;
  switch (format) {
    case 'text':
      return (record) => terminalText(record, redact);
    case 'json':
      return (record) => jsonText(renderReport(record, context));
    case 'sarif':
      return (record) => jsonText(renderSarif(record, { ...context, version }));
    case 'markdown':
      return (record) => renderSummary(record, { ...context, redact: harmless(redact) });
    case 'github':
      return ({ review }) => renderCommands(review, redact);
  }
}

function terminalText(record: ReviewRecord, redact: RenderContext['redact']): string {
  const { stdout } = process;
  const text = renderTerminalReport(record, {
    paint: paintFor(stdout),
    redact: harmless(redact),
    width: widthOf(stdout),
  });
  // On a terminal what went before stands right above.
  return stdout.isTTY === true ? `\n${text}` : text;
}

/** `##[` begins a command for the runner of a job wherever it stands: this is the same value. */
function jsonText(value: object): string {
  return `${JSON.stringify(value, null, 2).replaceAll('##[', '#\\u0023[')}\n`;
}

/** In a job the runner reads what is printed, and takes some of it for commands. */
export function harmless(redact: (text: string) => string): (text: string) => string {
  return process.env['GITHUB_ACTIONS'] === 'true' ? (text) => neutralise(redact(text)) : redact;
}

/** `postil report FILE`: the report file of a run, printed in a format, and as one HTML page that the browser shows when asked. */
export async function showReport(
  { path, format, reportHtml, open }: Extract<Command, { kind: 'report' }>,
  print: (text: string) => void,
): Promise<number> {
  const report = await readReport(path);
  // The file comes without its secrets.
  const redact = (text: string) => text;
  const { record, context } = fromReport(report);
  if (format === 'json') print(jsonText(report));
  else if (format !== null) print(rendererFor(format, { ...context, redact, name: 'Postil' })(record));
  if (reportHtml === null) return 0;
  await writePage(reportHtml, report);
  if (format === null) print(`Written: ${visibleLine(reportHtml)}\n`);
  if (open) openInBrowser(resolve(reportHtml));
  return 0;
}

async function writePage(path: string, report: ReviewReport): Promise<void> {
  try {
    requireOwnPath(path, process.cwd());
    await writeFile(path, renderHtml(report), 'utf8');
  } catch (cause) {
    const hint = 'Name another file with --report-html.';
    throw new UserError(`The page could not be written to ${path}. ${explain(cause)}`, { hint, cause });
  }
}

async function readReport(path: string): Promise<ReviewReport> {
  const hint = 'Name the file that `report-file` of a run named.';
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new UserError(`The report ${path} cannot be read. ${explain(cause)}`, { hint, cause });
  });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new UserError(`The report ${path} is not JSON.`, { hint, cause });
  }
  const parsed = parseReviewReport(value);
  if (parsed.ok) return parsed.value;
  throw new UserError(`${path} is no report of this version of Postil: ${parsed.problems.slice(0, 3).join('; ')}.`, {
    hint,
  });
}

/** The path is an argument of its own: no shell reads it. */
function openInBrowser(path: string): void {
  const program = process.platform === 'darwin' ? 'open' : process.platform === 'win32' ? 'explorer' : 'xdg-open';
  spawn(program, [path], { detached: true, stdio: 'ignore' })
    .on('error', () => undefined)
    .unref();
}
