import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { requireOwnPath } from '../adapters/files/own-path.ts';
import { explain, UserError } from '../core/errors.ts';
import { renderHtml } from '../core/report/html/render-html.ts';
import { parseReviewReport, type ReviewReport } from '../core/report/json-schema.ts';
import { visibleLine } from '../core/report/text.ts';

/** `postil report FILE`: the report file of a run as one HTML page, which opens in the browser when that is asked for. */
export async function writeReportPage(
  { path, reportHtml, open }: { path: string; reportHtml: string; open: boolean },
  print: (text: string) => void,
): Promise<number> {
  const report = await readReport(path);
  try {
    requireOwnPath(reportHtml, process.cwd());
    await writeFile(reportHtml, renderHtml(report), 'utf8');
  } catch (cause) {
    const hint = 'Name another file with --report-html.';
    throw new UserError(`The page could not be written to ${reportHtml}. ${explain(cause)}`, { hint, cause });
  }
  print(`Written: ${visibleLine(reportHtml)}\n`);
  if (open) openInBrowser(resolve(reportHtml));
  return 0;
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
