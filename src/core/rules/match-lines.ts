import { limits } from '../findings/finding.ts';
import { formatLineRange } from '../findings/words.ts';
import { type CodeParts, masked } from '../languages/code-parts.ts';
import { codeText, type Hunk } from '../pull-request/changed-file.ts';
import { shown } from '../repository/shown.ts';
import { minHidden } from '../secrets/redact.ts';
import { mayHoldSecret } from '../secrets/values.ts';
import { type CapturedSecret, type Pattern, patternOf, requiredTexts } from './pattern.ts';
import { appliesTo, hasPattern, type Rule } from './rule.ts';

export type ScopedRule = {
  readonly rule: Rule;
  readonly find: Pattern;
  /** False when the text holds nothing that the pattern needs. */
  readonly mayMatch: (text: string) => boolean;
};

/** The rules that apply to a file. */
export type FileMatcher = {
  /** Of those that read single lines, the ones that a line may break. */
  readonly ofLine: (line: string) => readonly ScopedRule[];
  readonly multiLine: readonly ScopedRule[];
};

/** For a path, one matcher over all rules that apply to it; null when none does. Files with the same rules share it. */
export function lineMatcher(rules: readonly Rule[]): (path: string) => FileMatcher | null {
  const candidates = rules.filter(hasPattern).map((rule) => ({ rule, applies: appliesTo(rule) }));
  const scoped = new Map<Rule, Applying>();
  const scopeOnce = (rule: Rule) => {
    const known = scoped.get(rule) ?? scope(rule);
    scoped.set(rule, known);
    return known;
  };
  const matchers = new Map<string, FileMatcher>();
  return (path) => {
    const applying = candidates.filter(({ applies }) => applies(path)).map(({ rule }) => rule);
    if (applying.length === 0) return null;
    const key = applying.map(({ id }) => id).join(' ');
    const matcher = matchers.get(key) ?? combine(applying.map(scopeOnce));
    matchers.set(key, matcher);
    return matcher;
  };
}

type Applying = ScopedRule & {
  /** Null when the pattern has to be run on every line. */
  readonly texts: readonly string[] | null;
};

function scope(rule: Rule): Applying {
  const texts = rule.pattern === null ? [] : requiredTexts(rule.pattern);
  const hint = texts === null ? null : anyOf(texts);
  const mayMatch = (text: string) => hint === null || hint.test(text) || (rule.secrets !== null && mayHoldSecret(text));
  return { rule, find: patternOf(rule), mayMatch, texts };
}

const none: readonly ScopedRule[] = [];

/** Most lines hold no text that any pattern needs: one look settles those. */
function combine(scoped: readonly Applying[]): FileMatcher {
  const single = scoped.filter(({ rule }) => !rule.multiLine);
  const texts = single.flatMap((each) => each.texts ?? []);
  const worthALook = single.some((each) => each.texts === null) ? null : anyOf(texts);
  const withSecrets = single.some(({ rule }) => rule.secrets !== null);
  return {
    ofLine: (line) => {
      if (single.length === 0) return none;
      if (worthALook !== null && !worthALook.test(line) && !(withSecrets && mayHoldSecret(line))) return none;
      return single.filter(({ mayMatch }) => mayMatch(line));
    },
    multiLine: scoped.filter(({ rule }) => rule.multiLine),
  };
}

/** Fixed texts without regard to case: linear, whatever the line holds. The flag `u` folds case as RE2 does. */
function anyOf(texts: readonly string[]): RegExp {
  if (texts.length === 0) return /(?!)/;
  const escaped = texts.map((text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
  return new RegExp(escaped.join('|'), 'iu');
}

type RunMatch = {
  /** Of its first line in the run. */
  readonly offset: number;
  /** Lines. */
  readonly count: number;
  /** The credentials in it, line by line. */
  readonly secrets: readonly CapturedSecret[];
};

/** Where a rule matches in a run of lines: at most once a line. */
export function matchRun(
  run: AddedRun,
  { rule, find }: Pick<ScopedRule, 'rule' | 'find'>,
  parts: CodeParts | null,
): readonly RunMatch[] {
  const lines = visibleLines(run, { skip: rule.skip, parts });
  const byLine = new Map<
    number,
    { readonly offset: number; readonly count: number; readonly secrets: CapturedSecret[] }
  >();
  const offsetOf = offsets(lines);
  for (const { start, end, secret } of find(lines.join('\n'))) {
    const offset = offsetOf(start);
    const known = byLine.get(offset) ?? { offset, count: 1, secrets: [] };
    const count = Math.max(known.count, offsetOf(Math.max(start, end - 1)) - offset + 1);
    known.secrets.push(...linesOfSecret(secret));
    byLine.set(offset, { offset, count, secrets: known.secrets });
  }
  return [...byLine.values()];
}

/** The lines without what the rule skips. */
function visibleLines(
  { lines, line }: AddedRun,
  { skip, parts }: { skip: ScopedRule['rule']['skip']; parts: CodeParts | null },
): readonly string[] {
  if (parts === null || skip.length === 0) return lines;
  return lines.map((text, offset) => masked(text, parts(line + offset), skip));
}

/** The line that a character of the joined lines stands in; asked by halving. */
function offsets(lines: readonly string[]): (character: number) => number {
  const starts: number[] = [];
  let start = 0;
  for (const { length } of lines) {
    starts.push(start);
    start += length + 1;
  }
  return (character) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= character) low = middle;
      else high = middle - 1;
    }
    return low;
  };
}

