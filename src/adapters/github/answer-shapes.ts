import { type Parsed, parserFor, type Schema } from '../../core/schema.ts';
import { pathOf } from './pace.ts';

/** An answer that is cut, no JSON, or not what this endpoint answers: as good as none. What was asked may have been done. */
export class BrokenAnswer extends Error {
  override readonly name = 'BrokenAnswer';
  /** As Octokit gives it to errors without an answer. */
  readonly status = 500;
}

type Answered = { readonly method: string; readonly url: string; readonly status: number; readonly data: unknown };

/** Why an answer cannot be believed; null when it is what its endpoint answers. Only what Postil reads is asked for. */
export function brokenAnswer({ method, url, status, data }: Answered): BrokenAnswer | null {
  if (status < 200 || status === 204 || status >= 300) return null;
  const path = pathOf(url);
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
const pull = {
  type: 'object',
  required: ['number', 'head', 'base'],
  properties: { number: integer, head: commit, base: commit },
} as const;
const listedPull = { type: 'object', required: ['number', 'head'], properties: { head: commit } } as const;
const listedReview = { type: 'object', required: ['id', 'state'], properties: { state: text } } as const;
const listedComment = {
  type: 'object',
  required: ['id', 'path', 'body'],
  properties: { path: text, body: text },
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
  shape('GET', /\/pulls\/\d+$/, pull),
  shape('GET', /\/pulls$/, listOf(listedPull)),
  shape('GET', /\/compare\/[^/]+$/, has({ status: text, merge_base_commit: commit })),
  shape('GET', /\/pulls\/\d+\/commits$/, listOf(message)),
  shape('GET', /\/pulls\/\d+\/files$/, listOf(file)),
  shape('GET', /\/pulls\/\d+\/reviews$/, listOf(listedReview)),
  shape('GET', /\/pulls\/\d+\/comments$/, listOf(listedComment)),
  shape('POST', /\/pulls\/\d+\/(?:reviews|comments)$/, written),
  shape('POST', /\/issues\/\d+\/comments$/, written),
  shape('GET', /\/issues\/comments\/\d+$/, written),
  shape('GET', /\/permission$/, has({ permission: text })),
  shape('GET', /\/git\/trees\/[^/]+$/, has({ tree: listOf({ type: 'object' }), truncated: { type: 'boolean' } })),
  shape('GET', /\/git\/blobs\/[^/]+$/, has({ content: text })),
  shape('POST', /\/check-runs$/, check),
  shape('GET', /\/check-runs\/\d+$/, has({ id: integer, status: text, output: { type: 'object' } })),
  shape('GET', /\/commits\/[^/]+\/check-runs$/, has({ check_runs: listOf(check) })),
];
