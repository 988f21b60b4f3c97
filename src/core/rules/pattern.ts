import { RE2JS } from 're2js';
import type { LinesAnchor } from '../findings/finding.ts';
import type { SecretGroup } from '../secrets/kinds.ts';
import { valueRedacted } from '../secrets/redact.ts';
import { bitsPerCharacter, findSecrets, isStandIn } from '../secrets/values.ts';
import { isAboutSecrets, type Rule } from './rule.ts';

type Match = {
  /** Characters of the text. */
  readonly start: number;
  readonly end: number;
  /** The credential that the rule captured; null for a rule that looks for none. */
  readonly secret: CapturedSecret | null;
};

export type CapturedSecret = {
  readonly value: string;
  /** As people call it, such as `slack webhook`; null for what only a rule's own pattern knows. */
  readonly name: string | null;
  /** It is one by its own form, whatever stands beside it. */
  readonly certain: boolean;
};

/** The places where the pattern of a rule holds. Linear in the length of the text (RE2). */
export type Pattern = (text: string) => readonly Match[];

/** Compiled at its first use: most patterns are never run, as no line holds what they need. */
export function patternOf(rule: Pick<Rule, 'pattern' | 'secrets' | 'multiLine' | 'entropy' | 'minLength'>): Pattern {
  let compiled: RE2JS | undefined;
  return (text) => {
    const known = rule.secrets === null ? none : knownSecrets(text, rule.secrets);
    return rule.pattern === null ? known : [...known, ...ownPlaces(text)];
  };

  function ownPlaces(text: string): readonly Match[] {
    compiled ??= compile(rule);
    // One question is answered many times quicker than where.
    if (!compiled.test(text)) return none;
    return places(compiled, text).filter(({ secret }) => secret === null || isSecret(secret.value, rule));
  }

  function places(expression: RE2JS, text: string): readonly Match[] {
    if (rule.entropy === null && !rule.multiLine) return [{ start: 0, end: text.length, secret: null }];
    const matches: Match[] = [];
    const matcher = expression.matcher(text);
    while (matcher.find()) {
      const match = { start: matcher.start(), end: matcher.end() };
      const value = rule.entropy === null ? null : captured(matcher, expression.groupCount());
      matches.push({ ...match, secret: value === null ? null : { value, name: null, certain: false } });
    }
    return matches;
  }
}

/** Where a pattern of its own first holds: many times slower than whether it does. Null where it does not. */
export function firstMatch(rule: Pick<Rule, 'pattern' | 'multiLine'>, text: string): Omit<Match, 'secret'> | null {
  if (rule.pattern === null) return null;
  const matcher = compile(rule).matcher(text);
  return matcher.find() ? { start: matcher.start(), end: matcher.end() } : null;
}

const none: readonly Match[] = [];

function knownSecrets(text: string, group: SecretGroup): readonly Match[] {
  return findSecrets(text, group).map(({ start, end, kind }) => ({
    start,
    end,
    secret: { value: text.slice(start, end), name: kind.name, certain: group !== 'passwords' },
  }));
}

/** Over runs of lines `^` and `$` stand for the borders of each. @throws RE2JSException for what is not RE2 syntax. */
export function compile({ pattern, multiLine }: Pick<Rule, 'pattern' | 'multiLine'>): RE2JS {
  return RE2JS.compile(pattern ?? '', multiLine ? RE2JS.MULTILINE : 0);
}

/** The first group that took part, else the whole match. */
function captured(matcher: { group(index: number): string | null }, count: number): string {
  for (let index = 1; index <= count; index++) {
    const text = matcher.group(index);
    if (text !== null && text !== '') return text;
  }
  return matcher.group(0) ?? '';
}

function isSecret(text: string, { entropy, minLength }: Pick<Rule, 'entropy' | 'minLength'>): boolean {
  return text.length >= minLength && !isStandIn(text) && bitsPerCharacter(text) >= (entropy ?? 0);
}

/**
 * Texts of which every match of an RE2 pattern holds at least one, without regard to case; null when the pattern promises none
 * that is worth looking for. Looking for texts first is many times quicker than running the pattern on each line.
 * Errs on the side of null: an unusual construct gives up, a needed match is never filtered out.
 */
export function requiredTexts(pattern: string): readonly string[] | null {
  if (unusual.test(pattern)) return null;
  const source = { pattern, at: 0 };
  const texts = readAlternatives(source);
  return source.at === pattern.length ? texts : null;
}

type Source = { readonly pattern: string; at: number };
type Texts = readonly string[] | null;

// Quoting, hexadecimal and Unicode escapes: no rule needs them, so this reader does not know them.
const unusual = /\\[QExCpPux0-9]/;
const minCharacters = 2;
const maxTexts = 40;

