import { distance } from 'fastest-levenshtein';
import { isRecord } from '../bounded.ts';
import { grouped } from '../text.ts';

type SettingKind = 'string' | 'integer' | 'number' | 'boolean' | 'list' | 'choice';

/** What settings are for, in the order in which docs/inputs.md and the help of the command line show them. */
export const settingGroups = {
  common: 'What most people set',
  files: 'Pull requests and files',
  depth: 'Depth of the review',
  limits: 'Tokens, money and time',
  findings: 'Findings, and what is posted',
  conversation: 'Commands in comments',
  context: 'What the model knows',
  server: 'Model server',
  written: 'Files that Postil writes',
  other: 'Configuration, keys and jobs',
} as const;
export type SettingGroup = keyof typeof settingGroups;

/** One setting: the source of the parser, of the config file's JSON Schema, of action.yml's inputs and of the flags. */
export type Definition = {
  readonly group: SettingGroup;
  readonly kind: SettingKind;
  /** As a person writes it; left out where nothing is set. */
  readonly default?: string;
  readonly description: string;
  readonly choices?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  /** Only from inputs, flags or environment: a repository may not choose where the key goes or what is written where. */
  readonly locked?: true;
  /** Another value of it finds the same: the next push need not be reviewed in full because it changed. */
  readonly keepsFindings?: true;
  /** The config file may lower it, never raise it. */
  readonly limit?: true;
  /** A list in which YAML may also write an item as `name: text`, without quotes. */
  readonly pairs?: true;
  /** For text of a form of its own: what is allowed, when the items are not; null when they are. */
  readonly problem?: (items: readonly string[]) => string | null;
  /** What the items come to, when that is not their text. Items with a problem are left out. */
  readonly read?: (items: readonly string[]) => unknown;
};

export type SettingValue = string | number | boolean | readonly string[] | null;

type ReadValue = { readonly ok: true; readonly value: SettingValue } | { readonly ok: false; readonly allowed: string };

/** Reads one value as a person wrote it: text of an input, flag or variable, or a YAML scalar or list. '' is null, "not set". */
export function readValue(definition: Definition, written: unknown): ReadValue {
  if (definition.kind === 'list') return readList(definition, written);
  if (typeof written === 'object' && written !== null) return refused(definition);
  const text = written === null || written === undefined ? '' : String(written).trim();
  if (text === '') return { ok: true, value: null };
  switch (definition.kind) {
    case 'boolean':
      return readBoolean(definition, text);
    case 'integer':
    case 'number':
      return readNumber(definition, text);
    case 'choice':
      return definition.choices?.includes(text.toLowerCase())
        ? { ok: true, value: text.toLowerCase() }
        : refused(definition);
    case 'string':
      return { ok: true, value: text };
  }
}

/** Of one list: each is compared with each changed file. */
const maxItems = 1_000;

function readList({ pairs }: Definition, written: unknown): ReadValue {
  const whole = pairs && isRecord(written) ? [written] : written;
  const listed = Array.isArray(whole) ? whole : String(whole ?? '').split('\n');
  const items = pairs ? listed.flatMap(pairTexts) : listed;
  if (!items.every((item) => typeof item === 'string'))
    return { ok: false, allowed: 'text, one item per line, or a list of texts; quote those that hold a colon' };
  const values = items.map((item) => item.trim()).filter((item) => item !== '');
  // `none` and `[]` empty a list that has a default.
  if (values.join() === 'none' || (Array.isArray(written) && values.length === 0)) return { ok: true, value: [] };
  if (values.length > maxItems) return { ok: false, allowed: `at most ${grouped(maxItems)} items` };
  return { ok: true, value: values.length === 0 ? null : values };
}

/** Items of YAML such as `- src/**: Check it.`, which is a mapping without quotes. */
function pairTexts(item: unknown): readonly unknown[] {
  if (!isRecord(item)) return [item];
  return Object.entries(item).map(([name, text]) => (typeof text === 'string' ? `${name}: ${text}` : item));
}

function readBoolean(definition: Definition, text: string): ReadValue {
  if (/^(true|yes|on|1)$/i.test(text)) return { ok: true, value: true };
  if (/^(false|no|off|0)$/i.test(text)) return { ok: true, value: false };
  return refused(definition);
}

function readNumber(definition: Definition, text: string): ReadValue {
  const value = /^-?\d[\d_,]*(\.\d+)?$|^-?\.\d+$/.test(text) ? Number(text.replaceAll(/[_,]/g, '')) : Number.NaN;
  const whole = definition.kind === 'number' || Number.isInteger(value);
  const inside = value >= (definition.minimum ?? -Infinity) && value <= (definition.maximum ?? Infinity);
  return whole && inside ? { ok: true, value } : refused(definition);
}

function refused(definition: Definition): ReadValue {
  return { ok: false, allowed: allowedValues(definition) };
}

/** What a person may write, in words. */
function allowedValues(definition: Definition): string {
  const range = `from ${definition.minimum ?? 'any'} to ${definition.maximum ?? 'any'}`;
  switch (definition.kind) {
    case 'boolean':
      return 'true or false';
    case 'integer':
      return `a whole number ${range}`;
    case 'number':
      return `a number ${range}`;
    case 'choice':
      return (definition.choices ?? []).join(', ');
    case 'list':
      return 'text, one item per line';
    case 'string':
      return 'text';
  }
}

/** Most severe first. */
export const severities = ['critical', 'warning', 'info', 'nitpick'] as const;
export type Severity = (typeof severities)[number];

/** What each of them means: for whoever writes a finding, whoever verifies it, and for people (docs/reviews.md). */
export const severityDefinitions =
  'critical = loses data, opens a hole, crashes or is wrong in ordinary use. warning = a real defect in a case that occurs. info = small, still worth fixing. nitpick = trivial.';

export const categories = [
  'bug',
  'security',
  'performance',
  'maintainability',
  'test',
  'style',
  'documentation',
  'other',
] as const;
export type Category = (typeof categories)[number];

/** True when `one` is as severe as `other`, or more. */
export function atLeast(one: Severity, other: Severity): boolean {
  return severities.indexOf(one) <= severities.indexOf(other);
}

/** The name that a misspelled one probably means; null when none is near. */
export function nearest(name: string, names: readonly string[]): string | null {
  const ranked = names
    .map((candidate) => ({ candidate, far: distance(name.toLowerCase().replaceAll('_', '-'), candidate) }))
    .sort((one, other) => one.far - other.far);
  const best = ranked[0];
  return best !== undefined && best.far <= Math.max(2, Math.floor(name.length / 3)) ? best.candidate : null;
}
