import type { Parsed } from '../schema.ts';

/** 1-based, inclusive, in order. */
export type LineRange = { readonly start: number; readonly end: number };

const oneOrTwoLines = /^(?:lines?\s*)?l?(\d{1,9})(?:\s*(?:-|–|—|\.\.|to)\s*l?(\d{1,9}))?$/i;

/** Reads `42`, `10-25`, `L10-L25`; `20-10` is swapped. Anything else is a problem that the model reads. */
export function parseLineRange(text: string): Parsed<LineRange> {
  const found = oneOrTwoLines.exec(text.trim());
  if (found === null) return problem(text);

  const one = Number(found[1]);
  const other = Number(found[2] ?? found[1]);
  if (one < 1 || other < 1) return problem(text);
  return { ok: true, value: { start: Math.min(one, other), end: Math.max(one, other) } };
}

export function formatLineRange(range: LineRange): string {
  return range.start === range.end ? String(range.start) : `${range.start}-${range.end}`;
}

function problem(text: string): Parsed<never> {
  const told = JSON.stringify(text.slice(0, 40));
  return {
    ok: false,
    problems: [`lines is ${told}: write one line from 1 such as "42", or one range such as "10-25"`],
  };
}
