import { stringify } from 'yaml';
import { textAt } from '../every-pair.ts';
import { normalise } from './normalise.ts';

export type SurfaceRun = {
  readonly title: string;
  /** Such as its exit code; null for what does not run. */
  end: string | null;
  /** Texts, or values that are shown as YAML, by their headings. */
  sections: { [heading: string]: unknown };
};

export type SurfaceWrite = {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  /** Null when nothing was answered. */
  readonly status: number | null;
};

/** Runs that overlap, and what they write to GitHub. */
export type SurfaceGroup = { readonly runs: SurfaceRun[]; readonly writes: SurfaceWrite[] };

/** All that a test saw, as text. */
export function renderSurfaces(groups: readonly SurfaceGroup[]): string {
  let count = 0;
  const parts = groups.flatMap(({ runs, writes }) => {
    if (runs.length > 1) {
      count += runs.length;
      return [`${line('=')} ${runs.length} runs at once: what they show depends on which is first\n`];
    }
    return [...runs.map((run) => renderRun(run, ++count)), ...renderWrites(writes)];
  });
  return normalise(parts.join('\n'));
}

function renderRun({ title, end, sections }: SurfaceRun, number: number): string {
  const shown = Object.entries(sections).map(([heading, value]) => [heading, textOf(value).trimEnd()] as const);
  const texts = shown.flatMap(([heading, text]) => (text === '' ? [] : `${line('-')} ${heading}\n${text}\n`));
  return `${line('=')} ${number}. ${title}${end === null ? '' : `: ${end}`}\n${texts.join('')}`;
}

function renderWrites(writes: readonly SurfaceWrite[]): readonly string[] {
  return writes.length === 0 ? [] : [`${line('=')} Written to GitHub\n${writes.map(renderWrite).join('')}`];
}

function renderWrite({ method, path, body, status }: SurfaceWrite): string {
  const query = textAt(body, 'query');
  const [mutation] = /mutation \w+/.exec(query) ?? [];
  const [title, value] = mutation === undefined ? [`${method} ${path}`, body] : [mutation, variablesOf(body)];
  return `${line('-')} ${title} → ${status ?? 'no answer'}\n${textOf(value)}`;
}

function variablesOf(body: unknown): unknown {
  return typeof body === 'object' && body !== null && 'variables' in body ? body.variables : null;
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const isEmpty = value === null || (typeof value === 'object' && Object.keys(value).length === 0);
  return isEmpty ? '' : stringify(value, { lineWidth: 0, blockQuote: 'literal' });
}

function line(of: string): string {
  return of.repeat(8);
}
