import { type Parsed, parserFor, type Schema } from '../../core/schema.ts';

/** An answer that is cut, no JSON, or not what this endpoint answers: as good as none. What was asked may have been done. */
export class BrokenAnswer extends Error {
  override readonly name = 'BrokenAnswer';
  /** As Octokit gives it to errors without an answer. */
  readonly status = 500;
}

/** Why an answer cannot be believed; null when it is what its endpoint answers. Only what Postil reads is asked for. */
export function brokenAnswer(answer: {
  method: string;
  url: string;
  status: number;
  data: unknown;
}): BrokenAnswer | null {
  const { method, status, data } = answer;
  if (status < 200 || status === 204 || status >= 300) return null;
  const path = pathOf(answer.url);
  const broken = (why: string) => new BrokenAnswer(`the answer to ${method} ${path} is broken: ${why}`);
  // Octokit hands over as text what it cannot parse.
  if (typeof data !== 'object' || data === null || data instanceof ArrayBuffer) return broken('it is cut, or no JSON');
  const shape = shapes.find((one) => one.method === method && one.path.test(path));
  const parsed = shape?.parse(data) ?? { ok: true };
  if (!parsed.ok) return broken(parsed.problems.join('; '));
  if (!path.endsWith('/graphql')) return null;
  if (!('data' in data || 'errors' in data)) return broken('it has neither data nor errors');
  return queryErrors(data).some((said) => /Something went wrong while executing your query/.test(said.message ?? ''))
    ? broken('something went wrong while executing the query')
    : null;
}

/** A query that met the rate limit is answered with 200. */
export function isLimitedQuery(data: unknown): boolean {
  return queryErrors(data).some(({ type }) => type === 'RATE_LIMITED');
}

const parseErrors = parserFor({
  type: 'object',
  required: ['errors'],
  properties: {
    errors: {
      type: 'array',
      items: { type: 'object', properties: { type: { type: 'string' }, message: { type: 'string' } } },
    },
  },
});

function queryErrors(data: unknown) {
  const parsed = parseErrors(data);
  return parsed.ok ? parsed.value.errors : [];
}

const text = { type: 'string' } as const;
const integer = { type: 'integer' } as const;
const commit = { type: 'object', required: ['sha'], properties: { sha: text } } as const;
const written = {
  type: 'object',
  required: ['id', 'html_url'],
  properties: { html_url: { type: ['string', 'null'] } },
} as const;
const textOrNull = { type: ['string', 'null'] } as const;
const integerOrNull = { type: ['integer', 'null'] } as const;
const booleanOrNull = { type: ['boolean', 'null'] } as const;
const branch = {
  type: 'object',
  required: ['sha'],
  // A deleted fork leaves null behind.
  properties: { ref: textOrNull, sha: text, repo: { type: ['object', 'null'], properties: { full_name: textOrNull } } },
} as const;

/** What is read of a pull request: only its number and commits are sure to be there. */
export const pullSchema = {
  type: 'object',
  required: ['number', 'head', 'base'],
  properties: {
    number: integer,
    title: textOrNull,
    body: textOrNull,
    user: { type: ['object', 'null'], properties: { login: textOrNull } },
    state: text,
    merged: booleanOrNull,
    draft: booleanOrNull,
    labels: { type: ['array', 'null'], items: { type: ['object', 'null'], properties: { name: textOrNull } } },
    base: branch,
    head: branch,
    commits: integerOrNull,
    changed_files: integerOrNull,
    comments: integerOrNull,
    review_comments: integerOrNull,
  },
} as const;
const listedPull = { type: 'object', required: ['number', 'head'], properties: { head: commit } } as const;
const listedReview = { type: 'object', required: ['id', 'state'], properties: { state: text } } as const;
const listedComment = {
  type: 'object',
  required: ['id', 'path', 'body'],
  properties: { path: text, body: textOrNull },
} as const;
const file = {
  type: 'object',
  required: ['filename', 'status'],
  properties: { filename: text, status: text },
} as const;
const message = {
  type: 'object',
  required: ['sha', 'commit'],
  properties: { sha: text, commit: { type: 'object', required: ['message'], properties: { message: text } } },
} as const;
const check = { type: 'object', required: ['id'] } as const;

type Shape = {
  readonly method: string;
  /** Against the end of the path: an Enterprise Server has more before it. */
  readonly path: RegExp;
  readonly parse: (data: unknown) => Parsed<unknown>;
};

function shape(method: string, path: RegExp, schema: Schema): Shape {
  return { method, path, parse: parserFor(schema, { firstProblem: true }) };
}

function listOf(items: Schema): Schema {
  return { type: 'array', items };
}

function has(properties: { readonly [name: string]: Schema }): Schema {
  return { type: 'object', required: Object.keys(properties), properties };
}

const shapes: readonly Shape[] = [
  shape('GET', /\/pulls\/\d+$/, pullSchema),
  shape('GET', /\/pulls$/, listOf(listedPull)),
  shape('GET', /\/compare\/[^/]+$/, has({ status: text, merge_base_commit: commit })),
  shape('GET', /\/pulls\/\d+\/commits$/, listOf(message)),
  shape('GET', /\/pulls\/\d+\/files$/, listOf(file)),
  shape('GET', /\/pulls\/\d+\/reviews$/, listOf(listedReview)),
  shape('GET', /\/pulls\/\d+\/comments$/, listOf(listedComment)),
  shape('POST', /\/pulls\/\d+\/(?:reviews|comments)$/, written),
  shape('POST', /\/issues\/\d+\/comments$/, written),
  shape('GET', /\/issues\/\d+\/comments$/, listOf(written)),
  shape('GET', /\/issues\/comments\/\d+$/, written),
  shape('GET', /\/permission$/, has({ permission: text })),
  shape('GET', /\/git\/trees\/[^/]+$/, has({ tree: listOf({ type: 'object' }), truncated: { type: 'boolean' } })),
  shape('GET', /\/git\/blobs\/[^/]+$/, has({ content: text })),
  shape('POST', /\/check-runs$/, check),
  shape('GET', /\/check-runs\/\d+$/, has({ id: integer, status: text, output: { type: 'object' } })),
  shape('GET', /\/commits\/[^/]+\/check-runs$/, has({ check_runs: listOf(check) })),
];

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
  if (!isRecord(error) || !Array.isArray(error['errors'])) return [];
  return error['errors'].map((one: unknown) => (isRecord(one) && Array.isArray(one['path']) ? one['path'] : []));
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

function isRecord(value: unknown): value is { readonly [name: string]: unknown } {
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

function pathOf(url: string): string {
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
