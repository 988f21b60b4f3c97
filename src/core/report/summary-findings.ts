import type { LedgerEntry } from '../review/review.ts';
import type { ReviewRecord } from '../review/sink.ts';
import { renderFinding } from './finding-markdown.ts';
import { linked, table } from './markdown.ts';
import { type Links, linkedPlace } from './permalink.ts';
import type { RenderContext } from './render-context.ts';
import { untrustedLine } from './untrusted.ts';
import { placeLabels, plural, severityLabels } from './wording.ts';

/** All findings as a table that says where each is; in full those that can be read nowhere else. */
export function renderFindings({ review, ledger }: ReviewRecord, context: RenderContext): string {
  const shown = ledger.filter((entry) => entry.place !== 'suppressed');
  if (shown.length === 0) return '';
  const links = { context, pullRequest: review.pullRequest };
  const rows = shown.map((entry) => row(entry, links));
  // An annotation is plain text and cut: the whole of it is reported here.
  const onlyHere = shown.filter((entry) => entry.place === 'summary' || entry.place === 'annotation');
  const parts = [table(['Severity', 'Finding', 'Where', 'Delivered as'], rows), inFull(onlyHere, links)];
  return parts.filter((part) => part !== '').join('\n\n');
}

function row({ finding, place, url, reason }: LedgerEntry, links: Links): readonly string[] {
  const delivered = linked(placeLabels[place], url);
  const severity = severityLabels[finding.severity];
  return [
    finding.severity === 'critical' ? `**${severity}**` : severity,
    untrustedLine(finding.title, links.context),
    linkedPlace(finding, links),
    reason === null ? delivered : `${delivered}: ${untrustedLine(reason, links.context)}`,
  ];
}

const shownInFull = 100;
const findingCharacters = 6_000;

function inFull(entries: readonly LedgerEntry[], links: Links): string {
  if (entries.length === 0) return '';
  const texts = entries.slice(0, shownInFull).map(({ finding }) =>
    renderFinding(finding, {
      context: links.context,
      max: findingCharacters,
      place: linkedPlace(finding, links),
      applicable: false,
    }),
  );
  const rest = entries.length - texts.length;
  const more = rest > 0 ? [`${plural(rest, 'more finding')}: in full in the report file (\`report-file\`).`] : [];
  return ['### In full', texts.join('\n\n---\n\n'), ...more].join('\n\n');
}
