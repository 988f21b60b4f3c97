import { structuredPatch } from 'diff';
import { shown, splitLines } from '../repository/shown.ts';
import { atLeast, type Severity, severities } from '../settings/setting.ts';
import { type LinesAnchor, type PlacedFinding, placeOf } from './finding.ts';

/** A file as it lies in the work tree now, or why its text cannot be changed. */
export type WorkTreeFile = { readonly text: string } | { readonly problem: string };

export type FixedFile = { readonly path: string; readonly before: string; readonly after: string };

export type Fixes = {
  readonly files: readonly FixedFile[];
  readonly applied: readonly PlacedFinding[];
  /** With a suggestion that is not applied, each with the reason as the end of a sentence. */
  readonly left: readonly { readonly finding: PlacedFinding; readonly reason: string }[];
};

type Chosen = { readonly finding: PlacedFinding; readonly anchor: LinesAnchor; readonly suggestion: string };

/** The findings that people are shown and that have a suggestion. */
export function withSuggestion(placed: readonly PlacedFinding[]): readonly PlacedFinding[] {
  return placed.filter(({ place, belowThreshold, suggestion }) => {
    return place !== 'suppressed' && belowThreshold !== true && suggestion !== null;
  });
}

/** What the suggestions make of these files: those that verification confirmed, on lines that are still as they were quoted. Of two for one line it is the more severe. */
export function planFixes(
  placed: readonly PlacedFinding[],
  { files, severity }: { files: ReadonlyMap<string, WorkTreeFile>; severity: Severity },
): Fixes {
  const chosen: Chosen[] = [];
  const left: Fixes['left'][number][] = [];
  for (const finding of mostSevereFirst(withSuggestion(placed))) {
    const taken = choose(finding, { severity, file: files.get(finding.path), chosen });
    if (typeof taken === 'string') left.push({ finding, reason: taken });
    else chosen.push(taken);
  }
  const paths = [...new Set(chosen.map(({ finding }) => finding.path))];
  return {
    applied: chosen.map(({ finding }) => finding),
    left,
    files: paths.flatMap((path) => {
      const file = files.get(path);
      if (file === undefined || 'problem' in file) return [];
      const after = applied(
        file.text,
        chosen.filter(({ finding }) => finding.path === path),
      );
      return [{ path, before: file.text, after }];
    }),
  };
}

function mostSevereFirst(findings: readonly PlacedFinding[]): readonly PlacedFinding[] {
  return findings.toSorted((one, other) => severities.indexOf(one.severity) - severities.indexOf(other.severity));
}

function choose(
  finding: PlacedFinding,
  context: { severity: Severity; file: WorkTreeFile | undefined; chosen: readonly Chosen[] },
): Chosen | string {
  const { anchor, suggestion } = finding;
  const { severity, file, chosen } = context;
  if (!atLeast(finding.severity, severity)) return `it is below ${severity}`;
  if (finding.verification !== 'confirmed') return 'verification did not confirm it';
  if (finding.narrowed === true || suggestion === null || anchor.kind === 'file' || anchor.side === 'LEFT')
    return 'it is for more lines than those shown';
  if (isHidden(suggestion)) return 'it holds a secret, or characters that nobody sees';
  if (file === undefined) return 'the file was not read';
  if ('problem' in file) return file.problem;
  if (!isUnchanged(file.text, anchor)) return 'the lines are not in the work tree as they were quoted';
  const other = chosen.find((one) => one.finding.path === finding.path && overlap(one.anchor, anchor));
  if (other === undefined) return { finding, anchor, suggestion };
  const why = other.finding.severity === finding.severity ? 'comes first' : 'is more severe';
  return `it overlaps the one at ${placeOf(other.finding)}, which ${why}`;
}

function isHidden(suggestion: string): boolean {
  const lines = suggestion.split('\n');
  return shown(lines).some(({ text, redacted }, index) => redacted || text !== lines[index]);
}

function isUnchanged(text: string, { startLine, endLine, quote }: LinesAnchor): boolean {
  // The quote hides secrets and shows what is invisible: lines with either are no lines to write over.
  return (
    splitLines(text)
      .slice(startLine - 1, endLine)
      .join('\n') === quote
  );
}

function overlap(one: LinesAnchor, other: LinesAnchor): boolean {
  return one.startLine <= other.endLine && other.startLine <= one.endLine;
}

/** From the last lines to the first, so that the numbers of the others hold. Lines are joined as they were parted: what ends the file stays. */
function applied(text: string, chosen: readonly Chosen[]): string {
  const lines = text.split('\n');
  for (const { anchor, suggestion } of chosen.toSorted((one, other) => other.anchor.startLine - one.anchor.startLine)) {
    const { startLine, endLine } = anchor;
    lines.splice(startLine - 1, endLine - startLine + 1, ...replacement(suggestion, { lines, startLine, endLine }));
  }
  return lines.join('\n');
}

/** With the carriage returns of what it replaces. */
function replacement(
  suggestion: string,
  { lines, startLine, endLine }: { lines: readonly string[]; startLine: number; endLine: number },
): readonly string[] {
  if (suggestion === '') return [];
  const returnOf = (line = '') => (line.endsWith('\r') ? '\r' : '');
  // The last line of a file may have no end to go by.
  const between = returnOf(lines[startLine < lines.length ? startLine - 1 : 0]);
  const texts = suggestion.replace(/\n$/, '').split('\n');
  return texts.map((line, at) => `${line}${at < texts.length - 1 ? between : returnOf(lines[endLine - 1])}`);
}

/** As `git apply` takes it. */
export function patchOf(files: readonly FixedFile[]): string {
  return files.map(filePatch).join('');
}

function filePatch({ path, before, after }: FixedFile): string {
  const [from, to] = [quotedName(`a/${path}`), quotedName(`b/${path}`)];
  // Git ends a name with spaces by a tab.
  const tab = path.includes(' ') ? '\t' : '';
  const { hunks } = structuredPatch(path, path, before, after, undefined, undefined, { context: 3 });
  const texts = hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => {
    return `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@\n${lines.map((line) => `${line}\n`).join('')}`;
  });
  return `diff --git ${from} ${to}\n--- ${from}${tab}\n+++ ${to}${tab}\n${texts.join('')}`;
}

/** In quotes where git itself writes it so. */
function quotedName(name: string): string {
  const escaped = [...name].map((character) => {
    if (character === '"' || character === '\\') return `\\${character}`;
    const code = character.charCodeAt(0);
    return code < 32 || code === 127 ? `\\${code.toString(8).padStart(3, '0')}` : character;
  });
  const text = escaped.join('');
  return text === name ? name : `"${text}"`;
}
