import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';

export type IncomingRequest = {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  /** Aborted when the client goes away before it was answered. */
  readonly gone: AbortSignal;
};

export type Reply = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** Sent one after the other before the body, each in a packet of its own as far as the system lets. */
  readonly chunks?: readonly string[];
  /** Written as fast as it is read, in place of the body: for more than anybody would hold. */
  readonly pieces?: Iterable<Buffer>;
  /** After the chunks: `reset` breaks the connection, `stay` leaves it open. */
  readonly ending?: 'end' | 'reset' | 'stay';
};

/** `reset` breaks the connection without an answer; `hang` never answers. */
export type Outcome = Reply | 'reset' | 'hang';

export type Loopback = { readonly url: string; close(): Promise<void> };

/** An HTTP server on 127.0.0.1. A handler that throws answers 500 with the stack, so that a broken fake is loud. */
export async function startLoopback(handle: (request: IncomingRequest) => Promise<Outcome>): Promise<Loopback> {
  const server = createServer((message, response) => {
    void serve(message, response, handle);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return { url: `http://127.0.0.1:${portOf(server)}`, close: () => closeServer(server) };
}

async function serve(
  message: IncomingMessage,
  response: ServerResponse,
  handle: (request: IncomingRequest) => Promise<Outcome>,
): Promise<void> {
  try {
    answer(response, await handle(await readRequest(message, response)));
  } catch (error) {
    answer(response, { status: 500, body: error instanceof Error ? String(error.stack) : String(error) });
  }
}

function answer(response: ServerResponse, outcome: Outcome): void {
  if (outcome === 'hang') return;
  if (outcome === 'reset') {
    response.socket?.destroy();
    return;
  }
  response.writeHead(outcome.status, outcome.headers ?? {});
  if (outcome.pieces !== undefined)
    Readable.from(outcome.pieces)
      .on('error', () => {})
      .pipe(response);
  else if (outcome.chunks === undefined) response.end(outcome.body);
  else void answerInChunks(response, { ...outcome, chunks: outcome.chunks });
}

async function answerInChunks(
  response: ServerResponse,
  outcome: Reply & { readonly chunks: readonly string[] },
): Promise<void> {
  response.flushHeaders();
  for (const chunk of outcome.chunks) {
    response.write(chunk);
    await setImmediate();
  }
  if (outcome.ending === 'stay') return;
  if (outcome.ending === 'reset') response.socket?.destroy();
  else response.end(outcome.body);
}

async function readRequest(message: IncomingMessage, response: ServerResponse): Promise<IncomingRequest> {
  const gone = new AbortController();
  response.on('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(Buffer.from(chunk));
  const url = new URL(message.url ?? '/', 'http://loopback');
  return {
    method: message.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    headers: message.headers,
    rawHeaders: message.rawHeaders,
    body: Buffer.concat(chunks),
    gone: gone.signal,
  };
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server is not listening.');
  return address.port;
}

async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
}
