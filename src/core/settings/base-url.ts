/** Why a base URL may not be used; null when it may. */
export function baseUrlProblem(text: string): string | null {
  const url = parse(text);
  const allowed = 'allowed: https, or http on loopback and private hosts';
  if (url === null) return `'base-url' is ${JSON.stringify(text)}, which is not a URL; ${allowed}.`;
  if (url.username !== '' || url.password !== '')
    return "'base-url' holds a user or password; put the key into 'api-key'.";
  if (url.protocol === 'https:') return null;
  if (url.protocol === 'http:' && isPrivate(url.hostname)) return null;
  return `'base-url' is ${JSON.stringify(text)}; ${allowed}.`;
}

export function baseUrlWarning(text: string): readonly string[] {
  const url = parse(text);
  if (url?.protocol !== 'http:' || isLoopback(url.hostname)) return [];
  return [`'base-url' is plain http on ${url.hostname}: the key and the source travel unencrypted.`];
}

export function isOpenAiHost(baseUrl: string): boolean {
  return parse(baseUrl)?.hostname === 'api.openai.com';
}

function parse(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

function isPrivate(host: string): boolean {
  if (
    isLoopback(host) ||
    /^10(\.\d{1,3}){3}$|^192\.168(\.\d{1,3}){2}$|^172\.(1[6-9]|2\d|3[01])(\.\d{1,3}){2}$/.test(host)
  )
    return true;
  if (/^\[f[cd][0-9a-f]{2}:/i.test(host)) return true;
  // A name without a dot is a service container or a host of the local network.
  return !host.includes('.') && !host.includes(':') ? true : /\.(local|internal|localhost)$/.test(host);
}
