import { valueOfJson } from '../bounded.ts';
import { limits } from './budget.ts';
import { type AssistantMessage, imagesOf, type Message, type ToolMessage, type UserMessage } from './message.ts';
import type { ModelAnswer, ModelRequest, ToolDefinition } from './model.ts';

/** The name of a call whose own name could not be read: no tool has it, so the loop answers with a correction. */
export const malformedCall = 'malformed_tool_call';

/** A call read from text. `arguments` is JSON text, or what the model wrote where it is no JSON. */
type TextToolCall = { readonly name: string; readonly arguments: string };

/**
 * The same conversation for a model without function calling: the tools are described in the one system
 * text, calls are `<tool_call>{"tool":…,"args":…}</tool_call>` (CortexPrism's protocol), results are user text.
 * Roles alternate, because many templates for such models insist on it. `raw` of an assistant message is kept.
 */
export function asTextConversation(request: ModelRequest): readonly Message[] {
  const system = request.messages.filter((message) => message.role === 'system').map((message) => message.text);
  const spoken = request.messages.filter((message) => message.role !== 'system').map(asSpoken);
  if (request.toolChoice !== 'auto') {
    spoken.push({ role: 'user', text: `Answer now with one <tool_call> of ${request.toolChoice.tool}, nothing else.` });
  }
  const opening = [...system, ...describeTools(request.tools)].join('\n\n');
  return opening === '' ? joinUserTexts(spoken) : [{ role: 'system', text: opening }, ...joinUserTexts(spoken)];
}

/** Takes the calls out of an answer. No tag stays in `text`; a malformed call is kept as one that the loop corrects. */
export function parseTextToolCalls(answer: string): { readonly text: string; readonly calls: readonly TextToolCall[] } {
  const { bodies, rest } = splitAtCalls(withoutThoughts(answer));
  const calls: TextToolCall[] = [];
  for (const body of bodies) {
    // What is beyond the calls that are taken is counted and not read.
    if (calls.length > limits.callsOfAnswer) calls.push(unreadCall);
    // One by one: a list of a hundred thousand calls does not fit onto the stack.
    else for (const call of readCalls(body)) calls.push(call);
  }
  // Replaced by a space, so that what stood around a tag does not become one; the answer may end within a tag.
  const text = rest.replaceAll(/<\/?tool_(?:call|result)\b(?:[^<>]{0,200}>)?|<\/?tool_[a-z]{0,6}$/g, ' ').trim();
  return { text, calls };
}

const unreadCall: TextToolCall = { name: malformedCall, arguments: '' };
const [opens, closes] = ['<tool_call>', '</tool_call>'];

/** An unclosed call is an answer that was cut, or a model that forgot the tag: it goes to the next one, or to the end. Each tag is looked for once. */
function splitAtCalls(text: string): { readonly bodies: readonly string[]; readonly rest: string } {
  const [before = '', ...pieces] = text.split(opens);
  const bodies: string[] = [];
  const outside = [before];
  for (const piece of pieces) {
    const end = piece.indexOf(closes);
    bodies.push(end === -1 ? piece : piece.slice(0, end));
    if (end !== -1) outside.push(piece.slice(end + closes.length));
  }
  return { bodies, rest: outside.join('') };
}

/** A call as the model is asked to write it. A tag inside the arguments is escaped, so that it ends nothing. */
export function formatTextToolCall(call: TextToolCall): string {
  const written = valueOfJson(call.arguments) === undefined ? JSON.stringify(call.arguments) : call.arguments;
  const inner = `{"tool":${JSON.stringify(call.name)},"args":${written}}`;
  return `<tool_call>${inner.replaceAll(/<(?=\/?(?:tool_call|think))/g, '\\u003c')}</tool_call>`;
}

/** The answer to a call. A result cannot close its own tag: it is text from the repository. */
function formatTextToolResult(result: ToolMessage): string {
  const text = result.text.replaceAll(/<(\/?)tool_result/gi, '<$1tool-result');
  return `<tool_result id="${result.callId}" tool="${result.name}">\n${text}\n</tool_result>`;
}

function describeTools(tools: readonly ToolDefinition[]): readonly string[] {
  if (tools.length === 0) return [];
  const lines = [
    'You have tools. To call one, write exactly this, with arguments that match its JSON Schema:',
    '<tool_call>{"tool":"name","args":{"argument":"value"}}</tool_call>',
    'You may write several calls in one answer. Write nothing after the last call: the results come in the next message,',
    'each in <tool_result>. Never write a result yourself. The tools:',
    ...tools.map((tool) => `- ${tool.name}: ${tool.description}\n  ${JSON.stringify(tool.parameters)}`),
  ];
  return [lines.join('\n')];
}

type Spoken = UserMessage | AssistantMessage;

function asSpoken(message: Exclude<Message, { role: 'system' }>): Spoken {
  if (message.role === 'user') return message;
  if (message.role === 'tool') return { role: 'user', text: formatTextToolResult(message) };
  const parts = [message.text, ...message.toolCalls.map(formatTextToolCall)].filter((part) => part !== '');
  return { ...message, text: parts.join('\n'), toolCalls: [] };
}

function joinUserTexts(messages: readonly Spoken[]): readonly Spoken[] {
  const joined: Spoken[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (message.role === 'user' && last?.role === 'user') {
      const images = [...imagesOf(last), ...imagesOf(message)];
      const text = `${last.text}\n\n${message.text}`;
      joined[joined.length - 1] = { role: 'user', text, ...(images.length === 0 ? {} : { images }) };
    } else {
      joined.push(message);
    }
  }
  return joined;
}

function readCalls(body: string): readonly TextToolCall[] {
  const json = body.replace(/^\s*```(?:json)?/, '').replace(/```\s*$/, '');
  const value = valueOfJson(json);
  if (Array.isArray(value) && value.length > 0) return value.map((item) => readCall(item, JSON.stringify(item)));
  return [readCall(value, json)];
}

// Hermes and Qwen were trained to write `name` and `arguments`, Llama `name` and `parameters`.
function readCall(value: unknown, written: string): TextToolCall {
  const name = firstOf(value, ['tool', 'name']);
  if (typeof name !== 'string' || name === '') return { name: nameIn(written), arguments: written.trim() };
  const given = firstOf(value, ['args', 'arguments', 'parameters']);
  return { name, arguments: typeof given === 'string' ? given : JSON.stringify(given ?? {}) };
}

function nameIn(text: string): string {
  return /"(?:tool|name)"\s*:\s*"([A-Za-z0-9_-]{1,64})"/.exec(text)?.[1] ?? malformedCall;
}

function firstOf(value: unknown, names: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  const entries = new Map(Object.entries(value));
  return names.map((name) => entries.get(name)).find((found) => found !== undefined);
}

/**
 * What an answer says, without what the model thought aloud before it, which some servers leave in the text. Thoughts that were
 * cut before they ended are no answer.
 */
export function spokenText({ message, end }: Pick<ModelAnswer, 'message' | 'end'>): string {
  const text = withoutThoughts(message.text);
  return end === 'length' && /^\s*<think>/.test(text) ? '' : text;
}

/** What a model drafts while it thinks is neither a call nor an answer. */
function withoutThoughts(text: string): string {
  return text.replace(/^\s*<think>[\s\S]*?<\/think>/, '');
}
