import type { Finding } from '../../../src/core/findings/finding.ts';
import type { GroundSources } from '../../../src/core/findings/sources.ts';
import type { SubmittedFinding } from '../../../src/core/findings/submission.ts';
import type { ChangedFile, Hunk } from '../../../src/core/pull-request/changed-file.ts';
import { shown, splitLines } from '../../../src/core/repository/shown.ts';
import { hunkOf, changedFile as plainFile } from '../../fakes/memory-repository.ts';

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
    evidence: 'read src/a.ts:1-20',
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

export function finding(changes: Partial<Finding> = {}): Finding {
  return {
    id: 'f1',
    path: 'src/a.ts',
    anchor: { kind: 'lines', side: 'RIGHT', startLine: 1, endLine: 1, quote: 'one' },
    title: 'Total is never saved',
    review: 'The promise is dropped.',
    evidence: 'read src/a.ts:1-20',
    severity: 'warning',
    category: 'bug',
    suggestion: null,
    ruleId: null,
    confidence: 0.8,
    source: 'model',
    alsoAt: [],
    ...changes,
  };
}

export function linesAnchor(startLine: number, endLine: number = startLine): Finding['anchor'] {
  const quote = Array.from({ length: endLine - startLine + 1 }, (_, index) => `line ${startLine + index}`).join('\n');
  return { kind: 'lines', side: 'RIGHT', startLine, endLine, quote };
}
