import { readJsonText } from '../bounded.ts';
import type { Parsed } from '../schema.ts';

/**
 * Parses JSON as models write it: comments, trailing commas and raw line breaks inside strings are fixed.
 * Nothing is evaluated; text that is still not JSON is a problem.
 */
export function parseRepairedJson(text: string): Parsed<unknown> {
  const strict = parseJson(text);
  return strict.ok ? strict : parseJson(repair(text));
}

function parseJson(text: string): Parsed<unknown> {
  const read = readJsonText(text);
  return read.ok ? read : { ok: false, problems: [read.problem] };
}

function repair(text: string): string {
  const parts: string[] = [];
  // A comma is held back until what follows is known: before a closing bracket it goes.
  let comma = '';
  for (const { kind, start, end } of jsonTokens(text)) {
    const source = text.slice(start, end);
    if (kind === 'comment') continue;
    if (kind === 'space') {
      parts.push(source);
      continue;
    }
    parts.push(kind === 'close' ? '' : comma);
    comma = source === ',' ? source : '';
    if (source !== ',') parts.push(kind === 'string' ? escapeLineBreaks(source) : source);
  }
  return parts.join('');
}

function escapeLineBreaks(string: string): string {
  return string.replaceAll('\r', '\\r').replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}

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

const kinds = ['string', 'comment', 'open', 'close', 'space'] as const;

type JsonToken = { readonly kind: (typeof kinds)[number] | 'other'; readonly start: number; readonly end: number };

const tokenPattern =
  /(?<string>"[^"\\]*(?:\\[\s\S][^"\\]*)*(?:"|$))|(?<comment>\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|(?<open>[{[])|(?<close>[}\]])|(?<space>\s+)|[^"{}[\]\s,/]+|[\s\S]/y;

/** Cuts text into the parts of JSON from `start` on, without judging them. A comma is a token of its own. */
function* jsonTokens(text: string, start = 0): Generator<JsonToken> {
  const pattern = new RegExp(tokenPattern);
  pattern.lastIndex = start;
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    const { groups, index } = found;
    yield { kind: kinds.find((kind) => groups?.[kind] !== undefined) ?? 'other', start: index, end: pattern.lastIndex };
  }
}

/** The complete items of the list `name` in JSON that ends in the middle: all that a model could write before its output ended. */
export function completeItems(text: string, name: 'files_review' | 'walkthrough' = 'files_review'): readonly unknown[] {
  const list = new RegExp(String.raw`"${name}"\s*:\s*\[`).exec(text);
  if (list === null) return [];
  const items: unknown[] = [];
  let depth = 0;
  let itemStart = 0;
  for (const { kind, start, end } of jsonTokens(text, list.index + list[0].length)) {
    if (kind === 'open') {
      if (depth === 0) itemStart = start;
      depth += 1;
    }
    if (kind !== 'close') continue;
    depth -= 1;
    if (depth < 0) break;
    const parsed = depth === 0 ? parseRepairedJson(text.slice(itemStart, end)) : null;
    if (parsed?.ok === true) items.push(parsed.value);
  }
  return items;
}
