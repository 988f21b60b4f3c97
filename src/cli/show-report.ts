import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { requireThere } from '../adapters/files/folder.ts';
import { readCallDetails, readRegularFile } from '../adapters/files/recorders.ts';
import { writeWhole } from '../adapters/files/write.ts';
import { paintFor, widthOf } from '../adapters/terminal/terminal.ts';
import { readJsonText } from '../core/bounded.ts';
import { encode } from '../core/codec.ts';
import { UserError } from '../core/errors.ts';
import { inEnglish } from '../core/messages/languages.ts';
import { renderCommands } from '../core/report/annotations.ts';
import { renderHtml } from '../core/report/html/render-html.ts';
import { recordFrom, renderReport } from '../core/report/json.ts';
import { renderSarif } from '../core/report/sarif.ts';
import { renderSummary } from '../core/report/summary.ts';
import { renderLines, renderPrompt, renderTerminalReport } from '../core/report/terminal.ts';
import { neutralise, visibleLine } from '../core/report/text.ts';
import type { RenderContext } from '../core/report/wording.ts';
import { parseReport, type ReviewReport, reportSchema } from '../core/review/record.ts';
import type { ReviewRecord } from '../core/review/sink.ts';
import { fileOutputs } from '../core/settings/files.ts';
import { version } from '../run/machine.ts';
import { requireWritable } from '../run/output-files.ts';
import type { Format } from './command.ts';

/** What `--format` prints on stdout of a review. */
export function rendererFor(
  format: Format,
  context: RenderContext,
  { quiet = false } = {},
): (record: ReviewRecord) => string {
  const { redact } = context;
  switch (format) {
    case 'text':
      return (record) => terminalText(record, { redact, quiet });
    case 'json':
      return (record) => jsonText(renderReport(record, context));
    case 'sarif':
      return (record) => jsonText(renderSarif(record, { ...context, version }));
    case 'markdown':
      return (record) => renderSummary(record, { ...context, redact: harmless(redact) });
    case 'github':
      return ({ review }) => renderCommands(review, redact);
    case 'prompt':
      return (record) => renderPrompt(record, harmless(redact));
    case 'unix':
      return (record) => renderLines(record, harmless(redact));
  }
}

function terminalText(
  record: ReviewRecord,
  { redact, quiet }: { readonly redact: RenderContext['redact']; readonly quiet: boolean },
): string {
  const { stdout } = process;
  const options = { paint: paintFor(stdout), redact: harmless(redact), width: widthOf(stdout), quiet };
  const text = renderTerminalReport(record, options);
  // On a terminal what went before stands right above.
  return stdout.isTTY === true && !quiet ? `\n${text}` : text;
}

/** `##[` begins a command for the runner of a job wherever it stands: this is the same value. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2).replaceAll('##[', '#\\u0023[')}\n`;
}

/** What was asked for and could not be written, although everything else was: one sentence each. */
export function undeliveredFiles(deliveries: ReviewRecord['deliveries']): readonly string[] {
  const problem = (sink: string) =>
    sink === 'terminal' ? 'The review could not be printed.' : `Not written: ${sink}.`;
  return deliveries.flatMap((one) =>
    one.status === 'failed' ? `${problem(one.sink)} ${inEnglish.sentences(one.reason)}`.trim() : [],
  );
}

/** Where the files are that were asked for, each in a line that nothing cuts. */
export function tellWritten(deliveries: ReviewRecord['deliveries']): void {
  for (const { sink, status, url } of deliveries) {
    const isFile = status === 'delivered' && url !== null && fileOutputs.some((name) => name === sink);
    if (isFile) process.stderr.write(`Written: ${visibleLine(harmless(same)(url))}\n`);
  }
}

function same(text: string): string {
  return text;
}

/** In a job the runner reads what is printed, and takes some of it for commands. */
export function harmless(redact: (text: string) => string): (text: string) => string {
  return process.env['GITHUB_ACTIONS'] === 'true' ? (text) => neutralise(redact(text)) : redact;
}

