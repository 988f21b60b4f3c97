import { noKeys } from '../memory/mark-keys.ts';
import { writeMark } from '../memory/mark-text.ts';
import type { LedgerEntry, Review } from '../review/review.ts';
import type { Delivery, ReviewRecord } from '../review/sink.ts';
import { characters, cutMarkdown } from './limits.ts';
import { details, linked, table } from './markdown.ts';
import { type Links, linkedPlace } from './permalink.ts';
import type { RenderContext } from './render-context.ts';
import { scopeText } from './scope-text.ts';
import { heldByComments, stickyMarkOf } from './sticky-mark.ts';
import { renderUnreviewed } from './summary-coverage.ts';
import { usageText } from './summary-usage.ts';
import { untrustedLine, untrustedName } from './untrusted.ts';
import { placeOf, plural, severityLabels } from './wording.ts';

/** What GitHub takes, in characters. */
const commentCharacters = 65_536;

/**
 * The one summary comment of a pull request, updated by every run; null when this run looked at nothing. Its mark is signed for one `comment`, so a copy
 * of it in another one says nothing; null while it has no number yet.
 */
export function renderSticky(
  record: ReviewRecord,
  context: RenderContext & { readonly comment: number | null },
): string | null {
  const { review, ledger } = record;
  const mark = stickyMarkOf(record, context);
  const looked = review.outcome !== 'skipped' && review.outcome !== 'failed' && review.stop.reason !== 'cancelled';
  if (mark === null || !looked) return null;
  const links = { context, pullRequest: review.pullRequest };
  const parts = [
    `### ${untrustedLine(mark.name, context)} · ${untrustedLine(review.headline, context, 2_000)}`,
    renderUnreviewed(review.coverage, context),
    findings(ledger, links),
    suppressed(ledger, context),
    outdated(review),
    unkept(heldByComments(review, ledger).length - (mark.open?.length ?? 0)),
    undelivered(record.deliveries, context),
    footer(review, context),
  ];
  const { keys = noKeys, comment } = context;
  const sign = (content: string) => (comment === null ? null : keys.sign(content, { in: 'summary', comment }));
  const marker = `\n\n${writeMark(mark, sign)}`;
  const text = parts.filter((part) => part !== '').join('\n\n');
  const pointer = 'The rest did not fit here and is in the job summary.';
  return `${cutMarkdown(text, { max: commentCharacters - marker.length, measure: characters, pointer })}${marker}`;
}

const rowsAtMost = 50;

function findings(ledger: readonly LedgerEntry[], links: Links): string {
  const open = ledger.filter(({ place }) => place !== 'suppressed');
  if (open.length === 0) return '';
  const rows = open
    .slice(0, rowsAtMost)
    .map(({ finding, place, url }) => [
      severityLabels[finding.severity],
      `${linkedTitle(untrustedLine(finding.title, links.context), url)}${place === 'standing' ? '' : ' · new'}`,
      linkedPlace(finding, links),
    ]);
  const rest = open.length - rows.length;
  const more = rest > 0 ? [`and ${plural(rest, 'more finding')} in the job summary`] : [];
  return [table(['', 'Finding', 'Where'], rows), ...more].join('\n\n');
}

// A bracket of the model's could end the link early and begin one of its own.
function linkedTitle(title: string, url: string | null): string {
  if (url === null) return title;
  return /[[\]]|\\$/.test(title) ? `${title} (${linked('comment', url)})` : linked(title, url);
}

function suppressed(ledger: readonly LedgerEntry[], context: RenderContext): string {
  const entries = ledger.filter(({ place, by }) => place === 'suppressed' && by === undefined);
  if (entries.length === 0) return '';
  const rows = entries
    .slice(0, rowsAtMost)
    .map(({ finding, reason }) => [
      untrustedLine(finding.title, context),
      untrustedName(placeOf(finding), context),
      untrustedLine(reason ?? '', context),
    ]);
  const title = `${plural(entries.length, 'finding')} not raised again: the team declined ${entries.length === 1 ? 'it' : 'them'}`;
  return details(title, table(['Finding', 'Where', 'By whom'], rows));
}

function outdated({ gone }: Review): string {
  return gone.length === 0 ? '' : `Resolved by a change: ${plural(gone.length, 'earlier finding')}.`;
}

function unkept(count: number): string {
  if (count <= 0) return '';
  return `This comment has no room to remember ${plural(count, 'open finding')}: should their comments be deleted, they are forgotten.`;
}

/** What people would otherwise look for in vain. */
function undelivered(deliveries: readonly Delivery[], context: RenderContext): string {
  return deliveries
    .filter(({ status, reason }) => (status === 'refused' || status === 'failed') && reason !== null)
    .map(({ sink, reason }) => `> ${sink}: ${untrustedLine(reason ?? '', context, 500)}`)
    .join('\n>\n');
}

function footer(review: Review, context: RenderContext): string {
  const { limits, pullRequest } = review;
  const commit = pullRequest === null ? '' : `Commit ${untrustedName(pullRequest.head.sha.slice(0, 12), context)}.`;
  const setting = [limits.model ?? '', limits.profile]
    .filter((part) => part !== '')
    .map((part) => untrustedName(part, context));
  const lines = [
    [commit, scopeText(review)].filter((part) => part !== '').join(' '),
    [usageText(review), ...setting].join(' · '),
  ];
  return lines.map((line) => `<sub>${line}</sub>`).join('\\\n');
}
