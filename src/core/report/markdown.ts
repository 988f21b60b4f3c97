import { visibleLine } from './invisible.ts';

/** Text as a code span on one line, whatever backticks it holds. */
export function codeSpan(text: string): string {
  const line = visibleLine(text);
  if (line === '') return '';
  const marks = '`'.repeat(longestRun(line) + 1);
  const padding = /^`|`$/.test(line) ? ' ' : '';
  return `${marks}${padding}${line}${padding}${marks}`;
}

/** A fenced block whose fence is longer than any in the code (FAILURES P12). */
export function fenced(code: string, info: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(code) + 1));
  return [`${fence}${info}`, ...(code === '' ? [] : [code]), fence].join('\n');
}

/** A fold that starts closed. `summary` is HTML of ours, `body` is Markdown. */
export function details(summary: string, body: string): string {
  return `<details><summary>${summary}</summary>\n\n${body}\n\n</details>`;
}

/** A table of Markdown cells. Newlines and pipes in them are taken care of. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [header, header.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n');
}

/** A link around Markdown of ours, or that Markdown alone where there is no address. */
export function linked(label: string, url: string | null): string {
  return url === null ? label : `[${label}](${url})`;
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
}

// A pipe behind an odd number of backslashes is escaped already.
function cell(text: string): string {
  return text
    .replace(/\s*\n\s*/g, ' ')
    .replace(/(\\*)\|/g, (pipe, slashes: string) => (slashes.length % 2 === 0 ? `${slashes}\\|` : pipe))
    .trim();
}
