import { readJsonText } from '../../core/json-text.ts';

/** An answer is read field by field: compatible servers leave out, null or retype nearly everything. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function field(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The string, or '' for everything else. */
export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A number of tokens; null when it is none. */
export function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.round(value) : null;
}

/** Undefined when the text is not JSON, or nested too deep. */
export function parseJson(written: string): unknown {
  const read = readJsonText(written);
  return read.ok ? read.value : undefined;
}
