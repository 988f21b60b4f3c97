import type { ChangedFile } from '../pull-request/changed-file.ts';
import { renderHunk } from '../pull-request/render-diff.ts';
import { shown } from '../repository/shown.ts';
import type { Bundle, BundleFile } from './bundle.ts';
import type { Fence } from './fence.ts';

export type BundleGuidance = {
  /** What the team says of these files, its rules too. */
  readonly words: readonly string[];
  /** Code around the change, rendered; empty when none was found. */
  readonly chain: string;
  /** Which changed images are shown; empty when there are none. */
  readonly images?: string;
  /** What the rule engine reported for these files, such as `src/a.ts:12 A private key is committed`. */
  readonly alreadyFound: readonly string[];
};

/** What changes from bundle to bundle: the rules for its paths, and its diff with line numbers of both sides. */
export function renderBundle(bundle: Bundle, guidance: BundleGuidance, fence: Fence): string {
  const { alreadyFound, words, chain, images = '' } = guidance;
  const parts = [
    '# Review these files',
    'Each line: old number, new number, sign (+ added, - removed), text. Quotes leave out numbers and sign.',
    ...words,
    ...(alreadyFound.length === 0
      ? []
      : [`Already reported by pattern rules; do not report again:\n${fence('reported', oneLineEach(alreadyFound))}`]),
    ...bundle.files.map((file) => fence('diff', renderFile(file))),
    ...(images === '' ? [] : [images]),
    ...(chain === ''
      ? []
      : [`Code around the change, one step away (\`← in …\` is a note of Postil's):\n${fence('context', chain)}`]),
    'Review the files above, then call submit_review.',
  ];
  return parts.join('\n\n');
}

function renderFile(bundleFile: BundleFile): string {
  const { file, hunks, part } = bundleFile;
  const notes = [
    describe(file),
    ...(part === null ? [] : [`part ${part.index} of ${part.of}: the other parts are reviewed separately`]),
    ...movedNote(file),
    ...(file.modeChange === null ? [] : [`mode ${file.modeChange}`]),
    ...(file.incomplete === null ? [] : [`the diff is incomplete: ${file.incomplete}`]),
  ];
  return [oneLineEach([`## ${notes.join('; ')}`]), ...hunks.map((hunk) => renderHunk(hunk, Infinity))].join('\n');
}

/** Without it, unchanged lines would look as if there were nothing to review. */
function movedNote({ moved, additions, deletions }: ChangedFile): readonly string[] {
  if (moved !== true) return [];
  const change = additions + deletions === 0 ? 'without a change' : 'with few changes';
  return [`moved ${change} to where the same text means something else: review all of it, as if it were new`];
}

/** A path may hold anything but NUL, line ends too: it is rendered like source. */
function oneLineEach(texts: readonly string[]): string {
  return texts.map((text) => shown([text])[0]?.text ?? '').join('\n');
}

function describe(file: ChangedFile): string {
  const from = file.oldPath === file.path ? '' : ` from ${file.oldPath}`;
  const kind = file.kind === 'text' ? '' : ` (${file.kind})`;
  return `${file.path} ${file.status}${from}${kind}`;
}
