import { field, isObject, list, parseJson, text } from './json.ts';

/** What a server said when it refused, whatever shape it used. Texts are untrusted and may echo the key. */
export type ServerWords = {
  /** HTTP status, or the one named inside a 200. */
  readonly status: number;
  /** For people: the server's message, or a description of a page. Never HTML. */
  readonly message: string;
  /** Everything that the error says, for the ladder's conditions; at most 4,000 characters. */
  readonly all: string;
  readonly code: string;
  readonly type: string;
  readonly param: string;
};

/** Bodies come as `{error}`, as an array (Gemini), `{object:"error"}` (vLLM), `{detail}` (FastAPI) and as HTML (proxies). */
export function readServerWords(body: string, status: number): ServerWords {
  const value = parseJson(body);
  if (value === undefined) return plainWords(body, status);
  return wordsOf(value, status);
}

/** The error inside a 200 (FAILURES M15); null when there is none. `status` is what its code stands for. */
export function errorInside(answer: unknown): ServerWords | null {
  const first = Array.isArray(answer) ? answer[0] : answer;
  const error = field(first, 'error');
  if (isObject(error) || (typeof error === 'string' && error !== '')) return wordsOf(first, 200);
  return field(first, 'object') === 'error' ? wordsOf(first, 200) : null;
}

function wordsOf(value: unknown, status: number): ServerWords {
  const outer = Array.isArray(value) ? value[0] : value;
  const inner = field(outer, 'error');
  const error = isObject(inner) ? inner : outer;
  const code = asText(field(error, 'code'));
  const type = text(field(error, 'type')) || text(field(error, 'status'));
  const message = messageOf(error);
  return {
    status: status === 200 ? statusOf(code, type) : status,
    message,
    all: `${message} ${JSON.stringify(error) ?? ''}`.slice(0, 4000),
    code,
    type,
    param: text(field(error, 'param')),
  };
}

function messageOf(error: unknown): string {
  const candidates = [error, field(error, 'error'), field(error, 'message'), field(error, 'detail')].map(text);
  const said = candidates.find((candidate) => candidate !== '') ?? (JSON.stringify(error) ?? '').slice(0, 600);
  // OpenRouter says "Provider returned error" and keeps the provider's own words here.
  const provider = asText(field(field(error, 'metadata'), 'raw'));
  const details = list(field(error, 'detail')).map((detail) => JSON.stringify(detail));
  return [said, provider, ...details].filter((part) => part !== '').join(' ');
}

function asText(value: unknown): string {
  return typeof value === 'number' ? String(value) : text(value);
}

const statusByWord: readonly (readonly [RegExp, number])[] = [
  [/^[45]\d\d$/, 0],
  [/rate_?limit|too_many|resource_exhausted/i, 429],
  [/insufficient_quota|billing/i, 429],
  [/invalid_api_key|authentication|unauthenticated/i, 401],
  [/permission/i, 403],
  [/model_not_found|not_found/i, 404],
  [/context_length|invalid|bad_?request|unsupported/i, 400],
];

// An error without a readable cause is taken for an overloaded server, which is worth another attempt.
function statusOf(code: string, type: string): number {
  for (const word of [code, type]) {
    const found = statusByWord.find(([pattern]) => pattern.test(word));
    if (found !== undefined) return found[1] === 0 ? Number(word) : found[1];
  }
  return 502;
}

function plainWords(body: string, status: number): ServerWords {
  const trimmed = body.trim();
  const html = isHtml(trimmed);
  const message = html ? describePage(trimmed, status) : trimmed.slice(0, 600);
  return { status, message, all: html ? '' : trimmed.slice(0, 4000), code: html ? 'html' : '', type: '', param: '' };
}

/** Proxies and wrong URLs answer with pages. */
export function isHtml(body: string): boolean {
  return /^\s*(<!doctype html|<html|<head|<body|<\?xml)/i.test(body);
}

/** A page is named by its title, never dumped. */
export function describePage(page: string, status: number): string {
  const title = /<title[^>]*>([^<]{1,200})<\/title>/i.exec(page)?.[1]?.replaceAll(/\s+/g, ' ').trim() ?? '';
  const name = title === '' ? 'no title' : `"${title}"`;
  return `the server answered with an HTML page (status ${status}): ${name}`;
}
