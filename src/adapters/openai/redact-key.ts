const shortestPart = 8;
const shortestKey = 4;

/**
 * Hides the key in text of the server: whole, and every part of it of 8 characters and more. OpenAI echoes
 * `Incorrect API key provided: sk-ab***wxyz`, so words with a row of stars are hidden too.
 */
export function redactKey(written: string, apiKey: string): string {
  const key = apiKey.trim();
  const starred = written.replaceAll(/[^\s"'`<>]*\*{3,}[^\s"'`<>,.;]*/g, '[redacted]');
  if (key.length < shortestKey) return starred;
  const parts = partsOf(key);
  const length = Math.min(shortestPart, key.length);
  let kept = '';
  let hiddenTo = 0;
  for (let index = 0; index < starred.length; index++) {
    if (parts.has(starred.slice(index, index + length))) {
      if (index >= hiddenTo) kept += '[redacted]';
      hiddenTo = index + length;
    }
    if (index >= hiddenTo) kept += starred[index];
  }
  return kept;
}

function partsOf(key: string): ReadonlySet<string> {
  if (key.length <= shortestPart) return new Set([key]);
  return new Set(
    Array.from({ length: key.length - shortestPart + 1 }, (_, start) => key.slice(start, start + shortestPart)),
  );
}
