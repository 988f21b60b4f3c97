/** What stands in place of a secret that was found in the source. */
export const valueRedacted = '[redacted: secret]';

/** Shorter values are words that stand everywhere. */
export const minHidden = 8;

/** Takes values out of texts, where two begin at one place the longer. Linear in the text's length, however many there are. */
export function hideValues(values: readonly string[]): (text: string) => string {
  const all = new Set(values.filter(({ length }) => length >= minHidden));
  // Of those that begin alike the lengths, the longest first: few, however many values there are.
  const byStart = new Map<string, number[]>();
  for (const value of [...all].sort((one, other) => other.length - one.length)) {
    const lengths = byStart.get(value.slice(0, minHidden)) ?? [];
    byStart.set(value.slice(0, minHidden), lengths);
    if (!lengths.includes(value.length)) lengths.push(value.length);
  }
  if (byStart.size === 0) return (text) => text;
  const borders = new Set([...byStart.keys()].map((start) => border(start, 0)));
  return (text) => {
    let result = '';
    let copied = 0;
    for (let at = 0; at + minHidden <= text.length; at++) {
      // Two characters tell nearly every place apart, without making a string of it.
      if (!borders.has(border(text, at))) continue;
      const lengths = byStart.get(text.slice(at, at + minHidden));
      const length = lengths?.find((one) => all.has(text.slice(at, at + one)));
      if (length === undefined) continue;
      result += text.slice(copied, at) + valueRedacted;
      copied = at + length;
      at = copied - 1;
    }
    return copied === 0 ? text : result + text.slice(copied);
  };
}

function border(text: string, at: number): number {
  return text.charCodeAt(at) * 65_536 + text.charCodeAt(at + minHidden - 1);
}
