import { RE2JS } from 're2js';
import { bitsPerCharacter, isStandIn } from '../repository/secret-literal.ts';
import type { Rule } from './rule.ts';

export type Match = {
  /** Characters of the text. */
  readonly start: number;
  readonly end: number;
  /** The credential that the rule captured; null for a rule that looks for none. */
  readonly secret: string | null;
};

/** The places where the pattern of a rule holds. Linear in the length of the text (RE2). */
export type Pattern = (text: string) => readonly Match[];

/** Compiled at its first use: most patterns are never run, as no line holds what they need. */
export function patternOf(rule: Pick<Rule, 'pattern' | 'multiLine' | 'entropy' | 'minLength'>): Pattern {
  let compiled: RE2JS | undefined;
  return (text) => {
    compiled ??= compile(rule);
    // One question is answered many times quicker than where.
    if (!compiled.test(text)) return none;
    return places(compiled, text).filter(({ secret }) => secret === null || isSecret(secret, rule));
  };

  function places(expression: RE2JS, text: string): readonly Match[] {
    if (rule.entropy === null && !rule.multiLine) return [{ start: 0, end: text.length, secret: null }];
    const matches: Match[] = [];
    const matcher = expression.matcher(text);
    while (matcher.find()) {
      const match = { start: matcher.start(), end: matcher.end() };
      matches.push({ ...match, secret: rule.entropy === null ? null : captured(matcher, expression.groupCount()) });
    }
    return matches;
  }
}

const none: readonly Match[] = [];

/** Over runs of lines `^` and `$` stand for the borders of each. @throws RE2JSException for what is not RE2 syntax. */
export function compile({ pattern, multiLine }: Pick<Rule, 'pattern' | 'multiLine'>): RE2JS {
  return RE2JS.compile(pattern ?? '', multiLine ? RE2JS.MULTILINE : 0);
}

type Groups = { group(index: number): string | null };

/** The first group that took part, else the whole match. */
function captured(matcher: Groups, count: number): string {
  for (let index = 1; index <= count; index++) {
    const text = matcher.group(index);
    if (text !== null && text !== '') return text;
  }
  return matcher.group(0) ?? '';
}

function isSecret(text: string, { entropy, minLength }: Pick<Rule, 'entropy' | 'minLength'>): boolean {
  return text.length >= minLength && !isStandIn(text) && bitsPerCharacter(text) >= (entropy ?? 0);
}
