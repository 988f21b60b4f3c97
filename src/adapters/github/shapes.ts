import { type Infer, listOf, type Parsed, parserFor, type Schema } from '../../core/schema.ts';
import { errorsIn, isRecord, pathOf } from './answers.ts';

export const text = { type: 'string' } as const;
export const integer = { type: 'integer' } as const;
export const boolean = { type: 'boolean' } as const;
export const textOrNull = orNull(text);
export const integerOrNull = orNull(integer);
export const booleanOrNull = orNull(boolean);

type Properties = { readonly [name: string]: Schema };

/** An object with the needed properties, and perhaps the optional ones. */
export function has<const P extends Properties>(needed: P): ObjectWith<P, P>;
export function has<const P extends Properties, const O extends Properties>(
  needed: P,
  optional: O,
): ObjectWith<P, P & O>;
export function has(needed: Properties, optional: Properties = {}) {
  return { type: 'object', required: Object.keys(needed), properties: { ...needed, ...optional } } as const;
}

type ObjectWith<P, All> = {
  readonly type: 'object';
  readonly required: readonly (keyof P & string)[];
  readonly properties: All;
};

export function orNull<const T extends string, const S>({ type, ...schema }: { readonly type: T } & S) {
  return { ...schema, type: [type, 'null'] } as const;
}

/** Parses an answer, or its `data`; an older server may answer in another shape than was asked for. */
export function answerParser<const S extends Schema>(schema: S): (data: unknown) => Infer<S> {
  const parse = parserFor(schema);
  return (data) => {
    const parsed: Parsed<Infer<S>> = parse(data);
    if (parsed.ok) return parsed.value;
    throw new Error(`GitHub's answer has an unexpected shape: ${parsed.problems.slice(0, 3).join('; ')}.`);
  };
}

const commit = has({ sha: text });
// A deleted fork leaves null behind.
const repository = has({}, { full_name: textOrNull, default_branch: textOrNull });
export const branch = has({ sha: text }, { ref: textOrNull, repo: orNull(repository) });

/** What is read of a pull request: only its number and commits are sure to be there. */
export const pullSchema = has(
  { number: integer, head: branch, base: branch },
  {
    title: textOrNull,
    body: textOrNull,
    user: orNull(has({}, { login: textOrNull })),
    state: text,
    merged: booleanOrNull,
    draft: booleanOrNull,
    labels: orNull(listOf(orNull(has({}, { name: textOrNull })))),
    commits: integerOrNull,
    changed_files: integerOrNull,
    comments: integerOrNull,
    review_comments: integerOrNull,
    // In preview: read by itself, so that another shape is no stack and not a broken answer.
    stack: {},
  },
);

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
  if (!isRecord(data) || data instanceof ArrayBuffer) return broken('it is cut, or no JSON');
  const shape = shapes.find((one) => one.method === method && one.path.test(path));
  const parsed = shape?.parse(data) ?? { ok: true };
  if (!parsed.ok) return broken(parsed.problems.join('; '));
  if (!path.endsWith('/graphql')) return null;
  if (!('data' in data || 'errors' in data)) return broken('it has neither data nor errors');
  return errorsIn(data).some(({ message }) => /Something went wrong while executing your query/.test(String(message)))
    ? broken('something went wrong while executing the query')
    : null;
}

/** A query that met the rate limit is answered with 200. */
export function isLimitedQuery(data: unknown): boolean {
  return errorsIn(data).some(({ type }) => type === 'RATE_LIMITED');
}

const written = has({ id: {}, html_url: textOrNull });
const check = has({ id: {} });
const message = has({ sha: text, commit: has({ message: text }) });

type Shape = {
  readonly method: string;
  /** Against the end of the path: an Enterprise Server has more before it. */
  readonly path: RegExp;
  readonly parse: (data: unknown) => Parsed<unknown>;
};

function shape(method: string, path: RegExp, schema: Schema): Shape {
  return { method, path, parse: parserFor(schema, { firstProblem: true }) };
}

const shapes: readonly Shape[] = [
  shape('GET', /\/pulls\/\d+$/, pullSchema),
  shape('GET', /\/pulls$/, listOf(has({ number: {}, head: commit }))),
  shape('GET', /\/compare\/[^/]+$/, has({ status: text, merge_base_commit: commit })),
  shape('GET', /\/pulls\/\d+\/commits$/, listOf(message)),
  shape('GET', /\/pulls\/\d+\/files$/, listOf(has({ filename: text, status: text }))),
  shape('GET', /\/pulls\/\d+\/reviews$/, listOf(has({ id: {}, state: text }))),
  shape('GET', /\/pulls\/\d+\/comments$/, listOf(has({ id: {}, path: text, body: textOrNull }))),
  shape('POST', /\/pulls\/\d+\/(?:reviews|comments)$/, written),
  shape('POST', /\/issues\/\d+\/comments$/, written),
  shape('GET', /\/issues\/comments\/\d+$/, written),
  shape('GET', /\/permission$/, has({ permission: text })),
  shape('GET', /\/git\/trees\/[^/]+$/, has({ tree: listOf(has({})), truncated: boolean })),
  shape('GET', /\/git\/blobs\/[^/]+$/, has({ content: text })),
  shape('POST', /\/check-runs$/, check),
  shape('GET', /\/check-runs\/\d+$/, has({ id: integer, status: text, output: has({}) })),
  shape('GET', /\/commits\/[^/]+\/check-runs$/, has({ check_runs: listOf(check) })),
];
