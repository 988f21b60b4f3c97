import { type Message, withoutImages } from '../../core/agent/message.ts';
import type { ModelRequest, ToolDefinition } from '../../core/agent/model.ts';
import { asTextConversation } from '../../core/agent/text-tool-calls.ts';
import type { Schema } from '../../core/schema.ts';
import type { Dialect } from './dialect.ts';

/** A request put into the dialect of a server, before either API's own words. */
export type SpokenRequest = {
  readonly model: string;
  readonly cacheKey: string;
  readonly dialect: Dialect;
  readonly messages: readonly Message[];
  /** Empty where tools are called in text. */
  readonly tools: readonly ToolDefinition[];
  /** The tool that is asked for; null is auto, which is not sent. */
  readonly forcedTool: string | null;
  readonly maxOutputTokens: number;
};

export function speak(
  asked: ModelRequest,
  speaker: { model: string; cacheKey: string; dialect: Dialect },
): SpokenRequest {
  const { dialect } = speaker;
  const request = dialect.images ? asked : { ...asked, messages: asked.messages.map(asText) };
  const common = { ...speaker, maxOutputTokens: clamped(request.maxOutputTokens, dialect.outputTokensClamp) };
  if (!dialect.nativeTools) return { ...common, messages: asTextConversation(request), tools: [], forcedTool: null };
  const forced = request.toolChoice === 'auto' || !dialect.forcedToolChoice ? null : request.toolChoice.tool;
  return { ...common, messages: request.messages, tools: request.tools, forcedTool: forced };
}

function asText(message: Message): Message {
  return withoutImages(message, 'the model takes no images');
}

function clamped(tokens: number, limit: number | null): number {
  return limit === null ? tokens : Math.min(tokens, limit);
}

/** A schema as strict function calling takes it: numeric bounds, defaults and examples are checked by ajv only. */
export function wireSchema(schema: Schema): { [key: string]: unknown } {
  const { minimum: _minimum, maximum: _maximum, default: _default, examples: _examples, ...kept } = schema;
  const nested: { [key: string]: unknown } = { ...kept };
  if (schema.items !== undefined) nested['items'] = wireSchema(schema.items);
  if (typeof schema.additionalProperties === 'object') {
    nested['additionalProperties'] = wireSchema(schema.additionalProperties);
  }
  if (schema.properties !== undefined) {
    const entries = Object.entries(schema.properties).map(([name, property]) => [name, wireSchema(property)]);
    nested['properties'] = Object.fromEntries(entries);
  }
  return nested;
}
