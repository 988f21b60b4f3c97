export type Unit =
  | 'ms'
  | 'min'
  | 's'
  | 'MiB'
  | 'MB'
  | 'tokens'
  | '%'
  | 'times'
  | 'requests'
  | 'names'
  | 'calls'
  | 'lines'
  | 'KiB';

/** One line of the table. Numbers are in `unit`. */
export type Row = {
  readonly measure: string;
  /** The median where there are several. */
  readonly measured: number;
  readonly unit: Unit;
  /** What is promised; null for a number that only explains another. */
  readonly promised: { readonly atMost: number } | { readonly atLeast: number } | null;
  /** User and system time of all processes, for a measure of time; null where the system does not tell. */
  readonly cpu?: number | null;
};

/** `busy`: the clock says no, but the work itself would have fitted: other processes had the cores. */
export type Verdict = 'yes' | 'busy' | 'no' | null;

export function verdictOf({ measured, promised, cpu }: Row): Verdict {
  if (promised === null) return null;
  if ('atLeast' in promised) return measured >= promised.atLeast ? 'yes' : 'no';
  if (measured <= promised.atMost) return 'yes';
  return typeof cpu === 'number' && cpu <= promised.atMost ? 'busy' : 'no';
}
