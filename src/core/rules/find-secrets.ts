import { hideValues } from '../repository/hide-values.ts';
import { mayBeHidden } from '../repository/secret-literal.ts';
import { lineMatcher, type ScopedRule } from './line-matcher.ts';
import { matchRun } from './match-run.ts';
import type { Rule } from './rule.ts';

/** Finds the credentials that rules with an entropy are about, in comments too. */
export type SecretFinder = {
  /** By the rules that read single lines. */
  readonly inLines: (path: string, lines: readonly string[]) => readonly string[];
  /** By the rules that read over lines, which stand directly below each other. */
  readonly inBlock: (path: string, lines: readonly string[]) => readonly string[];
};

export function secretFinder(rules: readonly Rule[]): SecretFinder {
  const matcherFor = lineMatcher(rules.filter(({ entropy }) => entropy !== null));
  return {
    inLines: (path, lines) => {
      const matcher = matcherFor(path);
      if (matcher === null) return none;
      return lines.flatMap((line) => matcher.ofLine(line).flatMap((scoped) => secretsOf([line], scoped)));
    },
    inBlock: (path, lines) => {
      const multiLine = matcherFor(path)?.multiLine ?? [];
      if (multiLine.length === 0) return none;
      const text = lines.join('\n');
      return multiLine.filter(({ mayMatch }) => mayMatch(text)).flatMap((scoped) => secretsOf(lines, scoped));
    },
  };
}

const none: readonly string[] = [];

function secretsOf(lines: readonly string[], scoped: ScopedRule): readonly string[] {
  return matchRun({ lines, indexes: [], line: 1 }, scoped, null).flatMap(({ offset, count, secrets }) => {
    const stands = lines.slice(offset, offset + count);
    return secrets.flatMap((secret) => (mayBeHidden(secret) ? [secret] : inItsLine(secret, stands)));
  });
}

/** A value that might as well be code, or the name of something: it goes where it stands with its name, and nowhere else. */
function inItsLine(secret: string, lines: readonly string[]): readonly string[] {
  return lines.filter((line) => line.includes(secret)).map((line) => line.trim());
}

/** The same source without the credentials that rules find in it. */
export type HideInSource = (path: string, text: string) => string;

export function hideInSource(rules: readonly Rule[]): HideInSource {
  const { inLines, inBlock } = secretFinder(rules);
  return (path, text) => {
    const lines = text.split(/\r?\n/);
    return hideValues([...inLines(path, lines), ...inBlock(path, lines)])(text);
  };
}
