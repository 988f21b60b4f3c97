import { at, isObject, textAt } from '../json.ts';
import type { DiffFile } from './changed-files.ts';
import { hunkIndex } from './diff-hunks.ts';
import type { Side } from './store.ts';

export type Anchor = {
  readonly path: string;
  readonly side: Side;
  readonly line: number;
  readonly startLine: number | null;
};

/** `field` is GitHub's name of the value, without `pull_request_review_thread.` in front. */
export type AnchorProblem = { readonly field: string; readonly words: string };

export type CheckedAnchor =
  | { readonly ok: true; readonly anchor: Anchor }
  | { readonly ok: false; readonly problems: readonly AnchorProblem[] };

const noHunk: AnchorProblem = { field: 'diff_hunk', words: "can't be blank" };

/** What GitHub checks of a comment's place (FAILURES P1, P2, P16), against a three-dot diff. */
export function checkAnchor(files: readonly DiffFile[], comment: unknown): CheckedAnchor {
  const path = textAt(comment, 'path');
  const file = files.find((one) => one.filename === path);
  if (file === undefined) return refused({ field: 'path', words: 'is invalid' }, noHunk);
  const line = at(comment, 'line');
  if (typeof line !== 'number' || line < 1)
    return refused({ field: 'line', words: 'must be part of the diff' }, noHunk);
  const side = sideOf(at(comment, 'side'));
  const hunk = hunkIndex(file.hunks, { side, line });
  const start = at(comment, 'start_line');
  if (start === undefined || start === null) {
    if (hunk === -1) return refused({ field: 'line', words: 'must be part of the diff' }, noHunk);
    return { ok: true, anchor: { path, side, line, startLine: null } };
  }
  if (typeof start !== 'number' || start >= line) {
    return refused({ field: 'start_line', words: 'must precede the end line.' });
  }
  const startHunk = hunkIndex(file.hunks, { side: sideOf(at(comment, 'start_side') ?? side), line: start });
  if (hunk === -1) {
    return refused({ field: 'line', words: 'must be part of the diff' }, sameHunk, noHunk);
  }
  if (startHunk !== hunk) return refused(sameHunk);
  return { ok: true, anchor: { path, side, line, startLine: start } };
}

const sameHunk: AnchorProblem = { field: 'start_line', words: 'must be part of the same hunk as the line.' };

/** One sentence, as the reviews API joins them. */
export function sentenceOf(problems: readonly AnchorProblem[]): string {
  const clauses = problems.map(
    ({ field, words }) => `Pull request review thread ${field.replaceAll('_', ' ')} ${words}`,
  );
  if (clauses.length < 3) return clauses.join(' and ');
  return `${clauses.slice(0, -1).join(', ')}, and ${clauses.at(-1)}`;
}

/** Names that GitHub's schema of a comment does not know make the whole request invalid. */
export function unknownNames(value: unknown, known: readonly string[]): readonly string[] {
  return isObject(value) ? Object.keys(value).filter((name) => !known.includes(name)) : [];
}

function refused(...problems: readonly AnchorProblem[]): CheckedAnchor {
  return { ok: false, problems };
}

function sideOf(value: unknown): Side {
  return value === 'LEFT' ? 'LEFT' : 'RIGHT';
}
