import { RE2JS } from 're2js';
import { type SecretGroup, type SecretKind, secretKinds } from './secret-kinds.ts';
import { bitsPerCharacter, isIdentifier, looksPassword, looksSecret } from './secret-literal.ts';

/** Where a credential stands in a line, in characters. */
export type FoundSecret = { readonly start: number; readonly end: number; readonly kind: SecretKind };

/** Replaces well-known kinds of credentials by `[redacted: github token]` and the like. Linear in the text's length. */
export function redactSecrets(text: string): string {
  if (!anyHint.test(text)) return text;
  // Line by line, as most lines hold nothing that a pattern could start with.
  return text
    .split('\n')
    .map((line) => (anyHint.test(line) ? redactLine(line) : line))
    .join('\n');
}

/** The credentials of a line by where they stand. Of two that overlap the kind that comes first in the table. */
export function findSecrets(line: string, group: SecretGroup): readonly FoundSecret[] {
  if (!anyHint.test(line)) return [];
  let found: readonly FoundSecret[] = [];
  for (const kind of secretKinds) {
    if (kind.group !== group) continue;
    const free = spansBetween(found, spansOf(line, kind)).map((span) => ({ ...span, kind }));
    if (free.length > 0) found = [...found, ...free].sort((one, other) => one.start - other.start);
  }
  return found;
}

/** False for a text that holds nothing a credential could start with: one cheap look. */
export function mayHoldSecret(text: string): boolean {
  return anyHint.test(text);
}

// Most lines hold nothing that a pattern could start with.
const anyHint = new RegExp([...new Set(secretKinds.map(({ hint }) => hint.source))].join('|'), 'i');

function redactLine(line: string): string {
  let redacted = line;
  for (const kind of secretKinds) {
    let result = '';
    let copied = 0;
    for (const { start, end } of spansOf(redacted, kind)) {
      result += `${redacted.slice(copied, start)}[redacted: ${kind.name}]`;
      copied = end;
    }
    if (copied > 0) redacted = result + redacted.slice(copied);
  }
  return redacted;
}

type Span = { readonly start: number; readonly end: number };

function spansOf(line: string, kind: SecretKind): readonly Span[] {
  if (!kind.hint.test(line)) return none;
  return formsOf(line, kind).filter(({ start, end }) => isSecret(line.slice(start, end), kind));
}

/** Characters. In a longer line, such as a bundler writes, a pattern runs around its hints alone. */
const longLine = 4_096;
/** Characters of hints that are looked at in one go: overlapping windows stay linear in the line, however dense the hints are. */
const hintsAtOnce = 1_024;
/** No pattern begins earlier before its hint, but for names that nobody writes. */
const before = 64;
/** What a match needs after its hint; one that reaches the border of its window is followed to its end. */
const reach: Readonly<Record<SecretGroup, number>> = { tokens: 4_096, 'private-keys': 4_096, passwords: 640 };

/** Where a line has the form of a credential, real or not. */
export function formsOf(line: string, kind: SecretKind): readonly Span[] {
  // A pattern over whole lines fails, or matches, once.
  if (line.length <= longLine || /^(?:\(\?i\))?\^/.test(kind.pattern)) return matchesIn(line, kind).spans;
  const hint = new RegExp(kind.hint, `${kind.hint.flags}g`);
  const spans: Span[] = [];
  let free = 0;
  for (let first = hint.exec(line); first !== null; first = hint.exec(line)) {
    const start = Math.max(free, first.index - before);
    const lastHint = first.index + hintsAtOnce;
    let end = lastHint + reach[kind.group];
    let found = matchesIn(line.slice(start, end), kind);
    while (found.atEnd && end < line.length) {
      end += end - start;
      found = matchesIn(line.slice(start, end), kind);
    }
    for (const span of found.spans) spans.push({ start: start + span.start, end: start + span.end });
    free = spans.at(-1)?.end ?? 0;
    hint.lastIndex = Math.max(lastHint, free);
  }
  return spans;
}

type Found = { readonly spans: readonly Span[]; readonly atEnd: boolean };

function matchesIn(text: string, kind: SecretKind): Found {
  const pattern = compiled(kind);
  // One question is answered many times quicker than where.
  if (!pattern.test(text)) return { spans: none, atEnd: false };
  const spans: Span[] = [];
  const matcher = pattern.matcher(text);
  let atEnd = false;
  // From the end of the credential: what stands behind it may be what stands before the next.
  for (let from = 0; matcher.find(from); from = matcher.end(1)) {
    spans.push({ start: matcher.start(1), end: matcher.end(1) });
    atEnd = matcher.end() === text.length;
  }
  return { spans, atEnd };
}

/** The spans that overlap none of those taken. Both are in order, so one look at each is enough: a hostile line has 100,000. */
function spansBetween(taken: readonly Span[], spans: readonly Span[]): readonly Span[] {
  let at = 0;
  return spans.filter(({ start, end }) => {
    while ((taken[at]?.end ?? Number.POSITIVE_INFINITY) <= start) at += 1;
    return (taken[at]?.start ?? Number.POSITIVE_INFINITY) >= end;
  });
}

const none: readonly Span[] = [];
const patterns = new Map<SecretKind, RE2JS>();

function compiled(kind: SecretKind): RE2JS {
  const pattern = patterns.get(kind) ?? RE2JS.compile(kind.pattern);
  patterns.set(kind, pattern);
  return pattern;
}

/** No password is longer: more is text, or data. */
const longestPassword = 512;

function isSecret(value: string, kind: SecretKind): boolean {
  if (kind.group !== 'passwords') return !isSample(value) && bitsPerCharacter(value) >= kind.bits;
  if (value.length > longestPassword) return false;
  if (kind.clear) return looksPassword(value);
  return looksSecret(value) && !(kind.id === 'property' && isIdentifier(value));
}

/** Written to show the form of a token; the last two stand in every text about JWT. */
function isSample(token: string): boolean {
  return /example|x{6}|\*{4}|0{8}|your[_-]?|placeholder|redacted|IkpvaG4gRG9l|SflKxwRJSMeKKF2QT4/i.test(token);
}
