import * as http from 'node:http';
import OpenAI from 'openai';
import { _iterSSEMessages } from 'openai/streaming';
import { bounded, readJsonText } from '../../core/bounded.ts';
import { UserError } from '../../core/errors.ts';
import { withoutEnd } from '../../core/text.ts';
import { isAzure, isOpenAi } from './dialect.ts';
import { parseJson } from './json.ts';

/** Milliseconds. A call's time is bounded by the caller's signal; the SDK's own limit must not come first. */
const sdkTimeout = 3_600_000;
/** Bytes of one answer, decompressed: several times what the longest answer of a model takes, and eight come at once. */
const maxAnswerBytes = 4_000_000;
/** Of vectors, each number written out. */
const maxVectorBytes = 16_000_000;

type ApiPath = '/responses' | '/chat/completions' | '/embeddings';

export type ClientOptions = {
  readonly apiKey: string;
  /** Where people put it, for those whose key is wrong; the action's input when left out. */
  readonly keyName?: string | undefined;
  /** Such as https://api.openai.com/v1; a query in it is sent along. */
  readonly baseUrl: string;
  /** Sent with every request. */
  readonly extraHeaders: { readonly [name: string]: string };
  readonly extraQuery: { readonly [name: string]: string };
};

export type Client = {
  /** Sends one request, once. @throws what the SDK throws; errors.ts reads it. */
  post(path: ApiPath, body: object, signal: AbortSignal): Promise<unknown>;
  /** The same for a body that asks for a stream. */
  stream(path: ApiPath, body: object, signal: AbortSignal): Promise<Streamed>;
};

/** @throws UserError for a key or a base URL that cannot be used at all. */
export function createClient(options: ClientOptions): Client {
  const apiKey = sendable(options.apiKey.trim(), options.keyName);
  const url = new URL(options.baseUrl);
  const query = { ...Object.fromEntries(url.searchParams), ...options.extraQuery };
  url.search = '';
  const client = new OpenAI({
    apiKey,
    baseURL: withoutEnd(url.href, /\//),
    // Azure's older paths want api-version, which users write into the URL.
    defaultQuery: query,
    defaultHeaders: { ...(isAzure(url) ? azureHeaders(apiKey) : {}), ...options.extraHeaders },
    // What belongs to an account at OpenAI does not go to other servers.
    ...(isOpenAi(url) ? {} : { organization: null, project: null }),
    adminAPIKey: null,
    maxRetries: 0,
    timeout: sdkTimeout,
    // OPENAI_LOG=debug would print prompts into the job's log.
    logLevel: 'off',
    fetch: boundedFetch,
  });
  return {
    post: async (path, body, signal) => {
      const response = await client.post(path, { body, signal }).asResponse();
      return wholeBody(await response.text());
    },
    stream: async (path, body, signal) =>
      readStreamed(await client.post(path, { body, signal, stream: true }).asResponse()),
  };
}

/** Azure takes its keys in a header of its own, and tokens of Entra ID, which are JWTs, as everybody does. */
function azureHeaders(apiKey: string) {
  return /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/.test(apiKey) ? {} : { authorization: null, 'api-key': apiKey };
}

/** How an error's body arrives in `APIError.error`: whole, as the server wrote it. */
type WholeErrorBody = { readonly body: string };

// The SDK keeps only the `error` field: an array (Gemini) or `{object:"error"}` (vLLM) would be lost.
async function boundedFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  // A redirect would take the source, and at some servers the key, to a host that nobody chose.
  const { body, status, statusText, headers, url } = await fetch(input, { ...init, redirect: 'manual' });
  const maxBytes = new URL(url).pathname.endsWith('/embeddings') ? maxVectorBytes : maxAnswerBytes;
  const pieces = body === null ? null : ReadableStream.from(bounded(body, maxBytes));
  const response = new Response(pieces, { status, statusText, headers });
  if (response.ok) return response;
  const error: WholeErrorBody = { body: await response.text() };
  return Response.json({ error }, { status, headers: describing(headers) });
}

function describing(headers: Headers): Headers {
  const kept = new Headers(headers);
  for (const name of ['content-type', 'content-length', 'content-encoding', 'transfer-encoding']) kept.delete(name);
  return kept;
}

export const keyInput = 'the `api-key` input';

function sendable(apiKey: string, keyName = keyInput): string {
  // The reason is not quoted from fetch: its message holds the key.
  if (/[^\x20-\x7e]/.test(apiKey)) {
    throw new UserError('The API key holds characters that cannot be sent in an HTTP header.', {
      hint: `Check ${keyName} for line breaks and quotation marks.`,
    });
  }
  return apiKey;
}

/** A server's answer to a request that asked for a stream: some answer whole anyway. */
type Streamed =
  | { readonly whole: false; readonly events: AsyncIterable<unknown> }
  | { readonly whole: true; readonly body: unknown };

/** Reads an answer by what it is, not by what was asked for: events, or a body. */
async function readStreamed(response: Response): Promise<Streamed> {
  if (isEventStream(response)) return { whole: false, events: eventsOf(response) };
  const body = await response.text();
  // Some proxies name events plain text.
  if (/^\s*(?:data|event|:)/.test(body)) return { whole: false, events: eventsOf(new Response(body)) };
  return { whole: true, body: wholeBody(body) };
}

/** Text where it is no JSON, or nested too deep. */
function wholeBody(body: string): unknown {
  return parseJson(body) ?? body;
}

function isEventStream({ headers }: Response): boolean {
  return /^text\/event-stream\b/i.test(headers.get('content-type') ?? '');
}

/** The SDK's own reader of their JSON knows no limit of depth. */
async function* eventsOf(response: Response): AsyncGenerator<unknown, void> {
  for await (const { data } of _iterSSEMessages(response, new AbortController())) {
    if (data === '[DONE]') return;
    const read = readJsonText(data);
    if (!read.ok) throw new Error(`a part of the answer cannot be read: ${read.problem}`);
    yield read.value;
  }
}

/** What names a proxy, in the order in which a request for https looks. */
const proxyVariables = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'] as const;

/** The variable that names a proxy; null where none does. */
export function proxyVariable(environment: NodeJS.ProcessEnv): string | null {
  return proxyVariables.find((name) => (environment[name] ?? '') !== '') ?? null;
}

/**
 * Makes fetch obey HTTPS_PROXY, HTTP_PROXY and NO_PROXY: Node itself does so from 24.14 on and only when told, and for older ones undici's agent
 * does. Call it once, before the first request. @throws UserError for an unusable proxy.
 */
export async function useProxyFromEnvironment(): Promise<void> {
  if (proxyVariable(process.env) === null) return;
  try {
    if (typeof http.setGlobalProxyFromEnv === 'function') http.setGlobalProxyFromEnv();
    else await useUndici();
  } catch (error) {
    throw new UserError('The proxy that the environment names cannot be used.', {
      hint: 'Check HTTPS_PROXY, HTTP_PROXY and NO_PROXY.',
      cause: error,
    });
  }
}

async function useUndici(): Promise<void> {
  const { EnvHttpProxyAgent, setGlobalDispatcher } = await import(/* webpackMode: "eager" */ 'undici');
  const { emitWarning } = process;
  // Its version 6 calls the agent experimental; version 7 has the same one, and says no such thing.
  process.emitWarning = () => undefined;
  try {
    setGlobalDispatcher(new EnvHttpProxyAgent());
  } finally {
    process.emitWarning = emitWarning;
  }
}
