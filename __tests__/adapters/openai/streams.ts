import type { Outcome } from '../../fakes/loopback.ts';

/** How a stream ends: as it should, without `[DONE]`, broken, or with nothing more to come. */
export type Ending = 'done' | 'no done' | 'cut' | 'stall';

/** A stream of events, each JSON of one. */
export function sse(events: readonly unknown[], ending: Ending = 'done'): Outcome {
  const chunks = [
    ': a comment, as gateways send them\n\n',
    ...events.map((event) => `data: ${JSON.stringify(event)}\n\n`),
  ];
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body: '',
    chunks: ending === 'done' ? [...chunks, 'data: [DONE]\n\n'] : chunks,
    ending: ending === 'cut' ? 'reset' : ending === 'stall' ? 'stay' : 'end',
  };
}

/** A chunk of a chat answer. */
export function chunk(delta: unknown, finish: string | null = null): unknown {
  return {
    id: 'c1',
    object: 'chat.completion.chunk',
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: finish }],
  };
}

/** The last chunk of those that asked for it: usage and no choice. */
export function usageChunk(input: number, output: number): unknown {
  const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
  return { id: 'c1', object: 'chat.completion.chunk', model: 'm', choices: [], usage };
}

/** A chunk with a piece of a tool call. */
export function callChunk(piece: unknown): unknown {
  return chunk({ tool_calls: [piece] });
}
