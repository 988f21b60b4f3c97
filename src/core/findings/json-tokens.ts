export type JsonToken = {
  readonly kind: 'string' | 'comment' | 'open' | 'close' | 'space' | 'other';
  readonly start: number;
  readonly end: number;
};

const tokenPattern =
  /(?<string>"[^"\\]*(?:\\[\s\S][^"\\]*)*(?:"|$))|(?<comment>\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|(?<open>[{[])|(?<close>[}\]])|(?<space>\s+)|[^"{}[\]\s,/]+|[\s\S]/y;

/** Cuts text into the parts of JSON from `start` on, without judging them. A comma is a token of its own. */
export function* jsonTokens(text: string, start = 0): Generator<JsonToken> {
  const pattern = new RegExp(tokenPattern);
  pattern.lastIndex = start;
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    yield { kind: kindOf(found.groups), start: found.index, end: pattern.lastIndex };
  }
}

function kindOf(groups: { readonly [name: string]: string | undefined } | undefined): JsonToken['kind'] {
  if (groups?.['string'] !== undefined) return 'string';
  if (groups?.['comment'] !== undefined) return 'comment';
  if (groups?.['open'] !== undefined) return 'open';
  if (groups?.['close'] !== undefined) return 'close';
  return groups?.['space'] === undefined ? 'other' : 'space';
}
