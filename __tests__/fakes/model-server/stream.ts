import { at, isObject, listAt, textAt } from '../every-pair.ts';
import type { Outcome } from '../loopback.ts';

type Event = { readonly type: string; readonly [name: string]: unknown };

/** Texts begin in pieces of this many characters, as tokens are; what follows comes in larger ones, for time. */
const piece = 7;

/** A chat completion as the chunks of a stream: a role first, texts and arguments in pieces, the end, the usage. */
function chatChunks(completion: object, { withUsage }: { readonly withUsage: boolean }): readonly unknown[] {
  const base = {
    id: at(completion, 'id'),
    object: 'chat.completion.chunk',
    created: 1_790_000_000,
    model: at(completion, 'model'),
  };
  const choice = listAt(completion, 'choices')[0];
  const chunk = (delta: unknown, finish: unknown = null) => ({
    ...base,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    ...(withUsage ? { usage: null } : {}),
  });
  const message = at(choice, 'message');
  const { role: _role, content, tool_calls: _calls, ...rest } = isObject(message) ? message : {};
  const usage = at(completion, 'usage');
  return [
    chunk({ role: 'assistant', content: content === null ? null : '', ...rest }),
    ...pieces(typeof content === 'string' ? content : '').map((text) => chunk({ content: text })),
    ...listAt(message, 'tool_calls').flatMap((call, index) =>
      callDeltas(call, index).map((delta) => chunk({ tool_calls: [delta] })),
    ),
    chunk({}, at(choice, 'finish_reason')),
    ...(withUsage && usage !== undefined ? [{ ...base, choices: [], usage }] : []),
  ];
}

function callDeltas(call: unknown, index: number): readonly unknown[] {
  const { function: _called, ...rest } = isObject(call) ? call : {};
  const written = textAt(call, 'function', 'arguments');
  return [
    { index, ...rest, function: { name: textAt(call, 'function', 'name'), arguments: '' } },
    ...pieces(written).map((text) => ({ index, function: { arguments: text } })),
  ];
}

/** A response as its events: created, each item with its deltas, and the whole response at the end. */
function responsesEvents(response: object): readonly Event[] {
  const begun = { ...response, status: 'in_progress', output: [], usage: null };
  const events = listAt(response, 'output').flatMap((item, index) => itemEvents(item, index));
  const end = at(response, 'status') === 'incomplete' ? 'response.incomplete' : 'response.completed';
  return [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...events,
    { type: end, response },
  ].map((event, sequence_number) => ({ ...event, sequence_number }));
}

function itemEvents(item: unknown, output_index: number): readonly Event[] {
  const place = { item_id: textAt(item, 'id'), output_index };
  const text = listAt(item, 'content').map((part) => textAt(part, 'text'));
  const [ofText, ofCall] = ['response.output_text.delta', 'response.function_call_arguments.delta'] as const;
  return [
    { type: 'response.output_item.added', output_index, item },
    ...pieces(text.join('')).map((delta) => ({ type: ofText, ...place, content_index: 0, delta })),
    ...pieces(textAt(item, 'arguments')).map((delta) => ({ type: ofCall, ...place, delta })),
    { type: 'response.output_item.done', output_index, item },
  ];
}

function pieces(text: string): readonly string[] {
  const beginning = text.slice(0, 10 * piece).match(new RegExp(`.{1,${piece}}`, 'gsu')) ?? [];
  const rest = text.slice(10 * piece).match(new RegExp(`.{1,${20 * piece}}`, 'gsu')) ?? [];
  return [...beginning, ...rest];
}

export type StreamFault = {
  /** `cut`: the connection ends; `error`: an error in the stream; `stall`: nothing more comes, and the connection stays. */
  readonly how: 'cut' | 'error' | 'stall';
  /** Events that come before it. */
  readonly after: number;
};

const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };
const overloaded = {
  message: 'The server had an error while processing your request.',
  type: 'server_error',
  code: 'server_error',
  param: null,
};

/** A chat completion as a stream, ended by `[DONE]`. */
export function chatStream(
  completion: object,
  { withUsage, fault }: { withUsage: boolean; fault: StreamFault | undefined },
): Outcome {
  const events = chatChunks(completion, { withUsage }).map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`);
  const error = `data: ${JSON.stringify({ error: overloaded })}\n\n`;
  return reply([...events, 'data: [DONE]\n\n'], { fault, error });
}

/** A response as a stream: named events, without `[DONE]`. */
export function responsesStream(response: object, { fault }: { fault: StreamFault | undefined }): Outcome {
  const events = responsesEvents(response).map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  const error = `event: error\ndata: ${JSON.stringify({ ...overloaded, type: 'error', sequence_number: 9 })}\n\n`;
  return reply(events, { fault, error });
}

function reply(
  events: readonly string[],
  { fault, error }: { fault: StreamFault | undefined; error: string },
): Outcome {
  if (fault === undefined) return { status: 200, headers, body: '', chunks: [': open\n\n', ...events], ending: 'end' };
  const sent = events.slice(0, fault.after);
  if (fault.how === 'error') return { status: 200, headers, body: '', chunks: [...sent, error], ending: 'end' };
  return { status: 200, headers, body: '', chunks: sent, ending: fault.how === 'cut' ? 'reset' : 'stay' };
}
