import type { Side } from '../repository/repository.ts';
import { exactly, type Infer, type Parsed } from '../schema.ts';
import type { Severity } from '../settings/setting.ts';

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

/** Reads `src/a.ts:12-20`; null for anything else. */
export function parsePlace(text: string): { readonly path: string; readonly range: LineRange } | null {
  const at = text.lastIndexOf(':');
  const range = at < 1 ? null : parseLineRange(text.slice(at + 1));
  return range?.ok === true ? { path: text.slice(0, at), range: range.value } : null;
}

/** Lines that show something, on the wire and in the report file. */
export const citationSchema = exactly({
  path: { type: 'string' },
  side: { enum: ['RIGHT', 'LEFT'] },
  lines: { type: ['string', 'null'], description: 'null: the whole file.' },
  shows: { type: 'string', description: 'What they prove, in 15 words.' },
});

/** One place that evidence rests on. */
export type Citation = Infer<typeof citationSchema>;

/** What models call the old side; all else is the new one. */
export function sideWord(value: unknown): Side {
  return /^(?:left|old|base|before)$/i.test(textOf(value)) ? 'LEFT' : 'RIGHT';
}

export type JsonObject = { readonly [name: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The first of these properties that the object has itself and that is not null; null when there is none. */
export function firstOf(object: JsonObject, ...names: readonly string[]): unknown {
  for (const name of names) {
    const value = Object.hasOwn(object, name) ? object[name] : null;
    if (value !== null && value !== undefined) return value;
  }
  return null;
}

/** What models call severities. */
const aliases: { readonly [alias: string]: Severity } = {
  blocker: 'critical',
  blocking: 'critical',
  catastrophic: 'critical',
  fatal: 'critical',
  p0: 'critical',
  severe: 'critical',
  error: 'warning',
  high: 'warning',
  major: 'warning',
  medium: 'info',
  minor: 'info',
  low: 'info',
  nit: 'nitpick',
  style: 'nitpick',
};

/** The severity that a word stands for; a word without a meaning comes back as it is. */
export function severityWord(word: string): string {
  return Object.hasOwn(aliases, word) ? (aliases[word] ?? word) : word;
}

/** Lines that a model asks to see before it decides. Both lines are 1-based and inclusive. */
export type ContextRequest = {
  readonly file: string;
  readonly lineStart: number;
  readonly lineEnd: number;
  readonly reason: string;
};

export type ReadRequest =
  | { readonly ok: true; readonly request: ContextRequest }
  | { readonly ok: false; readonly file: string; readonly problem: string };

/**
 * What `submit_review` has more in the profile `follow-up`. Each is null where it does not apply: both calls offer the same bytes, so that the
 * second one finds the first one's prompt in the provider's cache.
 */
export const followUpFields = {
  confirmed: { type: ['array', 'null'], items: { type: 'integer' } },
  dismissed: {
    type: ['array', 'null'],
    items: exactly({ finding: { type: 'integer' }, reason: { type: 'string' } }),
  },
  context_request: {
    ...exactly({
      file: { type: 'string' },
      line_start: { type: 'integer' },
      line_end: { type: 'integer' },
      reason: { type: 'string', description: 'What those lines decide.' },
    }),
    type: ['object', 'null'],
  },
} as const;

/** Reads a request as kindly as can be; null when there is none. Never throws. */
export function readContextRequest(value: unknown): ReadRequest | null {
  if (!isObject(value)) return null;
  const file = textOf(firstOf(value, 'file', 'path'));
  const lineStart = lineOf(firstOf(value, 'line_start', 'start_line'));
  const lineEnd = lineOf(firstOf(value, 'line_end', 'end_line'));
  if (file === '') return { ok: false, file, problem: 'it names no file' };
  if (lineStart === null || lineEnd === null) {
    return { ok: false, file, problem: 'it gives no range of lines: line_start and line_end must be lines from 1' };
  }
  if (lineStart > lineEnd) return { ok: false, file, problem: `line ${lineStart} comes after line ${lineEnd}` };
  return { ok: true, request: { file, lineStart, lineEnd, reason: textOf(firstOf(value, 'reason')) } };
}

/** What a model makes of its own findings, numbered from 1. */
export type OwnVerdicts = {
  readonly confirmed: readonly number[];
  readonly dismissed: readonly { readonly finding: number; readonly reason: string }[];
};

/** Null when the object says nothing of them. A dismissal says why, or it is none. Never throws. */
export function readOwnVerdicts(object: JsonObject): OwnVerdicts | null {
  const [confirmed, dismissed] = [firstOf(object, 'confirmed'), firstOf(object, 'dismissed')];
  if (confirmed === null && dismissed === null) return null;
  return {
    confirmed: listIn(confirmed).flatMap((item) => numberOf(item) ?? []),
    dismissed: listIn(dismissed).flatMap((item) => {
      const finding = numberOf(item);
      const reason = isObject(item) ? textOf(firstOf(item, 'reason')) : '';
      return finding === null || reason === '' ? [] : [{ finding, reason }];
    }),
  };
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** `2`, `"2"`, `"#2"`, `{finding: 2}`; null for what is no number from 1. */
export function numberOf(item: unknown): number | null {
  const value = isObject(item) ? firstOf(item, 'finding', 'id', 'number') : item;
  return lineOf(typeof value === 'string' ? value.replace('#', '') : value);
}

/** Empty for what is no text. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

/** A number, also written as text. */
function lineOf(value: unknown): number | null {
  const line = typeof value === 'string' && /^\d{1,9}$/.test(value.trim()) ? Number(value) : value;
  return typeof line === 'number' && Number.isSafeInteger(line) && line >= 1 ? line : null;
}
