import fc from 'fast-check';
import type { Batch } from '../../../src/core/batches/batch.ts';
import type { Finding } from '../../../src/core/findings/finding.ts';
import type { GroundSources } from '../../../src/core/findings/sources.ts';
import type { SubmittedFinding } from '../../../src/core/findings/submission.ts';
import type { ChangedFile, Hunk } from '../../../src/core/pull-request/changed-file.ts';
import { shown, splitLines } from '../../../src/core/repository/shown.ts';
import { hunkOf, changedFile as plainFile } from '../../fakes/memory-repository.ts';
import { linesAt, finding as plainFinding } from '../../fakes/review-record.ts';

/** A hunk from its lines with their signs; the counts follow. */
export function hunk(start: { readonly old: number; readonly new: number }, ...lines: readonly string[]): Hunk {
  return hunkOf(lines, { oldStart: start.old, newStart: start.new });
}

export function changedFile(path: string, changes: Partial<ChangedFile> = {}): ChangedFile {
  return plainFile(path, { additions: 1, deletions: 1, ...changes });
}

type Texts = { readonly [path: string]: string };

/** The two sides of a repository as texts by path. */
export function sources(
  files: readonly ChangedFile[],
  texts: { readonly head?: Texts; readonly base?: Texts },
): GroundSources {
  return {
    files,
    read: async (path, side) => {
      const text = (side === 'RIGHT' ? texts.head : texts.base)?.[path];
      return text === undefined ? null : shown(splitLines(text));
    },
  };
}

export function submitted(changes: Partial<SubmittedFinding> = {}): SubmittedFinding {
  return {
    path: 'src/a.ts',
    quote: null,
    lines: null,
    side: 'RIGHT',
    evidence: inWords('read src/a.ts:1-20'),
    also_at: [],
    title: 'Total is never saved',
    review: 'The promise is dropped.',
    severity: 'warning',
    category: 'bug',
    suggestion: null,
    rule_id: null,
    same_as: null,
    confidence: 0.8,
    ...changes,
  };
}

/** Evidence that cites nothing. */
export function inWords(shows: string): SubmittedFinding['evidence'] {
  return shows === '' ? [] : [{ path: '', side: 'RIGHT', lines: null, shows }];
}

/** What was submitted, on the first line. */
export function finding(changes: Partial<Finding> = {}): Finding {
  const { path, title, review, severity, category, suggestion, confidence } = submitted();
  const evidence = 'read src/a.ts:1-20';
  const said = { path, title, review, evidence, severity, category, suggestion, confidence };
  const { citations: _, ...plain } = plainFinding();
  return { ...plain, ...said, anchor: linesAt([1, 1], 'one'), ...changes };
}

export function linesAnchor(startLine: number, endLine: number = startLine) {
  const quote = Array.from({ length: endLine - startLine + 1 }, (_, index) => `line ${startLine + index}`).join('\n');
  return linesAt([startLine, endLine], quote);
}

const someFinding = fc.record({
  start: fc.integer({ min: 1, max: 30 }),
  length: fc.nat(12),
  title: fc.constantFrom('Total is lost', 'The total is lost', 'Index is off by one'),
  severity: fc.constantFrom('critical', 'warning', 'info', 'nitpick'),
});
/** Findings of one file, of which some meet and some say the same. */
export const manyFindings = fc
  .array(
    someFinding.map(({ start, length, ...said }) => finding({ ...said, anchor: linesAnchor(start, start + length) })),
  )
  .map((all) => all.map((one, index) => ({ ...one, id: `f${index}` })));

/** Files that are reviewed together, each as a whole. */
export function batchOf(files: readonly ChangedFile[], changes: Partial<Batch> = {}): Batch {
  const whole = files.map((file) => ({ file, hunks: file.hunks, part: null }));
  return { name: 'src', files: whole, estimatedTokens: 100, ...changes };
}
