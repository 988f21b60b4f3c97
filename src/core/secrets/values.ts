import { RE2JS } from 're2js';
import { type SecretGroup, type SecretKind, secretKinds } from './kinds.ts';

const begin = /-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----/;
const end = /-----END (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----/;

/**
 * The indexes of the lines inside private keys (PEM, OpenSSH, PGP), without the BEGIN and END lines. A block that the
 * lines cut off is found from the end that is there. Code that only mentions a BEGIN line stays as it is.
 */
export function privateKeyBody(lines: readonly string[]): ReadonlySet<number> {
  const inside = new Set<number>();
  lines.forEach((line, index) => {
    if (!line.includes('PRIVATE KEY')) return;
    if (begin.test(line) && !end.test(line)) collect(lines, { from: index, step: 1, stop: end, into: inside });
    else if (end.test(line) && !begin.test(line)) collect(lines, { from: index, step: -1, stop: begin, into: inside });
  });
  return inside;
}

/** True for a line that could stand inside a private key: base64 alone, be it quoted or concatenated. */
export function couldBeKeyBody(line: string): boolean {
  const text = bare(line);
  return text.length >= 16 && base64Line.test(text);
}

const base64Line = /^=?[A-Za-z0-9+/]{1,4096}={0,2}$/;
const header = /^(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID): /;
// PEM wraps at 64 characters or more. Shorter runs are taken for a key only when both its borders are there.
const fullWidth = 40;

function collect(
  lines: readonly string[],
  walk: { from: number; step: 1 | -1; stop: RegExp; into: Set<number> },
): void {
  const body: number[] = [];
  let certain = 0;
  for (let index = walk.from + walk.step; index >= 0 && index < lines.length; index += walk.step) {
    const line = lines[index] ?? '';
    if (walk.stop.test(line)) {
      certain = body.length;
      break;
    }
    const text = bare(line);
    if (text !== '' && !header.test(text) && !base64Line.test(text)) break;
    body.push(index);
    if (base64Line.test(text) && text.length >= fullWidth) certain = body.length;
  }
  for (const index of body.slice(0, certain)) walk.into.add(index);
}

/** Without what wraps a key inside source code: indentation, quotes, `+`, commas, comment signs, a written `\n`. */
function bare(line: string): string {
  let from = 0;
  let to = line.length;
  while (from < to && ' \t\r"\'`+#*>|'.includes(line.charAt(from))) from++;
  while (to > from && ' \t\r"\'`,;+\\)('.includes(line.charAt(to - 1))) to--;
  const text = line.slice(from, to);
  for (const newline of ['\\r\\n', '\\n']) if (text.endsWith(newline)) return text.slice(0, -newline.length);
  return text;
}

/**
 * Whether a literal beside a name such as `password` is a real secret. Conservative: placeholders, templates, paths,
 * words and identifiers stay, because a redacted line that was harmless hides code from the reviewer.
 */
function looksSecret(value: string): boolean {
  if (value.length < 8 || isPlaceholder(value) || isReference(value) || isWords(value)) return false;
  const classes = [/[a-z]/, /[A-Z]/, /[0-9]/, /[^A-Za-z0-9]/].filter((characters) => characters.test(value)).length;
  const mixed = classes >= 3 || (classes === 2 && /[0-9]/.test(value) && value.length >= 16);
  return mixed && bitsPerCharacter(value) >= 2.8;
}

/** The same where the name beside it leaves no doubt, such as the address of a database: no placeholder, and more than a word. */
function looksPassword(value: string): boolean {
  if (value.length < 8 || isPlaceholder(value) || isReference(value)) return false;
  if (isMixed(value)) return true;
  return !isWords(value) && /[A-Za-z]/.test(value) && /[^A-Za-z]/.test(value) && bitsPerCharacter(value) >= 2.5;
}

/** Letters alone, but no words: of a name in camel case about every sixth letter is a capital. */
function isMixed(value: string): boolean {
  const capitals = value.replace(/[^A-Z]/g, '').length / value.length;
  return /^[A-Za-z]{14,}$/.test(value) && capitals > 0.4 && capitals < 0.7;
}

/** A name that code could have: what is not quoted may be a variable or a type, such as `Uint8Array`. */
function isIdentifier(value: string): boolean {
  return /^[A-Za-z_$][\w$.]*$/.test(value) && (value.match(/\d+/g) ?? []).length <= 1;
}

/** Whether a literal stands for a secret that is elsewhere: `changeme`, `<token>`, `${TOKEN}`, `process.env.TOKEN`. */
export function isStandIn(value: string): boolean {
  return isReference(value) || (value.length < longCharacters ? isPlaceholder(value) : isNamedPlaceholder(value));
}

// In this many random characters a word of four letters stands by chance.
const longCharacters = 24;

function isNamedPlaceholder(value: string): boolean {
  return /(?:^|[^a-z])(?:sample|dummy|fake|mock|test|change|insert|replace|todo)(?:[^a-z]|$)|example|your|placeholder|redacted|x{6}|\*{4}|0{8}/i.test(
    value,
  );
}

function isPlaceholder(value: string): boolean {
  return /example|sample|dummy|fake|mock|test|x{3}|\*{3}|change|your|placeholder|redacted|insert|replace|todo|1234|abcd|0{8}|p[a@4][s$5]{2}w[o0]rd|secret/i.test(
    value,
  );
}

/** A value from elsewhere: a template, a variable, a path, an address, a look-up, a hash with its algorithm's name. */
function isReference(value: string): boolean {
  return /\$\{|\$\(|\{\{|<|%[sdv(]|^[$%@/.~]|:\/\/|process\.env|environ|getenv|^(?:sha\d{1,3}|md5|urn|arn)[-:]/i.test(
    value,
  );
}

/** Words with separators, as identifiers and message keys are written: `auth.token.expired`, `LoginForm2`. */
function isWords(value: string): boolean {
  return value.split(/[^A-Za-z0-9]/).every((part) => /^(?:[A-Za-z]*\d{0,2}|\d+)$/.test(part));
}

/** Shannon entropy. */
export function bitsPerCharacter(value: string): number {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}

/** No credential is longer, but for keys in files of their own. */
const longestCredential = 2_048;

/**
 * Whether a value that a rule took for a credential may be hidden wherever it stands. What is hidden is not reviewed, so code, paths, words and
 * names stay elsewhere, whoever calls them a password.
 */
export function mayBeHidden(value: string): boolean {
  if (value.length > longestCredential || !/^[\w+/~.:@%!#$^*?-]+={0,2}$/.test(value)) return false;
  return !isWords(value);
}

/** Where a credential stands in a line, in characters. */
type FoundSecret = { readonly start: number; readonly end: number; readonly kind: SecretKind };

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

type FoundSpans = { readonly spans: readonly Span[]; readonly atEnd: boolean };

function matchesIn(text: string, kind: SecretKind): FoundSpans {
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
