import { type PlacedFinding, type SuppressedBy, suppressors } from '../findings/finding.ts';
import type { Review } from '../review/review.ts';
import type { Delivery, ReviewRecord } from '../review/sink.ts';
import { plural } from '../text.ts';
import { type Links, linkedPlace, renderFinding } from './finding.ts';
import { findingsTable, foldedWalkthrough, groups, renderFixPrompt } from './findings-table.ts';
import { pathOf } from './json.ts';
import { untrustedBlock, untrustedLine, untrustedName } from './sanitise.ts';
import { idsShown } from './sticky-mark.ts';
import { bytes, cutMarkdown, details, linked, table } from './text.ts';
import { renderReviewed, renderUnreviewed, renderUsage } from './usage.ts';
import { placeOf, type RenderContext, suppressedWords } from './wording.ts';

/** The runner drops a summary over 1 MiB: some room is left for what other lines of the step add. */
const summaryBytes = 1_000_000;

/** The job summary: what came out, where it went, what was not looked at, what it took. At most 1 MB of UTF-8. */
export function renderSummary(record: ReviewRecord, context: RenderContext): string {
  const { review } = record;
  const parts = [
    heading(record, context),
    renderUnreviewed({ ...review.coverage, unread: unnamed(review) }, context),
    untrustedBlock(review.rationale, { context, max: 4_000 }),
    ...review.nonSpecific.map((text) => untrustedBlock(text, { context, max: 10_000 })),
    renderFindings(record, context),
    freeText(record, context),
    foldedWalkthrough(review, context),
    renderReviewed(review, context),
    renderFixPrompt(record.placed, { context, max: promptCharacters }),
    renderDelivery(record, context),
    review.notes.map((note) => `- ${untrustedLine(note, context, 1_000)}`).join('\n'),
    renderUsage(review, context),
    pageLink(record, context),
  ];
  const text = parts.filter((part) => part !== '').join('\n\n');
  const pointer = 'The summary is cut here: the report file (`report-file`) holds everything.';
  return `${cutMarkdown(text, { max: summaryBytes, measure: bytes, pointer })}\n`;
}

/** Where the HTML report is. The workflow uploads it after this step, if it does: the run's page has it then among its artifacts. */
function pageLink({ deliveries }: ReviewRecord, context: RenderContext): string {
  const path = pathOf(deliveries, 'report-html');
  if (path === null) return '';
  const url = context.run?.url ?? null;
  const uploaded =
    url === null
      ? ''
      : `; when the workflow uploads it, it is among the ${linked('artifacts of this run', `${url}#artifacts`)}`;
  return `HTML report: ${untrustedName(path, context)}${uploaded}.`;
}

// The first sentence is the title, what follows explains it: sentences, or a list of problems and what to do about them.
function heading({ review }: ReviewRecord, context: RenderContext): string {
  const [first = ''] = review.headline.split(/(?<=[.!?])\s+|\n/, 1);
  const title = `## ${untrustedLine(context.name, context)} · ${untrustedLine(first.replace(/[.:]$/, ''), context)}`;
  const rest = review.headline.slice(first.length).trim();
  const lines = rest.split('\n').map((line) => {
    const item = line.startsWith('- ');
    return `${item ? '- ' : ''}${untrustedLine(item ? line.slice(2) : line, context, 2_000)}`;
  });
  return [title, ...lines].join('\n\n').trimEnd();
}

/** A lock file or an image that the heading names is not named again; what could be code is. */
function unnamed({ coverage, headline }: Review): Review['coverage']['unread'] {
  return coverage.unread.filter(({ path, code }) => code || !headline.includes(path));
}

function freeText({ review }: ReviewRecord, context: RenderContext): string {
  if (review.rawFreeText === null) return '';
  const text = untrustedBlock(review.rawFreeText, { context, max: 60_000 });
  return `### What the model wrote\n\nIt could not be brought into findings, so none of it was posted.\n\n${text}`;
}

const rowsAtMost = 1_000;
const promptCharacters = 100_000;

/** All findings as a table that says where each is; in full those that can be read nowhere else. */
function renderFindings(record: ReviewRecord, context: RenderContext): string {
  const { open } = groups(record.placed);
  const links = { context, pullRequest: record.review.pullRequest };
  // An annotation says one sentence: the whole of it is reported here.
  const onlyHere = open.filter((entry) => entry.place === 'summary' || entry.place === 'annotation');
  const ids = isRemembered(record) ? idsShown(record, context) : new Map();
  const shown = findingsTable(record, { context, mostRows: rowsAtMost, delivered: true, ids });
  return [shown, inFull(onlyHere, links)].filter((part) => part !== '').join('\n\n');
}

/** Without a summary comment the next run would not know what an id is about. */
function isRemembered({ deliveries }: ReviewRecord): boolean {
  return deliveries.some(({ sink, status }) => sink === 'summary comment' && status === 'delivered');
}

const shownInFull = 100;
const findingCharacters = 6_000;

function inFull(entries: readonly PlacedFinding[], links: Links): string {
  if (entries.length === 0) return '';
  const form = { context: links.context, max: findingCharacters };
  const texts = entries
    .slice(0, shownInFull)
    .map((finding) => renderFinding(finding, { ...form, place: linkedPlace(finding, links) }));
  const rest = entries.length - texts.length;
  const more = rest > 0 ? [`${plural(rest, 'more finding')}: in full in the report file (\`report-file\`).`] : [];
  return ['### In full', texts.join('\n\n---\n\n'), ...more].join('\n\n');
}

/** What became of everything that is not a posted finding: deliveries that failed, findings declined or held back. */
function renderDelivery({ placed, deliveries }: ReviewRecord, context: RenderContext): string {
  const parts = [
    undelivered(deliveries, context),
    ...suppressors.filter((by) => by !== 'people').map((by) => suppressed(placed, { by, context })),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function undelivered(deliveries: readonly Delivery[], context: RenderContext): string {
  return deliveries
    .filter((delivery) => delivery.reason !== null && delivery.status !== 'skipped')
    .map(
      (delivery) =>
        `- **${titles[delivery.status]} ${untrustedLine(delivery.sink, context, 200)}:** ${untrustedLine(delivery.reason ?? '', context, 1_000)}`,
    )
    .join('\n');
}

const titles: Readonly<Record<Delivery['status'], string>> = {
  delivered: 'Note on',
  skipped: 'Skipped',
  refused: 'Not permitted:',
  failed: 'Failed:',
};

function suppressed(
  placed: readonly PlacedFinding[],
  { by, context }: { by: SuppressedBy; context: RenderContext },
): string {
  const listed = placed.filter((finding) => finding.suppressed?.by === by);
  if (listed.length === 0) return '';
  const rows = listed.map((finding) => [
    untrustedLine(finding.title, context),
    untrustedName(placeOf(finding), context),
    untrustedLine(finding.reason ?? '', context),
  ]);
  return details(
    `${plural(listed.length, 'finding')} ${suppressedWords[by]}`,
    table(['Finding', 'Where', 'Why'], rows),
  );
}
