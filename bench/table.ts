import { type Row, type Unit, type Verdict, verdictOf } from './row.ts';

/** The rows as a Markdown table whose columns line up. */
export function renderTable(rows: readonly Row[]): string {
  const cells = [
    ['measure', 'measured', 'CPU', 'promised', 'ok?'],
    ...rows.map((row) => [
      row.measure,
      quantity(row.measured, row.unit),
      typeof row.cpu === 'number' ? quantity(row.cpu, row.unit) : '',
      promise(row),
      words[verdictOf(row) ?? 'none'],
    ]),
  ];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  const lines = cells.map((line) => `| ${line.map((cell, column) => pad(cell, { column, widths })).join(' | ')} |`);
  const rule = `|${widths.map((width, column) => `${'-'.repeat(width + 1)}${isNumber(column) ? ':' : '-'}`).join('|')}|`;
  return [lines[0], rule, ...lines.slice(1)].join('\n');
}

const words: Readonly<Record<NonNullable<Verdict> | 'none', string>> = {
  yes: 'yes',
  busy: 'yes by CPU: the machine was busy',
  no: 'NO',
  none: '',
};

function promise({ promised, unit }: Row): string {
  if (promised === null) return '';
  return 'atMost' in promised ? `≤ ${quantity(promised.atMost, unit)}` : `≥ ${quantity(promised.atLeast, unit)}`;
}

const digits: Readonly<Record<Unit, number>> = {
  ms: 1,
  min: 1,
  s: 1,
  MiB: 0,
  MB: 2,
  tokens: 0,
  '%': 1,
  times: 2,
  requests: 0,
  names: 0,
  calls: 0,
  lines: 0,
  KiB: 0,
};

function quantity(value: number, unit: Unit): string {
  return `${value.toLocaleString('en-US', { maximumFractionDigits: digits[unit] })} ${unit}`;
}

function pad(cell: string, { column, widths }: { column: number; widths: readonly number[] }): string {
  const width = widths[column] ?? 0;
  return isNumber(column) ? cell.padStart(width) : cell.padEnd(width);
}

function isNumber(column: number): boolean {
  return column > 0 && column < 4;
}
