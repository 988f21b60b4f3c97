import { ChatStream } from './chat-stream.ts';
import { ResponsesStream } from './responses-stream.ts';

/** Milliseconds between two tellings of progress. */
const tellEvery = 1_000;

/** The whole answer that a stream's events come to, or its error; null when it was cut. Progress is reported in characters. */
export async function readStream(
  events: AsyncIterable<unknown>,
  { api, onProgress }: { readonly api: 'responses' | 'chat'; readonly onProgress: (characters: number) => void },
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
