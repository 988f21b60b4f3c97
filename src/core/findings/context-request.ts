import { firstOf, isObject } from './json-value.ts';

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

export const contextRequestSchema = {
  type: ['object', 'null'],
  additionalProperties: false,
  required: ['file', 'line_start', 'line_end', 'reason'],
  properties: {
    file: { type: 'string', description: 'A path of the diff, or of the code around it.' },
    line_start: { type: 'integer' },
    line_end: { type: 'integer' },
    reason: { type: 'string', description: 'What those lines decide.' },
  },
  description: 'Lines that you must see to decide; null when you need none.',
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

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

/** A number, also written as text. */
function lineOf(value: unknown): number | null {
  const line = typeof value === 'string' && /^\d{1,9}$/.test(value.trim()) ? Number(value) : value;
  return typeof line === 'number' && Number.isSafeInteger(line) && line >= 1 ? line : null;
}
