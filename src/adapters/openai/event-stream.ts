import { Stream } from 'openai/streaming';
import { parseJson } from './json.ts';

/** A server's answer to a request that asked for a stream: some answer whole all the same. */
export type Streamed =
  | { readonly whole: false; readonly events: AsyncIterable<unknown> }
  | { readonly whole: true; readonly body: unknown };

/** Reads an answer by what it is, not by what was asked for: events, or a body. */
export async function readStreamed(response: Response): Promise<Streamed> {
  if (isEventStream(response)) return { whole: false, events: eventsOf(response) };
  const body = await response.text();
  // Some proxies name events plain text.
  if (/^\s*(?:data|event|:)/.test(body)) return { whole: false, events: eventsOf(new Response(body)) };
  return { whole: true, body: parseJson(body) ?? body };
}

function isEventStream({ headers }: Response): boolean {
  return /^text\/event-stream\b/i.test(headers.get('content-type') ?? '');
}

function eventsOf(response: Response): AsyncIterable<unknown> {
  // 'events' hands errors on as they are: the SDK would keep a part of them.
  return Stream.fromSSEResponse<unknown>(response, new AbortController(), undefined, false, 'events');
}
