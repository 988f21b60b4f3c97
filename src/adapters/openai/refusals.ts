import type { ServerWords } from './server-words.ts';

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

export function refusesSchema(words: ServerWords): boolean {
  return /invalid schema for function|function_declarations|additionalProperties|tools\[\d+\]\S*parameters/i.test(
    words.all,
  );
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
