/** OpenAI's own servers, regional ones included. */
export function isOpenAi(url: URL): boolean {
  return url.hostname === 'api.openai.com' || url.hostname.endsWith('.api.openai.com');
}

export function isAzure(url: URL): boolean {
  return /\.(openai|services\.ai|cognitiveservices)\.azure\.com$/.test(url.hostname);
}

/** Azure serves Responses under its v1 path only, not under the older one by deployment. */
export function speaksResponses(url: URL): boolean {
  return isOpenAi(url) || (isAzure(url) && /^\/openai\/v1(\/|$)/.test(url.pathname));
}
