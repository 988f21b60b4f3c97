import { hideSecrets, type Secret } from '../repository/hide-values.ts';
import { mayBeHidden } from '../repository/secret-literal.ts';
import { identifiersIn } from './identifiers.ts';
import { lineMatcher, type ScopedRule } from './line-matcher.ts';
import { matchRun } from './match-run.ts';
import { isAboutSecrets, type Rule } from './rule.ts';

/** Finds the credentials that rules are about, in comments too. */
export type SecretFinder = {
  /** By the rules that read single lines. */
  readonly inLines: (path: string, lines: readonly string[]) => readonly FoundInLines[];
  /** By the rules that read over lines, which stand directly below each other. */
  readonly inBlock: (path: string, lines: readonly string[]) => readonly FoundInLines[];
};

export type FoundInLines = {
  readonly value: string;
  readonly certain: boolean;
  /** Those that hold it, where the rule matched. */
  readonly lines: readonly string[];
};

export function secretFinder(rules: readonly Rule[]): SecretFinder {
  const matcherFor = lineMatcher(rules.filter(isAboutSecrets));
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

const none: readonly FoundInLines[] = [];

function secretsOf(lines: readonly string[], scoped: ScopedRule): readonly FoundInLines[] {
  return matchRun({ lines, indexes: [], line: 1 }, scoped, null).flatMap(({ offset, count, secrets }) => {
    const stands = lines.slice(offset, offset + count);
    return secrets.map(({ value, certain }) => ({
      value,
      certain,
      // One line holds it: to look for each of thousands would be quadratic.
      lines: stands.length === 1 ? stands : stands.filter((line) => line.includes(value)),
    }));
  });
}

/**
 * What is hidden of what was found. A value that might as well be code, a word or a name that the source uses goes where it stands with its
 * name, and nowhere else: who calls a function a password does not hide the function. `source` is asked only when it matters.
 */
export function toHide(found: readonly FoundInLines[], source: () => Iterable<string>): readonly Secret[] {
  let identifiers: ReadonlySet<string> | undefined;
  return found.flatMap(({ value, certain, lines }): readonly Secret[] => {
    if (certain) return [{ value, line: null }];
    if (mayBeHidden(value)) {
      identifiers ??= identifiersIn(source());
      if (!identifiers.has(value)) return [{ value, line: null }];
    }
    return lines.map((line) => ({ value, line: line.trim() }));
  });
}

/** The same source without the credentials that rules find in it. */
export type HideInSource = (path: string, text: string) => string;

export function hideInSource(rules: readonly Rule[]): HideInSource {
  const { inLines, inBlock } = secretFinder(rules);
  return (path, text) => {
    const lines = text.split(/\r?\n/);
    return hideSecrets(toHide([...inLines(path, lines), ...inBlock(path, lines)], () => lines))(text);
  };
}
