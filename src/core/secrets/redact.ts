import { firstFitting } from '../bounded.ts';
import { groupBy } from '../text.ts';
import { privateKeyBody, redactSecrets } from './values.ts';

/** Takes secrets out of a text. `learn` names more of them: from then on they are known. */
export type Redactor = ((text: string) => string) & { readonly learn: (secrets: readonly Secret[]) => void };

/**
 * Makes texts safe to log, post or send: known secret values of at least 8 characters go, as they are, URL-encoded,
 * JSON-escaped or in base64, and so does every piece of them of at least 12 characters (keys leak without their first
 * characters); well-known kinds of credentials go too.
 */
export function createRedactor(known: readonly string[]): Redactor {
  const own = longEnough(known);
  let learned: readonly Secret[] = [];
  let hidden = hiddenOf(own, []);
  const learn = (more: readonly Secret[]) => {
    const cut = more.map(({ value, line }) => ({ value: value.trim().slice(0, maxCharacters), line }));
    const all = unique([...learned, ...cut.filter(({ value }) => value.length >= minHidden)]);
    const kept = firstFitting(all, maxCharactersInAll, ({ value, line }) => (line ?? value).length);
    if (kept.length === learned.length) return;
    learned = kept;
    const anywhere = learned.flatMap(({ value, line }) => (line === null ? [value] : []));
    hidden = hiddenOf(
      [...own, ...anywhere],
      learned.filter(({ line }) => line !== null),
    );
  };
  const redact = (text: string) => redactSecrets(redactKeys(redactPieces(hidden.whole(text), hidden.pieces)));
  return Object.assign(redact, { learn });
}

function longEnough(values: readonly string[]): readonly string[] {
  return values.map((value) => value.trim()).filter((value) => value.length >= minHidden);
}

type Hidden = { readonly whole: (text: string) => string; readonly pieces: Pieces };

/** Of a line that is bound to its value no piece is looked for: `export const ` stands everywhere. */
function hiddenOf(values: readonly string[], bound: readonly Secret[]): Hidden {
  const variants = [...new Set(values.flatMap(encodings))];
  const lines = [...replacements(bound)];
  const escaped = lines.map(([line, shown]) => [jsonText(line), jsonText(shown)] as const);
  const texts = new Map([...lines, ...escaped, ...variants.map((value) => [value, valueRedacted] as const)]);
  return { whole: hideTexts(texts), pieces: indexPieces(variants) };
}

function jsonText(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function unique(secrets: readonly Secret[]): readonly Secret[] {
  return [...new Map(secrets.map((secret) => [`${secret.line ?? ''}\n${secret.value}`, secret])).values()];
}

const pieceCharacters = 12;
/** Of one value that was learned: no credential is longer, and each of its pieces is kept in ten encodings. */
const maxCharacters = 2_048;
/** What is found in a diff is written by its author: a megabyte of it must not become ten of what to look for. */
const maxCharactersInAll = 60_000;

type Pieces = { readonly texts: ReadonlySet<string>; readonly borders: ReadonlySet<number> };

function indexPieces(variants: readonly string[]): Pieces {
  const texts = new Set<string>();
  for (const variant of variants) {
    for (let at = 0; at + pieceCharacters <= variant.length; at++) texts.add(variant.slice(at, at + pieceCharacters));
  }
  return { texts, borders: new Set([...texts].map((piece) => border(piece, 0, pieceCharacters))) };
}

function redactPieces(text: string, pieces: Pieces): string {
  if (pieces.texts.size === 0) return text;
  let result = '';
  let copied = 0;
  let covered = 0;
  for (let at = 0; at + pieceCharacters <= text.length; at++) {
    if (!pieces.borders.has(border(text, at, pieceCharacters))) continue;
    if (!pieces.texts.has(text.slice(at, at + pieceCharacters))) continue;
    if (at >= covered) result += text.slice(copied, at) + valueRedacted;
    covered = at + pieceCharacters;
    copied = covered;
  }
  return result + text.slice(copied);
}

/** The first and the last character of a stretch: two tell nearly every place apart, without making a string of it. */
function border(text: string, at: number, length: number): number {
  return text.charCodeAt(at) * 65_536 + text.charCodeAt(at + length - 1);
}

function redactKeys(text: string): string {
  if (!text.includes('PRIVATE KEY')) return text;
  const lines = text.split('\n');
  const inside = privateKeyBody(lines);
  return lines.map((line, index) => (inside.has(index) ? '[redacted: private key]' : line)).join('\n');
}

/** The forms a secret value takes on its way through requests and logs, itself first. Each is as secret as the value. */
function encodings(value: string): readonly string[] {
  const url = urlEncoded(value);
  const lowerCaseUrl = url.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  return [value, url, lowerCaseUrl, jsonText(value), ...hexForms(value), ...base64Forms(value)];
}

function urlEncoded(value: string): string {
  try {
    return encodeURIComponent(value);
  } catch {
    return value; // A lone surrogate has no URL-encoded form.
  }
}

function hexForms(value: string): readonly string[] {
  const hex = [...new TextEncoder().encode(value)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return [hex, hex.toUpperCase()];
}

/** Base64 depends on how many bytes stand before the value: three alignments, without the characters shared with them. */
function base64Forms(value: string): readonly string[] {
  const bytes = new TextEncoder().encode(value);
  return [0, 1, 2].flatMap((offset) => {
    const text = base64([...new Uint8Array(offset), ...bytes]);
    const bits = (offset + bytes.length) * 8;
    const inner = text.slice(Math.ceil((offset * 8) / 6), Math.floor(bits / 6));
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

function base64(bytes: readonly number[]): string {
  return btoa(bytes.map((byte) => String.fromCharCode(byte)).join(''));
}

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
function replacements(secrets: readonly Secret[]): ReadonlyMap<string, string> {
  const all = secrets.filter(({ value }) => value.length >= minHidden);
  const anywhere = all.filter(({ line }) => line === null);
  const bound = all.filter(({ line }) => line !== null);
  const texts = new Map(anywhere.map(({ value }) => [value, valueRedacted]));
  // Once over each line: a hostile one has megabytes, and thousands of values.
  for (const [line, same] of groupBy(bound, ({ line }) => line ?? '')) {
    texts.set(line, hideValues(same.map(({ value }) => value))(line));
  }
  return texts;
}

/** Puts other texts in the place of some, where two begin at one place of the longer. Linear in the text's length, however many there are. */
function hideTexts(texts: ReadonlyMap<string, string>): (text: string) => string {
  const all = new Map([...texts].filter(([{ length }]) => length >= minHidden));
  // Of those that begin alike the lengths, the longest first: few, however many values there are.
  const byStart = new Map<string, number[]>();
  for (const value of [...all.keys()].sort((one, other) => other.length - one.length)) {
    const lengths = byStart.get(value.slice(0, minHidden)) ?? [];
    byStart.set(value.slice(0, minHidden), lengths);
    if (!lengths.includes(value.length)) lengths.push(value.length);
  }
  if (byStart.size === 0) return (text) => text;
  const borders = new Set([...byStart.keys()].map((start) => border(start, 0, minHidden)));
  return (text) => {
    let result = '';
    let copied = 0;
    for (let at = 0; at + minHidden <= text.length; at++) {
      if (!borders.has(border(text, at, minHidden))) continue;
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