type ReportRequest = {
  readonly path: string;
  /** Null: nothing is printed. */
  readonly format: Format | null;
  /** Null: no page is written. */
  readonly reportHtml: string | null;
  /** Null: the one beside the report, where there is one. */
  readonly transcript: string | null;
  readonly open: boolean;
};

/** `postil report FILE`: the report file of a run, printed in a format, and as one HTML page that the browser shows when asked. */
export async function showReport(
  { path, format, reportHtml, transcript, open }: ReportRequest,
  print = (text: string): unknown => process.stdout.write(text),
): Promise<number> {
  requireWritable({ 'report-html': reportHtml ?? '' }, { read: path });
  const report = readReport(path);
  // The file comes without its secrets.
  const redact = (text: string) => text;
  const { record, context } = recordFrom(report);
  if (format === 'json') print(jsonText(encode(reportSchema, report, redact)));
  else if (format !== null) print(rendererFor(format, { ...context, redact, name: 'Postil' })(record));
  if (reportHtml === null) return 0;
  if (transcript !== null) requireThere(transcript, 'file', hintOfTranscript);
  const recorded = transcript ?? transcriptBeside(path, report);
  const { details, problem } = recorded === null ? { details: [], problem: null } : readCallDetails(recorded, report);
  if (problem !== null && transcript !== null) {
    throw new UserError(problem, { hint: hintOfTranscript });
  }
  await writePage(reportHtml, renderHtml(report, details));
  if (format === null)
    print(`${problem === null ? '' : `${visibleLine(problem)}\n`}Written: ${visibleLine(reportHtml)}\n`);
  if (open) openInBrowser(resolve(reportHtml));
  return 0;
}

const hintOfTranscript = 'Name the file that `transcript-file` of the same run named.';

async function writePage(path: string, page: string): Promise<void> {
  try {
    await writeWhole(path, page);
  } catch (cause) {
    const hint = 'Name another file with --report-html.';
    throw new UserError(`The page could not be written to ${path}.`, { hint, cause });
  }
}

function readReport(path: string): ReviewReport {
  const hint = 'Name the file that `report-file` of a run named.';
  requireThere(path, 'file', hint);
  let text: string;
  try {
    text = readRegularFile(path);
  } catch (cause) {
    throw new UserError(`The report ${path} cannot be read.`, { hint, cause });
  }
  if (text.startsWith('{"type":"start"')) {
    throw new UserError(`${path} is a transcript.`, { hint: 'Use postil replay FILE --report-html PATH.' });
  }
  const value = readJsonText(text);
  if (!value.ok) throw new UserError(`The report ${path} is not JSON that can be read.`, { hint });
  const parsed = parseReport(value.value);
  if (parsed.ok) return parsed.value;
  const isReport = typeof value.value === 'object' && value.value !== null && 'schema_version' in value.value;
  if (!isReport) throw new UserError(`${path} is no report of Postil.`, { hint });
  throw new UserError(`${path} is no report of this version of Postil: ${parsed.problems.slice(0, 3).join('; ')}.`, {
    hint,
  });
}

/** In the folder of the report: a file of the name that the run gave it, else of the report's own name. */
function transcriptBeside(path: string, { deliveries }: ReviewReport): string | null {
  const named = deliveries.find(({ sink, url }) => sink === 'transcript-file' && url !== null)?.url ?? '';
  const names = [basename(named), `${basename(path).replace(/\.json$/, '')}.jsonl`].filter((name) => name !== '');
  return names.map((name) => join(dirname(path), name)).find((place) => existsSync(place)) ?? null;
}

/** The path is an argument of its own: no shell reads it. */
function openInBrowser(path: string): void {
  const program = process.platform === 'darwin' ? 'open' : process.platform === 'win32' ? 'explorer' : 'xdg-open';
  spawn(program, [path], { detached: true, stdio: 'ignore' })
    .on('error', () => undefined)
    .unref();
}
