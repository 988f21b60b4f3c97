import { at, isObject, listAt, parseJson, textAt } from '../every-pair.ts';
import type { IncomingRequest, Reply } from '../loopback.ts';

export type Api = 'chat' | 'responses';

type NormalisedMessage = {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: unknown }[];
  /** Id and name of the call that a tool message answers; empty for others. */
  readonly callId: string;
  readonly name: string;
  /** Pictures behind its text. */
  readonly images: readonly SentImage[];
};

export type SentImage = { readonly mediaType: string; readonly detail: string; readonly bytes: Buffer };

/** What a scripted model sees of a request, whichever API it came by. */
export type NormalisedRequest = {
  readonly api: Api;
  readonly model: string;
  readonly messages: readonly NormalisedMessage[];
  /** Every text of the request but the tools' descriptions, in order. */
  readonly prompt: string;
  /** Every picture, in order. */
  readonly images: readonly SentImage[];
  readonly tools: readonly string[];
  /** A mode, or the name of the forced tool; null when nothing was said. */
  readonly toolChoice: string | null;
  readonly maxOutputTokens: number | null;
  /** Results of all calls of a tool so far, oldest first. */
  results(tool: string): readonly string[];
  /** The newest result of a tool; empty when there is none. */
  lastResult(tool: string): string;
  readonly body: unknown;
};

export function normalise(api: Api, body: unknown): NormalisedRequest {
  const messages = api === 'chat' ? chatMessages(body) : responsesMessages(body);
  const results = (tool: string) =>
    messages.filter((one) => one.role === 'tool' && one.name === tool).map((one) => one.text);
  const limit = at(body, 'max_completion_tokens') ?? at(body, 'max_tokens') ?? at(body, 'max_output_tokens');
  return {
    api,
    model: textAt(body, 'model'),
    messages,
    prompt: messages.map((one) => one.text).join('\n'),
    images: messages.flatMap((one) => one.images),
    tools: listAt(body, 'tools').map((tool) => textAt(tool, 'function', 'name') || textAt(tool, 'name')),
    toolChoice: toolChoiceOf(at(body, 'tool_choice')),
    maxOutputTokens: typeof limit === 'number' ? limit : null,
    results,
    lastResult: (tool) => results(tool).at(-1) ?? '',
    body,
  };
}

function chatMessages(body: unknown): readonly NormalisedMessage[] {
  const names = new Map<string, string>();
  return listAt(body, 'messages').map((message) => {
    const calls = listAt(message, 'tool_calls').map((one) => ({
      id: textAt(one, 'id'),
      name: textAt(one, 'function', 'name'),
      arguments: parseJson(textAt(one, 'function', 'arguments')),
    }));
    for (const one of calls) names.set(one.id, one.name);
    const callId = textAt(message, 'tool_call_id');
    const text = textOf(at(message, 'content'));
    const images = imagesIn(message);
    return { role: roleOf(textAt(message, 'role')), text, calls, callId, name: names.get(callId) ?? '', images };
  });
}

function responsesMessages(body: unknown): readonly NormalisedMessage[] {
  const names = new Map<string, string>();
  const plain = { calls: [], callId: '', name: '', images: [] } as const;
  return listAt(body, 'input').flatMap((item): readonly NormalisedMessage[] => {
    const callId = textAt(item, 'call_id');
    switch (at(item, 'type') ?? 'message') {
      case 'message': {
        const role = roleOf(textAt(item, 'role'));
        return [{ ...plain, role, text: textOf(at(item, 'content')), images: imagesIn(item) }];
      }
      case 'function_call': {
        const name = textAt(item, 'name');
        names.set(callId, name);
        const scripted = { id: callId, name, arguments: parseJson(textAt(item, 'arguments')) };
        return [{ ...plain, role: 'assistant', text: '', calls: [scripted] }];
      }
      case 'function_call_output':
        return [{ ...plain, role: 'tool', text: textOf(at(item, 'output')), callId, name: names.get(callId) ?? '' }];
      default:
        return [];
    }
  });
}

function roleOf(role: string): NormalisedMessage['role'] {
  return role === 'system' || role === 'assistant' || role === 'tool' ? role : 'user';
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return listAt({ content }, 'content')
    .map((part) => textAt(part, 'text'))
    .join('\n');
}

function imagesIn(message: unknown): readonly SentImage[] {
  return listAt(message, 'content').flatMap((part): readonly SentImage[] => {
    const image = at(part, 'type') === 'image_url' ? at(part, 'image_url') : part;
    const url = textAt(image, 'url') || textAt(image, 'image_url');
    const [, mediaType, base64] = /^data:([^;]+);base64,(.*)$/s.exec(url) ?? [];
    if (mediaType === undefined || base64 === undefined) return [];
    return [{ mediaType, detail: textAt(image, 'detail'), bytes: Buffer.from(base64, 'base64') }];
  });
}

function toolChoiceOf(choice: unknown): string | null {
  if (typeof choice === 'string') return choice;
  return isObject(choice) ? textAt(choice, 'function', 'name') || textAt(choice, 'name') : null;
}

/** Why a request is refused, in the shape and the words of the real servers. */
export type Problem = {
  readonly status: number;
  readonly message: string;
  readonly param: string | null;
  readonly code: string | null;
};

export function bad(message: string, where: { readonly param?: string; readonly code?: string } = {}): Problem {
  return { status: 400, message, param: where.param ?? null, code: where.code ?? null };
}

export function invalidValue(value: string, param: string, supported: readonly string[]): Problem {
  const quoted = supported.map((one) => `'${one}'`).join(', ');
  return bad(`Invalid value: '${value}'. Supported values are: ${quoted}.`, { param });
}

export function missingParameter(param: string): Problem {
  return bad(`Missing required parameter: '${param}'.`);
}

export function emptyArray(param: string): Problem {
  return bad(
    `Invalid '${param}': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
  );
}

export function tooLong(param: string, { text, most }: { text: string; most: number }): Problem {
  return bad(
    `Invalid '${param}': string too long. Expected a string with maximum length ${most}, but got ${text.length}.`,
  );
}

/** What both APIs say of the name of a call in the history. */
export function nameProblem(name: string, param: string): Problem | null {
  if (name.length > 64) return tooLong(param, { text: name, most: 64 });
  if (/^[a-zA-Z0-9_-]+$/.test(name)) return null;
  return bad(
    `Invalid '${param}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
  );
}

/** Names that a server knows, as its reference lists them. */
export function namesIn(list: string): readonly string[] {
  return list.trim().split(/\s+/);
}

export function problemReply({ status, message, param, code }: Problem): Reply {
  return jsonReply(status, { error: { message, type: 'invalid_request_error', param, code } });
}

export function jsonReply(status: number, body: unknown): Reply {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

/** The real server echoes a part of the key. */
export function wrongKey(http: IncomingRequest): Problem {
  const key = String(http.headers.authorization ?? '').replace(/^Bearer /, '');
  const echoed = `${key.slice(0, 8)}${'*'.repeat(12)}${key.slice(-4)}`;
  const words = `Incorrect API key provided: ${echoed}. You can find your API key at https://platform.openai.com/account/api-keys.`;
  return { ...bad(words, { code: 'invalid_api_key' }), status: 401 };
}
