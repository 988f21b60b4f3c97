import type { LedgerEntry } from '../review/review.ts';
import type { ReviewRecord } from '../review/sink.ts';
import { resultOf, type SarifContext } from './sarif-result.ts';
import { ruleIdOf, rulesOf } from './sarif-rules.ts';
import type { SarifLog } from './sarif-schema.ts';

/** What GitHub takes of one run. */
const resultsAtMost = 25_000;

/**
 * The findings as SARIF 2.1.0, ready for the upload action: new ones and those that stand, the most important first; refused ones as
 * suppressed. Texts are plain and without secrets.
 */
export function renderSarif({ review, ledger }: ReviewRecord, context: SarifContext): SarifLog {
  const { identity, pullRequest } = review;
  const told = ledger.slice(0, resultsAtMost);
  const rules = rulesOf(told.map(({ finding }) => finding));
  const indexes = new Map(rules.map(({ id }, index) => [id, index]));
  const seen = new Map<string, number>();
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'Postil',
            semanticVersion: context.version,
            rules,
          },
        },
        // A trailing slash: everything before it is the category that code scanning keeps results apart by.
        automationDetails: { id: `postil/${identity?.name ?? context.name}/` },
        columnKind: 'utf16CodeUnits',
        originalUriBaseIds: { '%SRCROOT%': { description: { text: 'The root of the repository.' } } },
        ...provenance(pullRequest),
        results: told.map((entry) => {
          const ruleId = ruleIdOf(entry.finding);
          return resultOf(entry, { ruleId, ruleIndex: indexes.get(ruleId) ?? 0, context, seen });
        }),
      },
    ],
  };
}

function provenance(pullRequest: ReviewRecord['review']['pullRequest']) {
  if (pullRequest === null || pullRequest.serverUrl === null || pullRequest.repository === null) return {};
  const repositoryUri = `${pullRequest.serverUrl}/${pullRequest.repository}`;
  return { versionControlProvenance: [{ repositoryUri, revisionId: pullRequest.head.sha }] };
}

/** How many findings the log has no room for. */
export function leftOutOfSarif(ledger: readonly LedgerEntry[]): number {
  return Math.max(0, ledger.length - resultsAtMost);
}
