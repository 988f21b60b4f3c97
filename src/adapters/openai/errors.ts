import { APIConnectionError, APIError } from 'openai';
import { ModelError, type ModelErrorKind } from '../../core/agent/model.ts';
import { TooLarge } from '../../core/bounded.ts';
import { isUnusableAddress, trustHint } from '../../core/errors.ts';
import { field, text } from './json.ts';
import { concernsModel, readServerWords, type ServerWords } from './refusals.ts';

export type Endpoint = {
  readonly host: string;
  readonly model: string;
  readonly apiKey: string;
  /** Where people put it. */
  readonly keyName: string;
  /** It has answered in this run: a page in between is a proxy's. */
  readonly known?: boolean;
};

/** What the server said when it refused; null when the request failed without an answer. */
export function wordsFrom(error: unknown): { readonly words: ServerWords; readonly headers: Headers } | null {
  if (!(error instanceof APIError) || error.status === undefined || error.headers === undefined) return null;
  return { words: readServerWords(text(field(error.error, 'body')), error.status), headers: error.headers };
}

/** Words to print: one line, short, without the key. */
export function quoted(words: ServerWords, apiKey: string): string {
  const line = redactKey(words.message, apiKey).replaceAll(/\s+/g, ' ').trim();
  return line.length > 500 ? `${line.slice(0, 500)}…` : line;
}

/** The error of a refusal that no step of the ladder answers. The SDK's own is no cause: it holds what the server echoed. */
export function refusedBy(
  endpoint: Endpoint,
  refusal: { words: ServerWords; headers: Headers | undefined },
): ModelError {
  const { words, headers } = refusal;
  const kind = kindOf(words, endpoint.known === true);
  const said = quoted(words, endpoint.apiKey);
  const message = `${endpoint.host} ${whatHappened(kind, words, endpoint)} (${words.status})`;
  return new ModelError(kind, said === '' ? message : `${message}: ${said}`, {
    hint: hintFor(kind, words, endpoint),
    status: words.status,
    retryAfter: kind === 'transient' ? (waitInHeaders(headers) ?? waitInWords(words.all)) : null,
  });
}

/** The prompt did not leave: no connection was made, or the proxy made none. */
const neverConnected =
  /ECONNREFUSED|ENOTFOUND|EAI_\w+|ENETUNREACH|ENETDOWN|EHOSTUNREACH|EHOSTDOWN|EADDRNOTAVAIL|connect (?:timeout|ETIMEDOUT|EACCES|EPERM)|HTTP Tunneling/i;

/** The error of a request that got no answer, or one cut in the middle. */
export function unanswered(endpoint: Endpoint, error: unknown): ModelError {
  const { host, model } = endpoint;
  const reason = redactKey(innermost(error), endpoint.apiKey);
  // Waiting makes no difference to such an address.
  if (error instanceof APIConnectionError && isUnusableAddress(reason)) {
    const trust = trustHint(reason, 'NODE_EXTRA_CA_CERTS');
    const message = trust
      ? `${host} has a certificate that this machine does not trust: ${reason}.`
      : `No connection to ${host} is possible: ${reason}.`;
    return new ModelError('unknown-model', message, { hint: trust ?? addressHint });
  }
  // The same question would bring the same flood.
  if (isTooLarge(error)) {
    const message = `${host} answered too much for model ${model}: ${reason}.`;
    const hint = 'Lower `max-tokens`, or use another `model`.';
    return new ModelError('refused-request', message, { hint, maybeBilled: true });
  }
  const isUnconnected = neverConnected.test(reason);
  const what = isUnconnected ? `Could not connect to ${host}` : `No complete answer came from ${host}`;
  return new ModelError('transient', `${what}: ${reason}`, {
    hint: error instanceof APIConnectionError ? addressHint : hints.transient,
    maybeBilled: !isUnconnected,
  });
}

export function aborted(endpoint: Endpoint): ModelError {
  return new ModelError('aborted', `The call to ${endpoint.host} for model ${endpoint.model} was aborted.`);
}

const overflow =
  /context_length_exceeded|(prompt|input|request) (is )?too (long|large)|maximum context length|context (length|window|size)|input token count|too many (input )?tokens|reduce the length/i;

function kindOf(words: ServerWords, known: boolean): ModelErrorKind {
  const { status } = words;
  // A 200 that is no answer: usually a base URL without its /v1, answered by a web site.
  if (status === 200) return known ? 'transient' : 'unknown-model';
  if (status === 402 || /insufficient_quota|billing_hard_limit/.test(`${words.code} ${words.type}`)) return 'quota';
  if (status === 413 || (status < 500 && overflow.test(`${words.code} ${words.message}`))) return 'context-overflow';
  if (status === 401 || status === 403) return 'authentication';
  // Gemini answers 400 to a wrong key.
  if (status === 400 && /api[ _-]?key (is )?(not valid|invalid)|invalid api[ _-]?key/i.test(words.all)) {
    return 'authentication';
  }
  if ([408, 409, 425, 429].includes(status) || (status >= 500 && status !== 501)) return 'transient';
  if ([404, 405, 410].includes(status) || words.code === 'model_not_found') return 'unknown-model';
  return status === 400 && concernsModel(words) ? 'unknown-model' : 'refused-request';
}