function linesOfSecret(secret: CapturedSecret | null): readonly CapturedSecret[] {
  if (secret === null) return [];
  return secret.value
    .split('\n')
    .map((line) => ({ ...secret, value: line.trim() }))
    .filter(({ value }) => value.length >= minHidden);
}

export type Hit = {
  readonly path: string;
  /** At head, 1-based and inclusive. */
  readonly startLine: number;
  readonly endLine: number;
  readonly quote: string;
  readonly what: string | null;
};

export type RuleHits = {
  readonly rule: Rule;
  readonly hits: readonly CollectedHit[];
};

type CollectedHit = Hit & {
  /** Such as `src/a.ts:12`. */
  readonly alsoAt: readonly string[];
  readonly alsoMore: number;
};

/** Added lines of a hunk that a rule matched. */
export type MatchedLines = {
  readonly path: string;
  readonly hunk: Hunk;
  /** Of its first line among the lines of the hunk. */
  readonly index: number;
  /** Of that line at head, 1-based. */
  readonly line: number;
  readonly lines: number;
  /** The credential there, as people call it; null for what only the rule knows. */
  readonly what: string | null;
};
type Hide = (text: string) => string;
type Collected = Hit & { readonly alsoAt: string[]; alsoMore: number };

/** Makes another hit a place of one that is raised. */
export type AddPlace = (place: MatchedLines) => void;

// A finding points at the beginning of a longer match: nobody reads a comment on hundreds of lines.
const maxLines = 20;

/** Keeps the first hits of each rule and counts the others: a change may break a rule a million times. */
export function collectHits(hide: Hide): {
  add(rule: Rule, place: MatchedLines): AddPlace;
  all(): readonly RuleHits[];
} {
  const byRule = new Map<Rule, Collected[]>();
  let last: { readonly place: MatchedLines; readonly hit: Hit } | null = null;
  // Many rules may hit one line, and it may have megabytes: it is rendered once.
  const rendered = (place: MatchedLines): Hit => {
    const { hunk, index, lines } = place;
    const known = last !== null && last.place.hunk === hunk && last.place.index === index && last.place.lines === lines;
    const hit = last !== null && known ? { ...last.hit, what: place.what } : hitAt(place, hide);
    last = { place, hit };
    return hit;
  };
  return {
    add: (rule, place) => {
      const collected = byRule.get(rule) ?? [];
      byRule.set(rule, collected);
      const last = collected.at(-1);
      if (last !== undefined && collected.length >= rule.maxFindings) {
        addPlaceTo(last)(place);
        return addPlaceTo(last);
      }
      const hit: Collected = { ...rendered(place), alsoAt: [], alsoMore: 0 };
      collected.push(hit);
      return addPlaceTo(hit);
    },
    all: () => [...byRule].map(([rule, hits]) => ({ rule, hits })),
  };
}

function addPlaceTo(hit: Collected): AddPlace {
  return ({ path, line, lines }) => {
    const end = line + Math.min(lines, maxLines) - 1;
    if (hit.alsoAt.length < limits.places - 1) hit.alsoAt.push(`${path}:${formatLineRange({ start: line, end })}`);
    else hit.alsoMore += 1;
  };
}

// A private key of 4,096 bits has 52 lines.
const linesAround = 100;

/** The lines as readers see them: rendered with those around, because a private key is only known from its borders. */
export function hitAt({ path, hunk, index, line, lines, what }: MatchedLines, hide: Hide): Hit {
  const start = Math.max(0, index - linesAround);
  const before = headSide(hunk.lines.slice(start, index));
  const from = headSide(hunk.lines.slice(index, index + linesAround));
  const count = Math.min(lines, maxLines, from.length);
  const quoted = shown([...before, ...from].map(hide)).slice(before.length, before.length + count);
  const quote = quoted.map(({ text }) => text).join('\n');
  return { path, startLine: line, endLine: line + count - 1, quote, what };
}

function headSide(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => line.startsWith('+') || line.startsWith(' ')).map((line) => line.slice(1));
}

/** Added lines that stand directly below each other at head, as `codeText` has them. */
export type AddedRun = {
  readonly lines: readonly string[];
  /** Of each among the lines of the hunk. */
  readonly indexes: readonly number[];
  /** Of the first at head, 1-based. */
  readonly line: number;
};

export function* addedRuns(hunk: Hunk): Generator<AddedRun> {
  let line = hunk.newStart;
  let run = emptyRun(line);
  for (const [index, text] of hunk.lines.entries()) {
    if (text.startsWith('+')) {
      run.lines.push(codeText(text.slice(1), line));
      run.indexes.push(index);
      line += 1;
    } else if (text.startsWith(' ')) {
      if (run.lines.length > 0) yield run;
      line += 1;
      run = emptyRun(line);
    }
  }
  if (run.lines.length > 0) yield run;
}

function emptyRun(line: number): AddedRun & { readonly lines: string[]; readonly indexes: number[] } {
  return { lines: [], indexes: [], line };
}

/** One line of a run, as a run of its own. */
export function lineOf({ lines, indexes, line }: AddedRun, offset: number): AddedRun {
  return { lines: lines.slice(offset, offset + 1), indexes: indexes.slice(offset, offset + 1), line: line + offset };
}