function readAlternatives(source: Source): Texts {
  const alternatives = [readSequence(source)];
  while (source.pattern[source.at] === '|') {
    source.at += 1;
    alternatives.push(readSequence(source));
  }
  const texts = alternatives.flatMap((alternative) => alternative ?? []);
  return alternatives.includes(null) || texts.length > maxTexts ? null : [...new Set(texts)];
}

/** Of all that a sequence requires, the choice whose shortest text is the longest. */
function readSequence(source: Source): Texts {
  let best: Texts = null;
  let run = '';
  const offer = (texts: Texts) => {
    if (texts !== null && shortest(texts) > shortest(best)) best = texts;
  };
  const endRun = () => {
    if (run.length >= minCharacters) offer([run]);
    run = '';
  };
  while (source.at < source.pattern.length && !'|)'.includes(source.pattern.charAt(source.at))) {
    const atom = readAtom(source);
    const { min, once } = readQuantifier(source);
    if (atom.kind === 'anchor') continue;
    if (atom.kind === 'text') {
      run += atom.text.repeat(Math.min(min, maxRepeats));
      if (!once) endRun();
      continue;
    }
    endRun();
    if (min > 0) offer(atom.texts);
  }
  endRun();
  return best;
}

const maxRepeats = 16;

function shortest(texts: Texts): number {
  return texts === null ? 0 : Math.min(...texts.map((text) => text.length));
}

type Atom =
  | { readonly kind: 'text'; readonly text: string }
  /** Takes no characters, so what stands around it is one text. */
  | { readonly kind: 'anchor' }
  | { readonly kind: 'other'; readonly texts: Texts };

function readAtom(source: Source): Atom {
  const character = source.pattern.charAt(source.at);
  source.at += 1;
  if (character === '\\') return readEscape(source);
  if (character === '[') return readClass(source);
  if (character === '(') return readGroup(source);
  if (character === '^' || character === '$') return { kind: 'anchor' };
  return character === '.' ? { kind: 'other', texts: null } : { kind: 'text', text: character };
}

function readEscape(source: Source): Atom {
  const character = source.pattern.charAt(source.at);
  source.at += 1;
  if ('bBAz'.includes(character)) return { kind: 'anchor' };
  // An escaped letter is a class or a control character; any other character stands for itself.
  return /[A-Za-z]/.test(character) ? { kind: 'other', texts: null } : { kind: 'text', text: character };
}

function readClass(source: Source): Atom {
  if (source.pattern[source.at] === '^') source.at += 1;
  // A bracket in the first place is a member.
  if (source.pattern[source.at] === ']') source.at += 1;
  while (source.at < source.pattern.length && source.pattern[source.at] !== ']') {
    const named = /^\[:\^?\w+:\]/.exec(source.pattern.slice(source.at, source.at + maxNameCharacters));
    source.at += named?.[0].length ?? (source.pattern[source.at] === '\\' ? 2 : 1);
  }
  source.at += 1;
  return { kind: 'other', texts: null };
}

const maxNameCharacters = 16;

function readGroup(source: Source): Atom {
  const options = /^\?(?:P?<\w+>|[imsU-]*(:|\)))/.exec(source.pattern.slice(source.at, source.at + 64));
  source.at += options?.[0].length ?? 0;
  // `(?i)` sets flags from here on and matches nothing itself.
  if (options?.[1] === ')') return { kind: 'anchor' };
  const texts = readAlternatives(source);
  source.at += 1;
  return { kind: 'other', texts };
}

/** How often the atom stands at least, and whether exactly once. */
function readQuantifier(source: Source): { readonly min: number; readonly once: boolean } {
  const quantifier = /^(?:[*+?]|\{(\d{1,4})(?:,\d{0,4})?\})\??/.exec(source.pattern.slice(source.at, source.at + 16));
  if (quantifier === null) return { min: 1, once: true };
  source.at += quantifier[0].length;
  if (quantifier[1] !== undefined) return { min: Number(quantifier[1]), once: false };
  return { min: quantifier[0].startsWith('+') ? 1 : 0, once: false };
}

/** A screen shows shorter lines whole. */
const wholeLine = 60;

/** Where a rule found it in a long line: a credential where it was taken out, all else where the pattern holds. */
export function columnsOf(
  rule: Rule,
  { quote, what }: { readonly quote: string; readonly what: string | null },
): Pick<LinesAnchor, 'columns'> {
  const [line = ''] = quote.split('\n', 1);
  if (line.length <= wholeLine) return {};
  const hidden = isAboutSecrets(rule) ? (placeOf(line, `[redacted: ${what}]`) ?? placeOf(line, valueRedacted)) : null;
  const found = hidden ?? firstMatch(rule, line);
  return found === null ? {} : { columns: { start: found.start + 1, end: found.end + 1 } };
}

function placeOf(line: string, text: string): { readonly start: number; readonly end: number } | null {
  const start = line.indexOf(text);
  return start === -1 ? null : { start, end: start + text.length };
}
