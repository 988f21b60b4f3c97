import { type ReadJson, readJsonText } from '../json-text.ts';
import type { Parsed, Schema } from '../schema.ts';
import type { ToolCall } from './message.ts';

export type ParsedArguments =
  | { readonly ok: true; readonly value: unknown }
  /** What the model reads. */
  | { readonly ok: false; readonly problem: string };

/**
 * The arguments of a call: JSON, then the tool's schema. No text at all is an empty object, and a nullable argument
 * that was left out is null, because models that do not keep to strict schemas leave them out.
 */
export function parseArguments(
  call: ToolCall,
  tool: { readonly parameters: Schema; parse(value: unknown): Parsed<unknown> },
): ParsedArguments {
  const json = jsonOf(call.arguments);
  if (!json.ok) {
    const problem = `The arguments of ${call.name} are not valid JSON (${json.problem}). Send one JSON object.`;
    return { ok: false, problem };
  }
  const parsed = tool.parse(withNulls(json.value, tool.parameters));
  if (parsed.ok) return parsed;
  return { ok: false, problem: `The arguments of ${call.name} are not valid: ${parsed.problems.join('; ')}.` };
}

export function isJson(text: string): boolean {
  return jsonOf(text).ok;
}

function jsonOf(text: string): ReadJson {
  return text.trim() === '' ? { ok: true, value: {} } : readJsonText(text);
}

function withNulls(value: unknown, schema: Schema): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const nullable = Object.entries(schema.properties ?? {}).filter(([, property]) => property.type?.includes('null'));
  return { ...Object.fromEntries(nullable.map(([name]) => [name, null])), ...value };
}
