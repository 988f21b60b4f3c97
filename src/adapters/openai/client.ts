import OpenAI from 'openai';
import { UserError } from '../../core/errors.ts';
import { bounded } from '../../core/read-bounded.ts';
import { isAzure, isOpenAi } from './endpoint.ts';
import { readStreamed, type Streamed } from './event-stream.ts';

/** Milliseconds. A call's time is bounded by the caller's signal; the SDK's own limit must not come first. */
const sdkTimeout = 3_600_000;
/** Bytes of one answer, decompressed: a hundred times what the longest answer of a model takes. */
const maxAnswerBytes = 16_000_000;

export type ApiPath = '/responses' | '/chat/completions' | '/embeddings';

export type ClientOptions = {
  readonly apiKey: string;
  readonly baseUrl: string;
  /** Sent with every request. */
  readonly extraHeaders: { readonly [name: string]: string };
  readonly extraQuery: { readonly [name: string]: string };
};

export type Client = {
  /** Sends one request, once. @throws what the SDK throws; model-errors.ts reads it. */
  post(path: ApiPath, body: object, signal: AbortSignal): Promise<unknown>;
  /** The same for a body that asks for a stream. */
  stream(path: ApiPath, body: object, signal: AbortSignal): Promise<Streamed>;
};

/** @throws UserError for a key or a base URL that cannot be used at all. */
export function createClient(options: ClientOptions): Client {
  const apiKey = sendable(options.apiKey.trim());
  const url = new URL(options.baseUrl);
  const query = { ...Object.fromEntries(url.searchParams), ...options.extraQuery };
  url.search = '';
  const client = new OpenAI({
    apiKey,
    baseURL: url.href.replace(/\/+$/, ''),
    // Azure's older paths want api-version, which users write into the URL.
    defaultQuery: query,
    defaultHeaders: { ...(isAzure(url) ? { authorization: null, 'api-key': apiKey } : {}), ...options.extraHeaders },
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
    post: (path, body, signal) => client.post<unknown>(path, { body, signal }),
    stream: async (path, body, signal) =>
      readStreamed(await client.post(path, { body, signal, stream: true }).asResponse()),
  };
}

/** How an error's body arrives in `APIError.error`: whole, as the server wrote it. */
export type WholeErrorBody = { readonly body: string };

// The SDK keeps only the `error` field: an array (Gemini) or `{object:"error"}` (vLLM) would be lost.
async function boundedFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  // A redirect would take the source, and at some servers the key, to a host that nobody chose.
  const { body, status, statusText, headers } = await fetch(input, { ...init, redirect: 'manual' });
  const pieces = body === null ? null : ReadableStream.from(bounded(body, maxAnswerBytes));
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

function sendable(apiKey: string): string {
  // The reason is not quoted from fetch: its message holds the key.
  if (/[^\x20-\x7e]/.test(apiKey)) {
    throw new UserError('The API key holds characters that cannot be sent in an HTTP header.', {
      hint: 'Check the `api-key` input, or OPENAI_API_KEY, for line breaks and quotation marks.',
    });
  }
  return apiKey;
}
