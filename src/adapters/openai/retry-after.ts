/** How long the server asks to wait, in milliseconds, however long; null when it does not say. */
export function retryAfter(headers: Headers | undefined, words: string): number | null {
  return inHeaders(headers) ?? inWords(words);
}

function inHeaders(headers: Headers | undefined): number | null {
  const milliseconds = headers?.get('retry-after-ms') ?? '';
  if (isNumber(milliseconds)) return Math.ceil(Number(milliseconds));
  const wait = headers?.get('retry-after') ?? '';
  if (isNumber(wait)) return Math.ceil(Number(wait) * 1000);
  const date = Date.parse(wait);
  return Number.isNaN(date) ? null : Math.max(0, date - Date.now());
}

// Gemini's compatible API sends no header, only `Please retry in 34.07s` and a `retryDelay`; Azure writes `retry after 26 seconds`.
function inWords(words: string): number | null {
  const found = /(?:retry|try again) (?:in|after) (?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?) ?(m?s))?/i.exec(words);
  if (found === null) return null;
  const [, hours, minutes, amount, unit] = found;
  if ((hours ?? minutes ?? amount) === undefined) return null;
  const rest = Number(amount ?? 0) * (unit === 'ms' ? 1 : 1000);
  return Math.ceil(Number(hours ?? 0) * 3_600_000 + Number(minutes ?? 0) * 60_000 + rest);
}

function isNumber(header: string): boolean {
  return /^\s*\d+(\.\d+)?\s*$/.test(header);
}
