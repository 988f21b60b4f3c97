import { RE2JS } from 're2js';
import { appliesTo } from './applies-to.ts';
import { requiredTexts } from './required-texts.ts';
import type { Rule } from './rule.ts';

/** The rules that a line breaks. */
export type LineMatcher = (line: string) => readonly Rule[];

/** For a path, one matcher over all rules that apply to it; null when none does. Files with the same rules share it. */
export function lineMatcher(rules: readonly Rule[]): (path: string) => LineMatcher | null {
  const scoped = rules.flatMap(scope);
  const matchers = new Map<string, LineMatcher>();
  return (path) => {
    const applying = scoped.filter(({ applies }) => applies(path));
    if (applying.length === 0) return null;
    const key = applying.map(({ rule }) => rule.id).join(' ');
    const matcher = matchers.get(key) ?? combine(applying);
    matchers.set(key, matcher);
    return matcher;
  };
}

type ScopedRule = {
  readonly rule: Rule;
  readonly applies: (path: string) => boolean;
  readonly matches: (line: string) => boolean;
  /** Null when the pattern has to be run on every line. */
  readonly texts: readonly string[] | null;
  readonly hint: RegExp | null;
};

function scope(rule: Rule): readonly ScopedRule[] {
  if (rule.pattern === null) return [];
  const texts = requiredTexts(rule.pattern);
  const hint = texts === null ? null : anyOf(texts);
  return [{ rule, applies: appliesTo(rule), matches: lazily(rule.pattern), texts, hint }];
}

/** Compiled at its first use: most patterns are never run, as no line holds what they need. */
function lazily(pattern: string): (line: string) => boolean {
  let compiled: RE2JS | undefined;
  return (line) => {
    compiled ??= RE2JS.compile(pattern);
    return compiled.test(line);
  };
}

const none: readonly Rule[] = [];

/** Most lines hold no text that any pattern needs: one look settles those. */
function combine(scoped: readonly ScopedRule[]): LineMatcher {
  const texts = scoped.flatMap((each) => each.texts ?? []);
  const worthALook = scoped.some((each) => each.texts === null) ? null : anyOf(texts);
  return (line) => {
    if (worthALook !== null && !worthALook.test(line)) return none;
    const text = line.endsWith('\r') ? line.slice(0, -1) : line;
    return scoped
      .filter(({ hint, matches }) => (hint === null || hint.test(text)) && matches(text))
      .map(({ rule }) => rule);
  };
}

/** Fixed texts without regard to case: linear, whatever the line holds. The flag `u` folds case as RE2 does. */
function anyOf(texts: readonly string[]): RegExp {
  const escaped = texts.map((text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
  return new RegExp(escaped.join('|'), 'iu');
}
