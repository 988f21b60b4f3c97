import { type SuppressedBy, suppressors } from '../findings/placement.ts';
import type { LedgerEntry, RefusedFinding } from '../review/review.ts';
import type { Delivery, ReviewRecord } from '../review/sink.ts';
import { details, table } from './markdown.ts';
import type { RenderContext } from './render-context.ts';
import { untrustedLine, untrustedName } from './untrusted.ts';
import { placeOf, plural } from './wording.ts';

/** What became of everything that is not a posted finding: deliveries that failed, findings refused or held back. */
export function renderLedger({ review, ledger, deliveries }: ReviewRecord, context: RenderContext): string {
  const parts = [
    undelivered(deliveries, context),
    refused(review.refused, context),
    suppressed(refusedByPeople(ledger), { title: 'not raised again', context }),
    ...suppressors.map((by) => suppressed(suppressedBy(ledger, by), { title: suppressedTitles[by], context })),
    review.gone.length === 0 ? '' : `Resolved by a change: ${plural(review.gone.length, 'earlier finding')}.`,
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function undelivered(deliveries: readonly Delivery[], context: RenderContext): string {
  return deliveries
    .filter((delivery) => delivery.reason !== null && delivery.status !== 'skipped')
    .map(
      (delivery) =>
        `- **${titles[delivery.status]} ${delivery.sink}:** ${untrustedLine(delivery.reason ?? '', context, 1_000)}`,
    )
    .join('\n');
}

const titles: Readonly<Record<Delivery['status'], string>> = {
  delivered: 'Note on',
  skipped: 'Skipped',
  refused: 'Not permitted:',
  failed: 'Failed:',
};

function refused(findings: readonly RefusedFinding[], context: RenderContext): string {
  if (findings.length === 0) return '';
  const rows = findings.map((finding) => [
    untrustedLine(finding.title, context),
    untrustedName(finding.path, context),
    untrustedLine(finding.reason, context, 500),
  ]);
  const title = `${plural(findings.length, 'finding')} unplaced`;
  return details(title, table(['Finding', 'File', 'Why it is unplaced'], rows));
}

function refusedByPeople(ledger: readonly LedgerEntry[]): readonly LedgerEntry[] {
  return ledger.filter(({ place, by }) => place === 'suppressed' && by === undefined);
}

function suppressedBy(ledger: readonly LedgerEntry[], what: SuppressedBy): readonly LedgerEntry[] {
  return ledger.filter(({ place, by }) => place === 'suppressed' && by === what);
}

const suppressedTitles: Readonly<Record<SuppressedBy, string>> = {
  verification: 'disproved by the verification',
  'follow-up': 'withdrawn by the model after a second look',
  'rule-comment': 'ignored by comments in the code',
};

function suppressed(
  entries: readonly LedgerEntry[],
  { title, context }: { readonly title: string; readonly context: RenderContext },
): string {
  if (entries.length === 0) return '';
  const rows = entries.map(({ finding, reason }) => [
    untrustedLine(finding.title, context),
    untrustedName(placeOf(finding), context),
    untrustedLine(reason ?? '', context),
  ]);
  return details(`${plural(entries.length, 'finding')} ${title}`, table(['Finding', 'Where', 'Why'], rows));
}
