import type { ChangedFile, Hunk } from '../pull-request/changed-file.ts';
import { hideSecrets, type Secret } from '../secrets/redact.ts';
import { mayBeHidden } from '../secrets/values.ts';
import { addedRuns, lineMatcher, matchRun, type ScopedRule } from './match-lines.ts';
import { isAboutSecrets, type Rule } from './rule.ts';
import { identifiersIn } from './run-rules.ts';

/** Finds the credentials that rules are about, in comments too. */
type SecretFinder = {
  /** By the rules that read single lines. */
  readonly inLines: (path: string, lines: readonly string[]) => readonly FoundInLines[];
  /** By the rules that read over lines, which stand directly below each other. */
  readonly inBlock: (path: string, lines: readonly string[]) => readonly FoundInLines[];
};

type FoundInLines = {
  readonly value: string;
  readonly certain: boolean;
  /** Those that hold it, where the rule matched. */
  readonly lines: readonly string[];
};

function secretFinder(rules: readonly Rule[]): SecretFinder {
  const matcherFor = lineMatcher(rules.filter(isAboutSecrets));
  return {
    inLines: (path, lines) => {
      const matcher = matcherFor(path);
      if (matcher === null) return none;
      return lines.flatMap((line) => matcher.ofLine(line).flatMap((scoped) => secretsOfLines([line], scoped)));
    },
    inBlock: (path, lines) => {
      const multiLine = matcherFor(path)?.multiLine ?? [];
      if (multiLine.length === 0) return none;
      const text = lines.join('\n');
      return multiLine.filter(({ mayMatch }) => mayMatch(text)).flatMap((scoped) => secretsOfLines(lines, scoped));
    },
  };
}

const none: readonly FoundInLines[] = [];

function secretsOfLines(lines: readonly string[], scoped: ScopedRule): readonly FoundInLines[] {
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
function toHide(found: readonly FoundInLines[], source: () => Iterable<string>): readonly Secret[] {
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

/** Each of them is looked for in every text from then on. A file that is full of them must not leave the others without. */
const maxSecrets = 1_000;
const maxOfFile = 100;

/**
 * The credentials that rules find in a diff: at most 100 of a file and 1,000 in all. Of every line, as the removed ones and those around a change are
 * shown and quoted, too.
 */
export function secretsIn(rules: readonly Rule[], files: readonly ChangedFile[]): readonly Secret[] {
  const scan = scanBy(rules);
  const found = new Map<string, FoundInLines>();
  const keyOf = keysOfPlaces();
  for (const file of files) {
    const own = new Map(scan(file).map((one) => [keyOf(one.value, one.certain ? [] : one.lines), one]));
    for (const [key, one] of [...own].slice(0, maxOfFile)) found.set(key, one);
    if (found.size >= maxSecrets) break;
  }
  const secrets = toHide([...found.values()].slice(0, maxSecrets), () => linesOf(files));
  const keyed = secrets.map(
    (secret) => [keyOf(secret.value, secret.line === null ? [] : [secret.line]), secret] as const,
  );
  return [...new Map(keyed).values()];
}

type Scan = (file: ChangedFile) => readonly FoundInLines[];

/** A run asks twice, for what it logs and for what the model reads: the latest rules, and what they found in which file. */
let latest: { readonly key: string; readonly scan: Scan } | null = null;

function scanBy(rules: readonly Rule[]): Scan {
  const key = JSON.stringify(rules.filter(isAboutSecrets));
  if (latest?.key !== key) latest = { key, scan: scanOnce(secretFinder(rules)) };
  return latest.scan;
}

function scanOnce(finder: SecretFinder): Scan {
  const known = new WeakMap<ChangedFile, readonly FoundInLines[]>();
  return (file) => {
    const found = known.get(file) ?? scanned(file, finder);
    known.set(file, found);
    return found;
  };
}

const nothing: readonly FoundInLines[] = [];

function scanned(file: ChangedFile, finder: SecretFinder): readonly FoundInLines[] {
  let found = nothing;
  const keyOf = keysOfPlaces();
  const keys = new Set<string>();
  for (const hunk of file.hunks) {
    if (keys.size >= maxOfFile) break;
    const more = secretsOfHunk(hunk, { file, finder });
    for (const { value, certain, lines } of more) keys.add(keyOf(value, certain ? [] : lines));
    if (more.length > 0) found = [...found, ...more];
  }
  return found;
}

/** The same value in two places is two of them: it may be hidden only where it stands. Lines count by number, as one may have megabytes. */
function keysOfPlaces(): (value: string, lines: readonly string[]) => string {
  const numbers = new Map<string, number>();
  const numberOf = (line: string) => {
    const number = numbers.get(line) ?? numbers.size;
    numbers.set(line, number);
    return number;
  };
  return (value, lines) => [lines.length, ...lines.map(numberOf), value].join(' ');
}

function* linesOf(files: readonly ChangedFile[]): Generator<string> {
  for (const { hunks } of files) for (const { lines } of hunks) for (const line of lines) yield line.slice(1);
}

function secretsOfHunk(
  hunk: Hunk,
  { file, finder }: { file: ChangedFile; finder: SecretFinder },
): readonly FoundInLines[] {
  const lines = hunk.lines.map(bare);
  const blocks = blocksOf(hunk);
  return [...new Set([file.path, file.oldPath])].flatMap((path) => [
    ...finder.inLines(path, lines),
    ...blocks.flatMap((block) => finder.inBlock(path, block)),
  ]);
}

/** What rules over lines read: the added lines as where they are raised, and both sides, where more stands below each other. */
function blocksOf(hunk: Hunk): readonly (readonly string[])[] {
  const side = (sign: string) => hunk.lines.filter((line) => line.startsWith(' ') || line.startsWith(sign)).map(bare);
  return [...[...addedRuns(hunk)].map(({ lines }) => lines), side('+'), side('-')];
}

/** Without the sign of the diff. */
function bare(line: string): string {
  return line.endsWith('\r') ? line.slice(1, -1) : line.slice(1);
}
