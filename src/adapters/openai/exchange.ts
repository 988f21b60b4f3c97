import type { ModelAnswer } from '../../core/agent/model.ts';
import { ChatStream, chatAnswer, chatRequest, errorInChoice } from './chat.ts';
import type { Client } from './client.ts';
import { aborted, type Endpoint, unanswered, wordsFrom } from './errors.ts';
import { isObject, parseJson } from './json.ts';
import { errorInside, readServerWords, type ServerWords } from './refusals.ts';
import { errorInResponse, ResponsesStream, responsesAnswer, responsesRequest } from './responses.ts';
import type { SpokenRequest } from './spoken-request.ts';

/** What came back: an answer, or the server's words why not. */
type Reply =
  | { readonly refused: false; readonly answer: ModelAnswer }
  | { readonly refused: true; readonly words: ServerWords; readonly headers: Headers | undefined };

type Line = {
  readonly client: Client;
  readonly endpoint: Endpoint;
  readonly signal: AbortSignal;
  /** Merged into every body. */
  readonly extraBody: { readonly [name: string]: unknown };
  readonly onProgress: (characters: number) => void;
};

/** One request, one reply. @throws ModelError when the call was aborted, or no complete answer came. */
export async function exchange(request: SpokenRequest, line: Line): Promise<Reply> {
  const sent = await send(request, line);
  if (sent.refused) return sent;
  const body = asJson(sent.body);
  if (body === null) throw unanswered(line.endpoint, new Error('the answer is empty or cut'));
  if (typeof body === 'string') return { refused: true, words: readServerWords(body, 200), headers: undefined };
  const failure = request.dialect.api === 'chat' ? errorInChoice(body) : errorInResponse(body);
  // OpenRouter tells a failed provider twice in one chunk: beside the choices in words, inside them by its end alone.
  const words = errorInside(body) ?? errorInside(failure);
  if (words !== null) return { refused: true, words, headers: undefined };
  return { refused: false, answer: readAnswer(request, { body, endpoint: line.endpoint }) };
}

function readAnswer(request: SpokenRequest, { body, endpoint }: { body: unknown; endpoint: Endpoint }): ModelAnswer {
  const read = request.dialect.api === 'chat' ? chatAnswer : responsesAnswer;
  try {
    const answer = read(body, request.messages);
    // It goes back to the server as it came: what cannot be written again is no answer.
    JSON.stringify(answer.message.raw);
    return answer;
  } catch (error) {
    if (error instanceof RangeError)
      throw unanswered(endpoint, new Error('the answer is nested too deeply to be read'));
    throw error;
  }
}

type Sent = { readonly refused: false; readonly body: unknown } | Extract<Reply, { refused: true }>;

async function send(request: SpokenRequest, { client, endpoint, signal, ...line }: Line): Promise<Sent> {
  const { api, stream } = request.dialect;
  const path = api === 'responses' ? '/responses' : '/chat/completions';
  const body = withExtra(api === 'responses' ? responsesRequest(request) : chatRequest(request), line.extraBody);
  try {
    if (!stream) return { refused: false, body: await client.post(path, body, signal) };
    const streamed = await client.stream(path, body, signal);
    if (streamed.whole) return { refused: false, body: streamed.body };
    const whole = await readStream(streamed.events, { api, onProgress: line.onProgress });
    // The SDK ends a stream that was aborted as if it were at its end.
    if (signal.aborted) throw aborted(endpoint);
    return { refused: false, body: whole };
  } catch (error) {
    if (signal.aborted) throw aborted(endpoint);
    const refusal = wordsFrom(error);
    if (refusal === null) throw unanswered(endpoint, error);
    return { refused: true, ...refusal };
  }
}

// Text is JSON under a wrong content type, or a page, or an answer that was cut.
function asJson(body: unknown): unknown {
  if (typeof body !== 'string') return body ?? null;
  const trimmed = body.trim();
  if (trimmed === '') return null;
  return parseJson(trimmed) ?? (/^[{[]/.test(trimmed) ? null : trimmed);
}

/** Milliseconds between two tellings of progress. */
const tellEvery = 1_000;

/** The whole answer that a stream's events come to, or its error; null when it was cut. Progress is reported in characters. */
async function readStream(
  events: AsyncIterable<unknown>,
  { api, onProgress }: { api: 'responses' | 'chat'; onProgress: (characters: number) => void },
): Promise<unknown> {
  const stream = api === 'chat' ? new ChatStream() : new ResponsesStream();
  let toldAt = 0;
  for await (const event of events) {
    stream.add(event);
    if (stream.characters === 0 || Date.now() - toldAt < tellEvery) continue;
    toldAt = Date.now();
    onProgress(stream.characters);
  }
  return stream.answer();
}

type Fields = { readonly [name: string]: unknown };

/** A body with fields that the user adds: objects are merged, everything else is replaced. Keys keep their order, for the cache. */
function withExtra(body: object, extra: Fields): Fields {
  const merged: { [name: string]: unknown } = { ...body };
  for (const [name, value] of Object.entries(extra)) {
    const held = merged[name];
    merged[name] = isObject(held) && isObject(value) ? withExtra(held, value) : value;
  }
  return merged;
}
