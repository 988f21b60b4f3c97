import { RE2JS } from 're2js';
import type { SecretGroup } from '../repository/secret-kinds.ts';
import { bitsPerCharacter, isStandIn } from '../repository/secret-literal.ts';
import { findSecrets } from '../repository/secrets.ts';
import type { Rule } from './rule.ts';

export type Match = {
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
