import { field, isObject, list, parseJson, text } from './json.ts';

/** True when the parameter is named anywhere. For names that are no words of English. */
export function mentions(words: ServerWords, parameter: string): boolean {
  return new RegExp(`\\b${parameter}\\b`).test(words.all);
}

/** True when the parameter is named as one: quoted, or at the end of a path such as `tools[0].function.strict`. */
export function quotes(words: ServerWords, parameter: string): boolean {
  if (words.param === parameter) return true;
  return new RegExp(`["'\`.\\]]${parameter}(\\\\?["'\`]|[.[])`).test(words.all);
}

/** A parameter that the server has never heard of must be left out; one that it dislikes may be set otherwise. */
export function isUnknown(words: ServerWords): boolean {
  return /\bunknown|unrecogni[sz]ed|cannot find|unexpected|extra (inputs?|fields?)|not permitted/i.test(words.all);
}

/** OpenAI's reasoning models: "Function tools with reasoning_effort are not supported … use /v1/responses". */
export function asksForResponses(words: ServerWords): boolean {
  return /\/responses\b|\bresponses api\b/i.test(words.all);
}

export function lacksResponses(words: ServerWords): boolean {
  if ([404, 405, 501].includes(words.status)) return !concernsModel(words);
  return /responses( api| endpoint)?\b.{0,40}\b(not (supported|enabled|available)|unsupported)/i.test(words.all);
}

export function concernsModel(words: ServerWords): boolean {
  if (words.code === 'model_not_found' || words.param === 'model') return true;
  return /\bmodels?\b.{0,120}\b(not found|not exist|unknown|not available|no access)/i.test(words.message);
}

const noTools: readonly RegExp[] = [
  // Ollama, LM Studio: "… does not support tools"; OpenRouter: "No endpoints found that support tool use".
  /\b(not|no endpoints found that) support (the )?(tool|function)/i,
  // Groq, Azure, gateways: "`tool calling` is not supported with this model".
  /\b(tools?|tool (use|calling|calls)|function[ -]call(s|ing)?)\b\W{0,3}(param(eter)? )?(is|are)? ?(not|un) ?(supported|available|enabled)/i,
  // vLLM without a parser; llama.cpp without its templates.
  /requires --enable-auto-tool-choice|tools? .{0,20}requires? --jinja/i,
];

export function lacksTools(words: ServerWords): boolean {
  return noTools.some((pattern) => pattern.test(words.message)) || words.param === 'tools';
}

const noImages: readonly RegExp[] = [
  // OpenAI: "image_url is only supported by certain models"; DeepSeek: "unknown variant `image_url`, expected `text`".
  /\bimage_url\W{0,4}(is )?only supported\b|\b(unknown|unsupported|invalid|unexpected)\b.{0,40}\b(image_url|input_image)\b/i,
  // Ollama: "does not support image input"; OpenRouter: "No endpoints found that support image input"; vLLM: "is not a multimodal model".
  /(\bnot|n't|\bno endpoints found that)\b.{0,30}\b(images?|vision|multi-?modal)\b/i,
  // llama.cpp: "image input is not supported"; Gemini: "Image input modality is not enabled".
  /\b(images?|vision|multi-?modal)\b.{0,40}\b(not|un) ?-?(supported|enabled|allowed|available|permitted|accepted)\b/i,
  /\bat most 0 image/i,
  // What a server makes of an image that it cannot read: the review goes on without.
  /\b(invalid|unsupported|could not (process|download)|failed to (load|decode|process)|unable to process)\b.{0,20}\bimages?\b/i,
  // Servers whose messages are text alone (Groq; FastAPI in front of anything).
  /\bcontent\W{0,6}(must be|should be|expected) a (valid )?string\b|\bcontent\b.{0,80}\bInput should be a valid string\b/i,
];

/** A model without eyes. Asked only of a request that has images. */
export function lacksImages(words: ServerWords): boolean {
  return noImages.some((pattern) => pattern.test(words.message));
}

const badSchema =
  /invalid schema for function|function_declarations|additionalProperties|tools\[\d{1,4}\]\S{0,200}parameters/i;

export function refusesSchema(words: ServerWords): boolean {
  return badSchema.test(words.all);
}

/** OpenAI wants a verified organization for some models; gateways cannot stream tools or not at all. */
export function refusesStream(words: ServerWords): boolean {
  return (
    quotes(words, 'stream') ||
    /\bstream(ing)?\b.{0,60}\b(not|un)[ -]?(supported|allowed|available|enabled|permitted)/i.test(words.message)
  );
}

/** A field of an earlier answer that the server wrote itself and does not take back. */
export function refusesReplay(words: ServerWords): boolean {
  if (/items are not persisted|without its required following item/i.test(words.message)) return true;
  const place = /\b(messages|input)\W{1,4}\d+/.test(words.all);
  return place && /unsupported|not (permitted|allowed|supported)|unrecogni[sz]ed|unknown|unexpected/i.test(words.all);
}

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
  return value === undefined ? plainWords(body, status) : wordsOf(value, status);
}

/** The error inside a 200; null when there is none. `status` is what its code stands for. */
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
  const code = cut(asText(field(error, 'code')));
  const type = cut(field(error, 'type')) || cut(field(error, 'status'));
  const message = messageOf(error);
  return {
    status: status === 200 ? statusOf(code, type) : status,
    message,
    all: `${message} ${JSON.stringify(error) ?? ''}`.slice(0, mostCharacters),
    code,
    type,
    param: cut(field(error, 'param')),
  };
}

function messageOf(error: unknown): string {
  const candidates = [error, field(error, 'error'), field(error, 'message'), field(error, 'detail')].map(text);
  const said = candidates.find((candidate) => candidate !== '') ?? (JSON.stringify(error) ?? '').slice(0, 600);
  // OpenRouter says "Provider returned error" and keeps the provider's own words here.
  const provider = asText(field(field(error, 'metadata'), 'raw'));
  const details = list(field(error, 'detail')).map((detail) => JSON.stringify(detail));
  return cut([said, provider, ...details].filter((part) => part !== '').join(' '));
}

/** Of each text of an error: expressions search it that may take long, and whoever wrote megabytes said it at their beginning. */
const mostCharacters = 4_000;

function cut(value: unknown): string {
  return text(value).slice(0, mostCharacters);
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
  // Proxies and wrong URLs answer with pages.
  const html = /^(<!doctype html|<html|<head|<body|<\?xml)/i.test(trimmed);
  const message = html ? describePage(cut(trimmed)) : trimmed.slice(0, 600);
  return { status, message, all: html ? '' : cut(trimmed), code: html ? 'html' : '', type: '', param: '' };
}

/** A page is named by its title, never dumped. */
function describePage(page: string): string {
  const title = /<title[^>]*>([^<]{1,200})<\/title>/i.exec(page)?.[1]?.replaceAll(/\s+/g, ' ').trim() ?? '';
  return title === '' ? 'an HTML page came back' : `an HTML page came back, "${title}"`;
}
