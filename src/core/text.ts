/** `1234567` as `1,234,567`. Not by `toLocaleString`: loading its tables takes longer than the whole rest of a tool call. */
export function grouped(count: number, between = ','): string {
  const digits = String(Math.trunc(count));
  const first = count < 0 ? 1 : 0;
  let end = digits.length;
  let grouped = '';
  for (; end - first > 3; end -= 3) grouped = `${between}${digits.slice(end - 3, end)}${grouped}`;
  return digits.slice(0, end) + grouped;
}

/** The text without such characters at its end. A `+$` of an expression is tried at each of them, and takes the square of a long row. */
export function withoutEnd(text: string, character: RegExp): string {
  let end = text.length;
  while (end > 0 && character.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** With a capital at its start, for a line that begins with it. */
export function capitalised(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** `1 finding`, `1,204 findings`. */
export function plural(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : noun.endsWith('ch') ? 'es' : 's'}`;
}

/** Such as `2 confirmed` and `1 adjusted`, without what there is none of. */
export function counted(amounts: Readonly<Record<string, number>>): readonly string[] {
  return Object.entries(amounts).flatMap(([what, count]) => (count === 0 ? [] : [`${grouped(count)} ${what}`]));
}

/** As `Map.groupBy`, which Node.js 20 lacks. */
export function groupBy<Item, Key>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** By code unit: the order must not depend on a locale. */
export function compareText(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** The first sentence of a text on one line, and those after it that fit in so many characters with it. */
export function firstSentences(text: string, maxCharacters = 0): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const [first = '', ...others] = line.split(/(?<=[.!?][)"'”’]?) (?=[\p{Lu}\p{N}`"'“(])|(?<=[。！？])/u);
  let taken = first;
  for (const sentence of others) {
    if (taken.length + 1 + sentence.length > maxCharacters) break;
    taken += /[。！？]$/.test(taken) ? sentence : ` ${sentence}`;
  }
  return taken;
}

/** One line, cut with a note when it is longer than `maxCharacters`. */
export function cutLine(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  // The cut never leaves half a character.
  const end = /[\u{D800}-\u{DBFF}]/u.test(text.charAt(maxCharacters - 1)) ? maxCharacters - 1 : maxCharacters;
  return `${text.slice(0, end)} … (cut: ${grouped(end)} of ${grouped(text.length)} characters)`;
}

/** So many characters at most, cut between two words. */
export function cutWords(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const cut = text.slice(0, maxCharacters - 1);
  const space = cut.lastIndexOf(' ');
  return `${(space > maxCharacters / 2 ? cut.slice(0, space) : cut).trimEnd()}…`;
}

/**
 * So many characters of a line around a place in it, with `…` where it was cut, never inside a character.
 * @returns as well where that place is now
 */
export function cutAround(
  text: string,
  at: number,
  maxCharacters: number,
): { readonly text: string; readonly at: number } {
  if (text.length <= maxCharacters) return { text, at };
  // What stands behind a place tells more than what stands before it.
  const wanted = Math.max(0, Math.min(at - Math.floor(maxCharacters / 4), text.length - maxCharacters));
  const start = isInsideCharacter(text, wanted) ? wanted + 1 : wanted;
  const end = isInsideCharacter(text, wanted + maxCharacters) ? wanted + maxCharacters - 1 : wanted + maxCharacters;
  const before = start > 0 ? '…' : '';
  return { text: `${before}${text.slice(start, end)}${end < text.length ? '…' : ''}`, at: before.length + at - start };
}

/** The first lines of a text, in at most so many characters. A first line that is longer is cut itself, never inside a character. */
export function firstLines(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const end = text.lastIndexOf('\n', maxCharacters);
  if (end > 0) return text.slice(0, end);
  return text.slice(0, isInsideCharacter(text, maxCharacters) ? maxCharacters - 1 : maxCharacters);
}

/** The last lines of a text, in at most so many characters. A last line that is longer loses its beginning. */
export function lastLines(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const start = text.length - maxCharacters;
  const lineEnd = text.indexOf('\n', start - 1);
  if (lineEnd !== -1 && lineEnd < text.length - 1) return text.slice(lineEnd + 1);
  return text.slice(isInsideCharacter(text, start) ? start + 1 : start);
}

function isInsideCharacter(text: string, at: number): boolean {
  return /[\u{D800}-\u{DBFF}]/u.test(text.charAt(at - 1)) && /[\u{DC00}-\u{DFFF}]/u.test(text.charAt(at));
}

/** Milliseconds as a person says them: `850 ms`, `12 s`, `3 min 20 s`. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s`;
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** US$ as a bill says them: `$1.25`, and below ten cents `$0.0123`. */
export function dollars(amount: number): string {
  return `$${amount.toFixed(amount < 0.1 && amount > 0 ? 4 : 2)}`;
}

/** Of a commit, as SHA-1 or SHA-256. */
export const fullHash = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
