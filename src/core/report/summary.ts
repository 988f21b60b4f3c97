import type { ReviewRecord } from '../review/sink.ts';
import { bytes, cutMarkdown } from './limits.ts';
import type { RenderContext } from './render-context.ts';
import { scopeText } from './scope-text.ts';
import { renderCoverage, renderUnreviewed } from './summary-coverage.ts';
import { renderFindings } from './summary-findings.ts';
import { renderLedger } from './summary-ledger.ts';
import { renderUsage } from './summary-usage.ts';
import { untrustedBlock, untrustedLine } from './untrusted.ts';

/** The runner drops a summary over 1 MiB (PLATFORM): some room is left for what other lines of the step add. */
const summaryBytes = 1_000_000;

/** The job summary: what came out, where it went, what was not looked at, what it took. At most 1 MB of UTF-8. */
export function renderSummary(record: ReviewRecord, context: RenderContext): string {
  const { review } = record;
  const parts = [
    heading(record, context),
    scopeText(review),
    renderUnreviewed(review.coverage, context),
    untrustedBlock(review.rationale, { context, max: 4_000 }),
    ...review.nonSpecific.map((text) => untrustedBlock(text, { context, max: 10_000 })),
    renderFindings(record, context),
    freeText(record, context),
    renderCoverage(review, context),
    renderLedger(record, context),
    review.notes.map((note) => `- ${untrustedLine(note, context, 1_000)}`).join('\n'),
    renderUsage(review, context),
  ];
  const text = parts.filter((part) => part !== '').join('\n\n');
  const pointer = 'The summary is cut here: the report file (`report-file`) holds everything.';
  return `${cutMarkdown(text, { max: summaryBytes, measure: bytes, pointer })}\n`;
}

// The first sentence is the title, what follows explains it.
function heading({ review }: ReviewRecord, context: RenderContext): string {
  const [first = '', ...rest] = review.headline.split(/(?<=[.!?])\s+/);
  const title = `## ${untrustedLine(context.name, context)} · ${untrustedLine(first.replace(/\.$/, ''), context)}`;
  const explanation = untrustedLine(rest.join(' '), context, 2_000);
  return explanation === '' ? title : `${title}\n\n${explanation}`;
}

function freeText({ review }: ReviewRecord, context: RenderContext): string {
  if (review.rawFreeText === null) return '';
  const text = untrustedBlock(review.rawFreeText, { context, max: 60_000 });
  return `### What the model wrote\n\nIt could not be brought into findings, so none of it was posted.\n\n${text}`;
}
