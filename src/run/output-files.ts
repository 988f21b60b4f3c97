import type { Stats } from 'node:fs';
import { progressFile } from '../adapters/files/recorders.ts';
import { targetOf } from '../adapters/files/write.ts';
import { UserError } from '../core/errors.ts';
import { combineReporters, type Reporter } from '../core/events.ts';
import type { NamedFiles } from '../core/settings/files.ts';
import { systemClock } from './machine.ts';
import { tellSteps } from './watched.ts';

/**
 * Tells of what cannot be written before a review is paid for; `read` is a file that must stay as it is.
 *
 * @throws UserError for it, and for one that another would overwrite. With `onProblem` only for the latter.
 */
export function requireWritable(
  named: NamedFiles,
  { read = '', onProblem }: { read?: string; onProblem?: (text: string) => void } = {},
): void {
  const source = read === '' ? null : targetOf(read);
  const takenBy = new Map(source?.kind === 'file' ? [[identityOf(source), 'the file that is read']] : []);
  const problems = Object.entries(named).flatMap(([name, path]) => {
    if (path === '') return [];
    const target = targetOf(path);
    if (target.kind === 'none') {
      const problem = `'${name}' names ${path}, which cannot be written: ${target.problem}.`;
      if (onProblem === undefined) return [problem];
      onProblem(problem);
      return [];
    }
    const other = takenBy.get(identityOf(target));
    takenBy.set(identityOf(target), `the file of '${name}'`);
    return other === undefined ? [] : [`'${name}' names ${path}, ${other}: one would overwrite the other.`];
  });
  if (problems.length > 0)
    throw new UserError(problems.join(' '), {
      hint: 'Name a file in a writable folder. On the command line `--format` prints to stdout.',
    });
}

/** The same for all names of one file, hard links too. */
function identityOf({ path, stats }: { readonly path: string; readonly stats: Stats | null }): string {
  return stats === null || stats.ino === 0 ? path : `${stats.dev}:${stats.ino}`;
}

/** The given reporter, who watches over the run, and the progress file when it is named. */
export function reporterFor(
  first: Reporter,
  { path, redact }: { path: string; redact: (text: string) => string },
): Reporter {
  const told = combineReporters(first, tellSteps(redact));
  if (path === '') return told;
  const warn = (text: string) => first({ type: 'warning', text });
  return combineReporters(told, progressFile(path, { now: systemClock.now, warn, redact }));
}
