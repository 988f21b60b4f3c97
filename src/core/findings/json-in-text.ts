import { jsonTokens } from './json-tokens.ts';
import { parseRepairedJson } from './repair-json.ts';

export type EmbeddedJson = {
  readonly value: unknown;
  /** True when nothing but white space and the marks of a code fence follows. */
  readonly last: boolean;
};

// An attempt reads to the end of the text at worst, so hostile text gets a bounded number of characters.
const maxReadCharacters = 1_000_000;

/**
 * What `read` makes of the JSON objects and arrays in a text, raw, fenced or with prose around them. A value that it takes no
 * meaning from (null) is searched inside, for some models wrap their answer.
 */
export function readJsonInText<T>(text: string, read: (found: EmbeddedJson) => T | null): readonly T[] {
  const accepted: T[] = [];
  const opening = /[{[](?=\s*(?:["{}[\]]|\/[/*]))/g;
  let unread = maxReadCharacters;
  for (let found = opening.exec(text); found !== null && unread > 0; found = opening.exec(text)) {
    const start = found.index;
    const end = endOfValue(text, start);
    unread -= (end ?? text.length) - start;
    const parsed = end === null ? null : parseRepairedJson(text.slice(start, end));
    if (end === null || parsed === null || !parsed.ok) continue;

    const meaning = read({ value: parsed.value, last: /^[\s`]*$/.test(text.slice(end)) });
    if (meaning === null) continue;
    accepted.push(meaning);
    opening.lastIndex = end;
  }
  return accepted;
}

/** Where the bracket that opens at `start` is closed; null when it is not. */
function endOfValue(text: string, start: number): number | null {
  let depth = 0;
  for (const token of jsonTokens(text, start)) {
    if (token.kind === 'open') depth++;
    if (token.kind === 'close') depth--;
    if (depth === 0) return token.end;
  }
  return null;
}
