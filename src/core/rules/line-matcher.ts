import { mayHoldSecret } from '../repository/secrets.ts';
import { appliesTo } from './applies-to.ts';
import { type Pattern, patternOf } from './pattern.ts';
import { requiredTexts } from './required-texts.ts';
import { hasPattern, type Rule } from './rule.ts';

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
  const scoped = rules.flatMap(scope);
  const matchers = new Map<string, FileMatcher>();
  return (path) => {
    const applying = scoped.filter(({ applies }) => applies(path));
    if (applying.length === 0) return null;
    const key = applying.map(({ rule }) => rule.id).join(' ');
    const matcher = matchers.get(key) ?? combine(applying);
    matchers.set(key, matcher);
    return matcher;
  };
}

type Applying = ScopedRule & {
  readonly applies: (path: string) => boolean;
  /** Null when the pattern has to be run on every line. */
  readonly texts: readonly string[] | null;
};

function scope(rule: Rule): readonly Applying[] {
  if (!hasPattern(rule)) return [];
  const texts = rule.pattern === null ? [] : requiredTexts(rule.pattern);
  const hint = texts === null ? null : anyOf(texts);
  const mayMatch = (text: string) => hint === null || hint.test(text) || (rule.secrets !== null && mayHoldSecret(text));
  return [{ rule, applies: appliesTo(rule), find: patternOf(rule), mayMatch, texts }];
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
