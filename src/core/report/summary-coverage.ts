import { grouped } from '../grouped.ts';
import type { Coverage, Review, SkippedFile } from '../review/review.ts';
import { details, table } from './markdown.ts';
import type { RenderContext } from './render-context.ts';
import { untrustedLine, untrustedName } from './untrusted.ts';
import { plural } from './wording.ts';

/** What should have been reviewed and was not, where nobody can overlook it; empty when all was. */
export function renderUnreviewed({ unreviewed, unread, missing }: Coverage, context: RenderContext): string {
  if (unreviewed.length + unread.length + missing.length === 0) return '';
  const isHarmless = unreviewed.length + missing.length === 0 && !unread.some(({ code }) => code);
  const sentences = missing.map((sentence) => `> - ${untrustedLine(sentence, context)}`);
  return [
    isHarmless ? '> [!NOTE]' : '> [!WARNING]',
    ...listed('Not reviewed', unreviewed, context),
    ...listed('Not read', unread, context),
    ...sentences,
  ].join('\n');
}

function listed(title: string, files: readonly SkippedFile[], context: RenderContext): readonly string[] {
  if (files.length === 0) return [];
  const named = files.slice(0, filesNamed).map((file) => `> - ${fileAndReason(file, context)}`);
  const more = files.length > filesNamed ? [`> - and ${plural(files.length - filesNamed, 'more file')}`] : [];
  return [`> **${title}: ${plural(files.length, 'file')}**`, ...named, ...more];
}

/** How much was reviewed, and what was left out on purpose, each with its reason. */
export function renderCoverage({ outcome, coverage }: Review, context: RenderContext): string {
  const { reviewed, skipped, earlier } = coverage;
  // The headlines of the other outcomes hold the number.
  const before = earlier.length === 0 ? '' : `${plural(earlier.length, 'file')} did not change since the last review.`;
  const count = [outcome === 'partial' ? `Reviewed ${plural(reviewed.length, 'file')}.` : '', before].join(' ').trim();
  if (skipped.length === 0) return count;
  if (skipped.length <= 2) {
    const files = skipped.map((file) => fileAndReason(file, context)).join(', ');
    return `${count} Skipped ${files}.`.trim();
  }
  const fold = details(`Skipped ${plural(skipped.length, 'file')}`, byReason(skipped, context));
  return count === '' ? fold : `${count}\n\n${fold}`;
}

function byReason(skipped: readonly SkippedFile[], context: RenderContext): string {
  const groups = new Map<string, string[]>();
  for (const { path, reason } of skipped) {
    const paths = groups.get(reason) ?? [];
    paths.push(path);
    groups.set(reason, paths);
  }
  const rows = [...groups].map(([reason, paths]) => [untrustedLine(reason, context), names(paths, context)]);
  return table(['Why', 'Files'], rows);
}

function names(paths: readonly string[], context: RenderContext): string {
  const shown = paths.slice(0, filesOfReason).map((path) => untrustedName(path, context));
  const rest = paths.length - shown.length;
  return `${shown.join(', ')}${rest > 0 ? ` and ${grouped(rest)} more` : ''}`;
}

const filesOfReason = 200;
const filesNamed = 50;

function fileAndReason(file: SkippedFile, context: RenderContext): string {
  return `${untrustedName(file.path, context)} (${untrustedLine(file.reason, context)})`;
}
