import { stopWord } from '../review/headline.ts';
import type { ReviewRecord } from '../review/sink.ts';
import { severities } from '../settings/severity.ts';
import { visibleLine } from './invisible.ts';
import { characters, cutText } from './limits.ts';
import { countBySeverity } from './wording.ts';

/** The name under which the report file's recorder delivers; `url` of its delivery is the file's path. */
export const reportFileRecorder = 'report-file';

/** The same of the SARIF file's recorder. */
export const sarifFileRecorder = 'sarif-file';

/** The same of the transcript's. */
export const transcriptFileRecorder = 'transcript-file';

/** The name of the sink whose `url` is the posted review's. */
const reviewSinkName = 'pull request review';

/** The action's outputs (DESIGN section 5): counts, words and paths, never the findings themselves. */
export function renderOutputs(
  { review, ledger, deliveries }: ReviewRecord,
  redact: (text: string) => string = (text) => text,
): Readonly<Record<string, string>> {
  const findings = ledger.filter((entry) => entry.place !== 'suppressed').map((entry) => entry.finding);
  const counts = countBySeverity(findings);
  const posted = ledger.filter(({ place }) => place === 'inline' || place === 'file' || place === 'body');
  const report = deliveries.find((delivery) => delivery.sink === reportFileRecorder && delivery.status === 'delivered');
  const sarif = deliveries.find((delivery) => delivery.sink === sarifFileRecorder && delivery.status === 'delivered');
  const transcript = deliveries.find(
    (delivery) => delivery.sink === transcriptFileRecorder && delivery.status === 'delivered',
  );
  const address = deliveries.find((delivery) => delivery.url !== null && delivery.sink === reviewSinkName);
  return {
    outcome: review.outcome,
    action: review.action,
    approved: String(review.approved),
    rationale: cutText(visibleLine(redact(review.rationale)), { max: 4_000, measure: characters }),
    findings: String(findings.length),
    ...Object.fromEntries(severities.map((severity) => [severity, String(counts.get(severity) ?? 0)])),
    posted: String(posted.length),
    unread: String(review.coverage.unread.length),
    'review-url': address?.url ?? '',
    'report-file': report?.url ?? '',
    'sarif-file': sarif?.url ?? '',
    'transcript-file': transcript?.url ?? '',
    'input-tokens': String(review.metrics.usage.input),
    'output-tokens': String(review.metrics.usage.output),
    'cached-tokens': String(review.metrics.usage.cached),
    cost: review.metrics.cost === null ? '' : review.metrics.cost.toFixed(4),
    'stop-reason': stopWord(review.stop),
  };
}
