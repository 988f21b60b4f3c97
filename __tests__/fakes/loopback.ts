import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, request as forward, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { join } from 'node:path';
import { type Duplex, Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { AssistantMessage, Message } from '../../src/core/agent/message.ts';
import type { ModelRequest } from '../../src/core/agent/model.ts';
import { temporaryFolder } from './memory-repository.ts';

export type IncomingRequest = {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
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
  return { url: await listen(server), close: () => closeServer(server) };
}

async function serve(
  message: IncomingMessage,
  response: ServerResponse,
  handle: (request: IncomingRequest) => Promise<Outcome>,
): Promise<void> {
  try {
    answer(response, await handle(await readRequest(message)));
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

async function readRequest(message: IncomingMessage): Promise<IncomingRequest> {
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
  };
}

/** Gives its address. */
async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server is not listening.');
  return `http://127.0.0.1:${address.port}`;
}

async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
}

type TlsProxy = {
  /** HTTPS_PROXY, with user and password where it asks for them. */
  readonly url: string;
  /** NODE_EXTRA_CA_CERTS and GIT_SSL_CAINFO: that of the company, which signed what the hosts show. */
  readonly certificate: string;
  /** Hosts that clients asked for, such as `api.openai.com:443`. */
  readonly hosts: readonly string[];
  close(): Promise<void>;
};

/** Where a host's path is served, such as http://127.0.0.1:4711. */
type Sites = Readonly<Record<string, (path: string) => string>>;

/** A proxy as companies have it, behind which public hosts are local servers. All other hosts are refused, and who does not say `login`. */
export async function startTlsProxy(sites: Sites, login: string | null = null): Promise<TlsProxy> {
  const { key, certificate, authority } = createCertificates(Object.keys(sites));
  const hosts: string[] = [];
  const tunnels: Duplex[] = [];
  const site = createTlsServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (incoming, response) => {
    const path = incoming.url ?? '/';
    const onward = forward(
      new URL(path, sites[incoming.headers.host ?? '']?.(path)),
      { method: incoming.method ?? 'GET', headers: incoming.headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    onward.on('error', () => response.destroy());
    incoming.pipe(onward);
  });
  const proxy = createServer((_, response) => response.writeHead(405).end());
  const expected = login === null ? undefined : `Basic ${Buffer.from(login).toString('base64')}`;
  proxy.on('connect', (incoming, socket) => {
    const [host = ''] = (incoming.url ?? '').split(':443');
    tunnels.push(socket);
    socket.on('error', () => socket.destroy());
    if (expected !== undefined && incoming.headers['proxy-authorization'] !== expected) {
      socket.end(
        'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="proxy"\r\nConnection: close\r\nContent-Length: 0\r\n\r\n',
      );
      return;
    }
    hosts.push(incoming.url ?? '');
    if (sites[host] === undefined) {
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      return;
    }
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    site.emit('connection', socket);
  });
  const url = await listen(proxy);
  const close = async () => {
    site.closeAllConnections();
    // The server no longer counts them among its connections, and waits for them.
    for (const tunnel of tunnels) tunnel.destroy();
    await closeServer(proxy);
  };
  const user = login === null ? '' : `${login.split(':').map(encodeURIComponent).join(':')}@`;
  return { url: url.replace('//', `//${user}`), certificate: authority, hosts, close };
}

/** An authority of a company's own, and a certificate for its hosts that it signed. */
function createCertificates(hosts: readonly string[]) {
  const folder = temporaryFolder();
  const inside = (name: string) => join(folder, name);
  const [authority, authorityKey] = [inside('authority.pem'), inside('authority-key.pem')];
  const [certificate, key] = [inside('certificate.pem'), inside('key.pem')];
  const [request, names] = [inside('request.pem'), inside('names.txt')];
  const openssl = (...args: readonly string[]) => execFileSync('openssl', args, { stdio: 'pipe' });
  const fresh = ['-newkey', 'rsa:2048', '-nodes', '-days', '2'];
  openssl('req', '-x509', ...fresh, '-subj', '/CN=Company', '-keyout', authorityKey, '-out', authority);
  openssl('req', ...fresh.slice(0, 3), '-subj', '/CN=hosts', '-keyout', key, '-out', request);
  writeFileSync(names, `subjectAltName=${hosts.map((host) => `DNS:${host}`).join()}`);
  const signing = ['-CA', authority, '-CAkey', authorityKey, '-CAcreateserial', '-days', '2', '-extfile', names];
  openssl('x509', '-req', '-in', request, ...signing, '-out', certificate);
  return { authority, certificate, key };
}

/** Throws where a real server would answer 400, for tool call ids and for tools in the history as well. */
export function checkProtocol(request: ModelRequest): void {
  const { messages, tools, toolChoice } = request;
  messages.forEach((message, index) => {
    if (message.role === 'assistant') checkAssistant(message, messages.slice(index + 1));
    if (message.role === 'tool') checkTool(messages.slice(0, index + 1));
    if (message.role !== 'assistant' && message.text === '') refuse(`message ${index} is empty`);
  });
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? message.toolCalls : []));
  if (calls.length > 0 && tools.length === 0) refuse('the history holds tool calls and no tools are offered');
  if (toolChoice !== 'auto' && !tools.some((tool) => tool.name === toolChoice.tool)) {
    refuse(`the forced tool ${toolChoice.tool} is not offered`);
  }
  const last = messages.at(-1);
  if (last === undefined || last.role === 'assistant') refuse('there is nothing to answer');
}

/** The ids that are not answered exactly once, in order, right after the message that made them. */
export function unansweredCalls(messages: readonly Message[]): readonly string[] {
  return messages.flatMap((message, index) => {
    if (message.role !== 'assistant') return [];
    const answers = answersAfter(messages.slice(index + 1));
    const ids = message.toolCalls.map((call) => call.id);
    return ids.length === answers.length ? ids.filter((id, position) => answers[position] !== id) : ids;
  });
}

function checkAssistant(message: AssistantMessage, rest: readonly Message[]): void {
  if (message.text === '' && message.toolCalls.length === 0) refuse('an assistant message is empty');
  const unanswered = unansweredCalls([message, ...rest]).filter((id) =>
    message.toolCalls.some((call) => call.id === id),
  );
  if (unanswered.length > 0) refuse(`no answers right after the calls ${unanswered.join(', ')}`);
}

function checkTool(upToHere: readonly Message[]): void {
  const before = upToHere.findLast((message) => message.role !== 'tool');
  if (before?.role !== 'assistant' || before.toolCalls.length === 0) refuse('a tool message without a call before it');
}

function answersAfter(messages: readonly Message[]): readonly string[] {
  const end = messages.findIndex((message) => message.role !== 'tool');
  const answers = end === -1 ? messages : messages.slice(0, end);
  return answers.flatMap((message) => (message.role === 'tool' ? [message.callId] : []));
}

function refuse(problem: string): never {
  throw new Error(`A server would refuse this request: ${problem}.`);
}
