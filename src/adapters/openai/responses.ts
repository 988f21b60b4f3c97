import type {
  FunctionTool,
  ResponseCreateParams,
  ResponseInputContent,
  ResponseInputItem,
} from 'openai/resources/responses/responses';
import type { AssistantMessage, ImagePart, Message, UserMessage } from '../../core/agent/message.ts';
import type { AnswerEnd, ModelAnswer, ToolDefinition } from '../../core/agent/model.ts';
import {
  argumentsOf,
  blocksOf,
  type Dialect,
  type ReadCall,
  type SpokenRequest,
  wireName,
  wireSchema,
  withUniqueIds,
} from './dialect.ts';
import { dataUrl, field, isObject, list, type Raw, responsesUsage, text, verbatimItems } from './json.ts';

/** The SDK demands `strict`, which not every compatible server knows. */
type ResponsesTool = Omit<FunctionTool, 'strict'> & { readonly strict?: boolean };
type ResponsesBody = Omit<ResponseCreateParams, 'tools'> & { readonly tools?: readonly ResponsesTool[] };

/**
 * The body of `POST /responses`. System texts stay items where they stand, not `instructions`: so the input only ever
 * grows at its end, whatever the caller appends, and its prefix stays in the server's cache.
 */
export function responsesRequest(request: SpokenRequest): ResponsesBody {
  const { dialect } = request;
  return {
    model: request.model,
    input: request.messages.flatMap((message) => inputItems(message, dialect)),
    ...(request.tools.length === 0 ? {} : toolParameters(request)),
    max_output_tokens: request.maxOutputTokens,
    ...(dialect.temperature === null ? {} : { temperature: dialect.temperature }),
    ...(dialect.reasoningEffort === null ? {} : { reasoning: { effort: dialect.reasoningEffort } }),
    ...(dialect.promptCacheKey ? { prompt_cache_key: request.cacheKey } : {}),
    // The default is to keep the text of private repositories on the server.
    ...(dialect.store ? { store: false } : {}),
    ...(dialect.stream ? { stream: true } : {}),
    ...(dialect.encryptedReasoning ? { include: ['reasoning.encrypted_content'] } : {}),
  } satisfies ResponsesBody;
}

function toolParameters({ tools, dialect, forcedTool }: SpokenRequest) {
  return {
    tools: tools.map((tool) => responsesTool(tool, dialect)),
    ...(dialect.parallelToolCalls ? { parallel_tool_calls: true } : {}),
    ...(forcedTool === null ? {} : { tool_choice: { type: 'function', name: forcedTool } }),
  } satisfies Partial<ResponsesBody>;
}

function responsesTool(tool: ToolDefinition, dialect: Dialect): ResponsesTool {
  return {
    type: 'function',
    name: tool.name,
    description: tool.description,
    parameters: wireSchema(tool.parameters),
    // Left out it would mean true, to a server that knows it.
    ...(dialect.strict === null ? {} : { strict: dialect.strict }),
  };
}

function inputItems(message: Message, dialect: Dialect): readonly ResponseInputItem[] {
  if (message.role === 'tool') {
    return [{ type: 'function_call_output', call_id: message.callId, output: message.text }];
  }
  if (message.role === 'user') return [{ role: 'user', content: userContent(message, dialect) }];
  if (message.role === 'system') return [{ role: 'system', content: message.text }];
  return (dialect.verbatimReplay ? verbatimItems(message) : null) ?? rebuilt(message);
}

function userContent(message: UserMessage, dialect: Dialect): string | ResponseInputContent[] {
  const { images = [] } = message;
  const texts = blocksOf(message, dialect);
  if (images.length === 0 && texts.length === 1) return message.text;
  return [...texts.map((block) => ({ type: 'input_text' as const, ...block })), ...images.map(inputImage)];
}

function inputImage(image: ImagePart): ResponseInputContent {
  return { type: 'input_image', image_url: dataUrl(image), detail: image.detail };
}

