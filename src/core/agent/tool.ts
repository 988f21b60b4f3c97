import { type ReadJson, readJsonText } from '../bounded.ts';
import type { Parsed, Schema } from '../schema.ts';
import type { ImagePart, ToolCall } from './message.ts';
import type { ToolDefinition, Usage } from './model.ts';

/** Called for each call to a server that a tool itself made. It is settled with the budget by whoever made it. */
export type Spend = (used: { usage: Usage /** US$; null without a price. */; cost: number | null }) => void;

/** What a call gives: text, and where there are any the images that the text speaks of. */
export type ToolResult = string | { readonly text: string; readonly images: readonly ImagePart[] };

/** A call of a reading tool with its arguments parsed. */
export type ReadyCall = {
  /** The file or directory that it names, as the model wrote it; null where it names none. */
  readonly path: string | null;
  /** @throws ToolError with a text that helps the model. */
  run(signal: AbortSignal, spend?: Spend): Promise<ToolResult>;
};

/** What a tool says of itself: nobody else needs to know its name. */
export type ToolTraits = {
  /** What an answer shows of the file at its path, which then counts as read: numbered lines, or all that changed in it. */
  readonly shows?: 'lines' | 'diff';
  /** A verifier may read with it. Every further tool costs each verification tokens, so only what decides most claims is worth it. */
  readonly verifies?: boolean;
};

/** A reading tool as the loop sees it. */
export type Tool = ToolDefinition & ToolTraits & { parse(value: unknown): Parsed<ReadyCall> };

/** `text` is the answer that the model gets, `told` what came of it in a few words for people. */
export type SubmissionAnswer = { readonly done: boolean; readonly text: string; readonly told?: string };

/** The tool that ends a run. `done: false` hands `text` back to the model, which answers again. */
export type FinishingTool = ToolDefinition & {
  parse(value: unknown): Parsed<unknown>;
  /** `also` are the arguments of further calls in the same answer: all of them count as one. */
  finish(argumentsOfCall: unknown, also?: readonly unknown[]): Promise<SubmissionAnswer>;
  /** Takes what is complete of arguments that were cut at the output limit. @returns what the model reads; null when it brought nothing new */
  takeCut?(argumentsText: string): Promise<string | null>;
  /** Takes an answer in text, in place of a call. @returns null for a text that is no answer */
  takeText?(text: string): Promise<SubmissionAnswer | null>;
};

type ParsedArguments<T> =
  | { readonly ok: true; readonly value: T }
  /** What the model reads. */
  | { readonly ok: false; readonly problem: string };

/**
 * The arguments of a call: JSON, then the tool's schema. No text at all is an empty object, and a nullable argument
 * that was left out is null, because models that do not keep to strict schemas leave them out.
 */
export function parseArguments<T>(
  call: ToolCall,
  tool: { parameters: Schema; parse(value: unknown): Parsed<T> },
): ParsedArguments<T> {
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
