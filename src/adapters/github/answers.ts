/** An answer with an error status, as Octokit's errors carry it. */
export type Answer = {
  readonly status: number;
  readonly headers: { readonly [name: string]: unknown };
  readonly data: unknown;
};

/** Null when no answer came: the connection failed, broke off or took too long. */
export function answerOf(error: unknown): Answer | null {
  if (!(error instanceof Error) || !('response' in error) || !isRecord(error.response)) return null;
  const { status, headers, data } = error.response;
  if (typeof status !== 'number') return null;
  return { status, headers: isRecord(headers) ? headers : {}, data };
}

/** GitHub's own words in one line of at most 300 characters, the details of a 422 included, links left out. */
export function messageOf(error: unknown): string {
  const answer = answerOf(error);
  const said = wordsOf(answer === null ? graphqlErrors(error) : answer.data);
  // A query may be refused in the same words for every field.
  if (said.length > 0) return oneLine([...new Set(said)].join(': '));
  if (answer !== null) return `HTTP ${answer.status}`;
  return oneLine(error instanceof Error ? error.message : String(error));
}

/** True when GitHub answered a query, and refused all or a part of it. */
export function isQueryRefusal(error: unknown): boolean {
  return answerOf(error) === null && graphqlErrors(error) !== null;
}

/** What GitHub answered of a query that it refused a part of; undefined when that is nothing. */
export function partialData(error: unknown): unknown {
  return isRecord(error) ? error['data'] : undefined;
}

/** Where in a query something was refused, as GitHub tells it: names from the root down. */
export function refusedFields(error: unknown): readonly (readonly unknown[])[] {
  return errorsIn(error).map(({ path }) => (Array.isArray(path) ? path : []));
}

/** What a query that fails is answered with, beside 200. */
export function errorsIn(value: unknown): readonly { readonly [name: string]: unknown }[] {
  return isRecord(value) && Array.isArray(value['errors'])
    ? value['errors'].map((one) => (isRecord(one) ? one : {}))
    : [];
}

type RateLimit = { readonly name: 'rate limit' | 'secondary rate limit'; readonly milliseconds: number };

export function isRateLimit({ status, headers, data }: Answer): boolean {
  if (status !== 403 && status !== 429) return false;
  if (status === 429 || headers['x-ratelimit-remaining'] === '0' || headers['retry-after'] !== undefined) return true;
  return /rate limit/i.test(wordsOf(data).join(' '));
}

/** A limit that a request met, and how long GitHub asks to wait; null for every other error. A 429 is one whatever its words. */
export function rateLimitOf(error: unknown, now: number): RateLimit | null {
  const answer = answerOf(error);
  if (answer === null || !isRateLimit(answer)) return null;
  const { headers } = answer;
  const asked = waitIn(headers['retry-after'], now);
  const isPrimary = headers['x-ratelimit-remaining'] === '0' && asked === null;
  if (!isPrimary) return { name: 'secondary rate limit', milliseconds: asked ?? unknownWait };
  // One second later: the clocks differ.
  const reset = Number(headers['x-ratelimit-reset']) * 1000 - now + 1000;
  return { name: 'rate limit', milliseconds: Number.isFinite(reset) ? Math.max(0, reset) : unknownWait };
}

/** GitHub's advice where it names no time. */
const unknownWait = 60_000;

function waitIn(header: unknown, now: number): number | null {
  if (typeof header !== 'string' || header.trim() === '') return null;
  if (/^\s*\d+\s*$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/** What GitHub says would have been enough, such as "`pull-requests: write`"; null when it does not say. */
export function permissionsIn(answer: Answer): string | null {
  const header = answer.headers['x-accepted-github-permissions'];
  if (typeof header !== 'string' || header.trim() === '') return null;
  const alternatives = header.split(';').map((alternative) =>
    alternative
      .split(',')
      .map((permission) => `\`${permission.trim().replaceAll('_', '-').replace('=', ': ')}\``)
      .join(' and '),
  );
  return alternatives.join(' or ');
}

// A query that fails is answered with 200 and a list of errors.
function graphqlErrors(error: unknown): unknown {
  return isRecord(error) && Array.isArray(error['errors']) ? { errors: error['errors'] } : null;
}

function wordsOf(data: unknown): readonly string[] {
  if (!isRecord(data)) return [];
  const errors = Array.isArray(data['errors']) ? data['errors'] : [data['errors']];
  return [data['message'], ...errors.map((error: unknown) => (isRecord(error) ? detail(error) : error))].filter(
    (words): words is string => typeof words === 'string' && words !== '',
  );
}

function detail(error: { readonly [name: string]: unknown }): unknown {
  if (typeof error['message'] === 'string') return error['message'];
  return [error['resource'], error['field'], error['code']].filter((part) => typeof part === 'string').join(' ');
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim().replace(/\.$/, '');
  return line.length > 300 ? `${line.slice(0, 299)}…` : line;
}

export function isRecord(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null;
}

/** Milliseconds. A wait longer than this is not worth a runner's time: the caller gets the refusal instead. */
export const longestWait = 120_000;
export const waitsPerRequest = 2;

/** What is reported when GitHub asks to wait. */
export function sayWait(
  { name, milliseconds }: RateLimit,
  asked: { method: string; url: string; wait: boolean },
): string {
  const consequence = asked.wait ? 'Waiting.' : 'Not waiting that long.';
  const seconds = Math.ceil(milliseconds / 1000);
  return `GitHub's ${name} asks for ${seconds} s before ${asked.method} ${pathOf(asked.url)}. ${consequence}`;
}

export function pathOf(url: string): string {
  return URL.canParse(url) ? new URL(url).pathname : url;
}

const writesAtOnce = 3;

/**
 * How many milliseconds the next write has to wait: three go at once, then one a second. GitHub asks for a second between many writes; an
 * ordinary run has a review and a summary comment, and would only wait.
 */
export function writePace(pace: 'github' | 'none', now: () => number): () => number {
  let free = writesAtOnce;
  let at = now();
  return () => {
    if (pace === 'none') return 0;
    free = Math.min(writesAtOnce, free + (now() - at) / 1000) - 1;
    at = now();
    return Math.max(0, -free * 1000);
  };
}
