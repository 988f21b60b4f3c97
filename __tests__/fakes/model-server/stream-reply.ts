import type { Outcome } from '../loopback.ts';
import { chatChunks, responsesEvents } from './stream-chunks.ts';

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