function rebuilt(message: AssistantMessage): readonly ResponseInputItem[] {
  const calls = message.toolCalls.map((call): ResponseInputItem => {
    return { type: 'function_call', call_id: call.id, name: wireName(call.name), arguments: call.arguments };
  });
  return message.text === '' ? calls : [{ role: 'assistant', content: message.text }, ...calls];
}

/** Reads the answer to a Responses request. No output is an empty text: the caller asks again. */
export function responsesAnswer(answer: unknown, history: readonly Message[]): ModelAnswer {
  const output = list(field(answer, 'output'));
  const toolCalls = withUniqueIds(output.filter(isCall).map(readCall), history);
  const parts = output
    .filter((item) => field(item, 'type') === 'message')
    .flatMap((item) => list(field(item, 'content')));
  const said = parts.map((part) => text(field(part, 'text'))).join('');
  const refusal = parts.map((part) => text(field(part, 'refusal'))).join('');
  const raw: Raw = { api: 'responses', items: withTakenCalls(output, toolCalls) };
  return {
    message: { role: 'assistant', text: said || refusal, toolCalls, raw },
    end: endOf({ cut: cutReason(answer), refused: refusal !== '', calls: toolCalls.length }),
    usage: responsesUsage(field(answer, 'usage')),
  };
}

/** The error of a response whose status is `failed` or `cancelled`; undefined when it did not fail. */
export function errorInResponse(answer: unknown): unknown {
  const status = text(field(answer, 'status'));
  if (status !== 'failed' && status !== 'cancelled') return undefined;
  const error = field(answer, 'error');
  return { error: isObject(error) ? error : { message: `the response ended as ${status}` } };
}

function isCall(item: unknown): boolean {
  return field(item, 'type') === 'function_call';
}

function readCall(item: unknown): ReadCall {
  const name = text(field(item, 'name'));
  return { id: text(field(item, 'call_id')), name, arguments: argumentsOf(field(item, 'arguments')) };
}

function cutReason(answer: unknown): string {
  if (field(answer, 'status') !== 'incomplete') return '';
  return text(field(field(answer, 'incomplete_details'), 'reason')) || 'max_output_tokens';
}

function endOf(answer: { cut: string; refused: boolean; calls: number }): AnswerEnd {
  if (answer.refused) return 'refusal';
  if (answer.cut === 'content_filter') return 'content-filter';
  if (answer.cut !== '') return 'length';
  return answer.calls > 0 ? 'tool-calls' : 'end';
}

/** With ids and names that the server takes back. */
function withTakenCalls(output: readonly unknown[], calls: readonly ReadCall[]): readonly unknown[] {
  const inOrder = calls.values();
  return output.map((item) => {
    if (!isObject(item) || !isCall(item)) return item;
    const { id, name = '' } = inOrder.next().value ?? {};
    return item['call_id'] === id && wireName(name) === name ? item : { ...item, call_id: id, name: wireName(name) };
  });
}

/** Waits for the event that holds the whole response; the items that were reported before stand in where it leaves them out. */
export class ResponsesStream {
  #response: unknown = null;
  #error: unknown = null;
  readonly #items: unknown[] = [];
  /** Of text, reasoning and arguments. */
  characters = 0;

  add(event: unknown): void {
    const type = text(field(event, 'type'));
    this.characters += text(field(event, 'delta')).length;
    if (type === 'error' || (type === '' && field(event, 'error') !== undefined)) this.#error ??= errorOf(event);
    if (type === 'response.output_item.done') this.#items.push(field(event, 'item'));
    if (endings.has(type)) this.#response = field(event, 'response');
  }

  /** The whole response, or the error that came in the middle; null when it was cut. */
  answer(): unknown {
    if (this.#error !== null) return this.#error;
    if (!isObject(this.#response)) return null;
    const output = list(this.#response['output']);
    return output.length > 0 ? this.#response : { ...this.#response, output: this.#items };
  }
}

const endings: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete', 'response.failed']);

/** The words stand in the event itself, or in its `error`. */
function errorOf(event: unknown): unknown {
  const error = field(event, 'error');
  if (isObject(error)) return { error };
  return { error: { code: field(event, 'code'), message: field(event, 'message'), param: field(event, 'param') } };
}
