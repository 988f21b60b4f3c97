import type { Schema } from '../schema.ts';
import { details } from './details.ts';
import { en } from './en.ts';
import { type Message, maxLevels, type Template } from './message.ts';

/** The form of a message in a file: a code and the parameters of its English template, within the bounds that the file has for texts and lists. */
export const messageSchema = { type: 'object', check: isMessage, examples: noExamples<Message>() } as const;

export const messageOrNullSchema = {
  type: ['object', 'null'],
  check: isMessage,
  examples: noExamples<Message | null>(),
} as const;

/** Gives a schema the type of its values where they are not described. */
function noExamples<T>(): readonly T[] {
  return [];
}

type Bounds = Pick<Schema, 'maxLength' | 'maxItems'>;

const templates = new Map<string, Template>(Object.entries({ ...details, ...en }));

/**
 * Whether somebody's object is a message that can be printed in time. A code that this version does not know is one, for the file may be of another
 * version: it prints nothing. Its parameters have the bounds of all others.
 */
function isMessage(value: unknown, bounds: Bounds, levels = maxLevels): boolean {
  if (levels === 0 || typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const parameters = new Map<string, unknown>(Object.entries(value));
  const code = parameters.get('code');
  if (typeof code !== 'string' || code.length > longestName) return false;
  parameters.delete('code');
  const template = templates.get(code);
  const kinds = template === undefined ? null : kindsIn(template);
  if (kinds !== null && kinds.size !== parameters.size) return false;
  return [...parameters].every(([name, item]) => {
    const kind = kinds === null ? kindOf(item) : kinds.get(name);
    return name.length <= longestName && kind === kindOf(item) && isWithin(item, bounds, levels);
  });
}

const longestName = 100;

type Kind = 'text' | 'number' | 'list' | 'message';

/** The parameters of a template, by their names. */
function kindsIn(template: Template): ReadonlyMap<string, string> {
  const pattern = typeof template === 'string' ? template : `${template.one}${template.other}`;
  return new Map([...pattern.matchAll(/\{(\w+)(?::(\w+))?/g)].map(([, name = '', kind = 'text']) => [name, kind]));
}

function kindOf(value: unknown): Kind | null {
  if (typeof value === 'string') return 'text';
  if (typeof value === 'number') return 'number';
  if (Array.isArray(value)) return 'list';
  return typeof value === 'object' ? 'message' : null;
}

function isWithin(value: unknown, bounds: Bounds, levels: number): boolean {
  const { maxLength = Number.POSITIVE_INFINITY, maxItems = Number.POSITIVE_INFINITY } = bounds;
  if (typeof value === 'string') return value.length <= maxLength;
  if (typeof value === 'number') return Number.isFinite(value);
  if (!Array.isArray(value)) return isMessage(value, bounds, levels - 1);
  return value.length <= maxItems && value.every((item) => isMessage(item, bounds, levels - 1));
}
