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