function whatHappened(kind: ModelErrorKind, words: ServerWords, { model }: Endpoint): string {
  const { status } = words;
  // A page that is no error is no answer either.
  if (status === 200) return "did not answer with the API's JSON";
  switch (kind) {
    case 'transient':
      return status === 429 ? 'limits the rate of requests' : 'could not answer';
    case 'authentication':
      return status === 403 ? `does not permit the request for model ${model}` : 'rejected the API key';
    case 'quota':
      return 'reports no quota left for the API key';
    case 'unknown-model':
      return `does not know the model ${model}${concernsModel(words) ? '' : ' or the address'}`;
    case 'context-overflow':
      return `found the prompt too long for model ${model}`;
    case 'refused-request':
      return `did not accept the request for model ${model}`;
    case 'aborted':
      return 'was aborted';
  }
}

const rateHint = 'Lower `concurrency`, or run it again later.';
const addressHint = 'Check `base-url` (host, port, https or http), the network and the proxy.';

function hintFor(kind: ModelErrorKind, { status }: ServerWords, { keyName }: Endpoint): string {
  if (kind === 'authentication') return `Check ${keyName}, and that the key may use this model at this \`base-url\`.`;
  return status === 429 && kind === 'transient' ? rateHint : hints[kind];
}

const hints: Readonly<Record<Exclude<ModelErrorKind, 'authentication'>, string>> = {
  transient: 'Run it again later. If it goes on, check `base-url`, the network and the proxy.',
  quota: 'Add credit to the account of the key, or use another one.',
  'unknown-model': 'Check `model`, `api` and `base-url` (most servers want a path such as /v1).',
  'context-overflow': 'Lower `batch-tokens`, or use a `model` with a larger context.',
  'refused-request': 'Check `model`, `api` and `base-url` against what this server supports.',
  aborted: '',
};

function isTooLarge(error: unknown): boolean {
  return error instanceof TooLarge || (error instanceof Error && isTooLarge(error.cause));
}

function innermost(error: unknown): string {
  let deepest = error;
  while (deepest instanceof Error && deepest.cause instanceof Error) deepest = deepest.cause;
  if (!(deepest instanceof Error)) return 'the connection failed';
  const code = text(field(deepest, 'code'));
  // A refused connection to several addresses is an AggregateError without a message.
  return deepest.message === '' ? code || 'the connection failed' : deepest.message;
}

const shortestPart = 8;
const shortestKey = 4;

/**
 * Hides the key in text of the server: whole, and every part of it of 8 characters and more. OpenAI echoes
 * `Incorrect API key provided: sk-ab***wxyz`, so words with a row of stars are hidden too.
 */
export function redactKey(written: string, apiKey: string): string {
  const key = apiKey.trim();
  const starred = written.replaceAll(/[^\s"'`<>]+/g, (word) => {
    const stars = word.lastIndexOf('***');
    return stars === -1 ? word : `[redacted]${word.slice(stars).replace(/^[^,.;]*/, '')}`;
  });
  if (key.length < shortestKey) return starred;
  const parts = partsOf(key);
  const length = Math.min(shortestPart, key.length);
  let kept = '';
  let hiddenTo = 0;
  for (let index = 0; index < starred.length; index++) {
    if (parts.has(starred.slice(index, index + length))) {
      if (index >= hiddenTo) kept += '[redacted]';
      hiddenTo = index + length;
    }
    if (index >= hiddenTo) kept += starred[index];
  }
  return kept;
}

function partsOf(key: string): ReadonlySet<string> {
  if (key.length <= shortestPart) return new Set([key]);
  return new Set(
    Array.from({ length: key.length - shortestPart + 1 }, (_, start) => key.slice(start, start + shortestPart)),
  );
}

/** How long the server asks to wait, in milliseconds, however long; null when it does not say. */
function waitInHeaders(headers: Headers | undefined): number | null {
  const milliseconds = headers?.get('retry-after-ms') ?? '';
  if (isNumber(milliseconds)) return Math.ceil(Number(milliseconds));
  const wait = headers?.get('retry-after') ?? '';
  if (isNumber(wait)) return Math.ceil(Number(wait) * 1000);
  const date = Date.parse(wait);
  return Number.isNaN(date) ? null : Math.max(0, date - Date.now());
}

// Gemini's compatible API sends no header, only `Please retry in 34.07s` and a `retryDelay`; Azure writes `retry after 26 seconds`.
function waitInWords(words: string): number | null {
  const found = /(?:retry|try again) (?:in|after) (?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?) ?(m?s))?/i.exec(words);
  if (found === null) return null;
  const [, hours, minutes, amount, unit] = found;
  if ((hours ?? minutes ?? amount) === undefined) return null;
  const rest = Number(amount ?? 0) * (unit === 'ms' ? 1 : 1000);
  return Math.ceil(Number(hours ?? 0) * 3_600_000 + Number(minutes ?? 0) * 60_000 + rest);
}

function isNumber(header: string): boolean {
  return /^\s*\d+(\.\d+)?\s*$/.test(header);
}
