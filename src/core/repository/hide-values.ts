/** What stands in place of a secret that was found in the source. */
export const valueRedacted = '[redacted: secret]';

/** Shorter values are words that stand everywhere. */
export const minHidden = 8;

/** A credential that was found in the source. */
export type Secret = {
  readonly value: string;
  /** The line that it is hidden in, and nowhere else: it might as well be code, or a word. Null where it is hidden wherever it stands. */
  readonly line: string | null;
};

/** Takes credentials out of texts: the value alone, never what stands around it. */
export function hideSecrets(secrets: readonly Secret[]): (text: string) => string {
  return hideTexts(replacements(secrets));
}

/** Takes values out of texts, where two begin at one place the longer. */
export function hideValues(values: readonly string[]): (text: string) => string {
  return hideTexts(new Map(values.map((value) => [value, valueRedacted])));
}

/** By each text to look for what stands in its place: a value, or a whole line without it. */
export function replacements(secrets: readonly Secret[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  const byLine = new Map<string, string[]>();
  for (const { value, line } of secrets) {
    if (value.length < minHidden) continue;
    if (line === null) {
      texts.set(value, valueRedacted);
      continue;
    }
    const values = byLine.get(line) ?? [];
    byLine.set(line, values);
    values.push(value);
  }
  // Once over each line: a hostile one has megabytes, and thousands of values.
  for (const [line, values] of byLine) texts.set(line, hideValues(values)(line));
  return texts;
}

/** Puts other texts in the place of some, where two begin at one place of the longer. Linear in the text's length, however many there are. */
export function hideTexts(texts: ReadonlyMap<string, string>): (text: string) => string {
  const all = new Map([...texts].filter(([{ length }]) => length >= minHidden));
  // Of those that begin alike the lengths, the longest first: few, however many values there are.
  const byStart = new Map<string, number[]>();
  for (const value of [...all.keys()].sort((one, other) => other.length - one.length)) {
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
      result += text.slice(copied, at) + all.get(text.slice(at, at + length));
      copied = at + length;
      at = copied - 1;
    }
    return copied === 0 ? text : result + text.slice(copied);
  };
}

function border(text: string, at: number): number {
  return text.charCodeAt(at) * 65_536 + text.charCodeAt(at + minHidden - 1);
}
