import type { Finding } from '../../src/core/findings/finding.ts';
import type { ReviewedDraft, StoppedDraft } from '../../src/core/review/draft.ts';
import type { BundleReview } from '../../src/core/review/review-bundle.ts';
import type { ReviewFile, ReviewFileOrigin } from '../../src/core/review/review-file.ts';
import { finding, metrics, pullRequest } from './review-record.ts';

const limits = {
  profile: 'thorough',
  model: 'scripted',
  maxIterations: 15,
  maxTotalTokens: 500_000,
  timeoutMinutes: 15,
  maxComments: 15,
  maxCost: null,
};

export function bundleWith(findings: readonly Finding[], changes: Partial<BundleReview['report']> = {}): BundleReview {
  return {
    report: {
      name: '1 src',
      paths: ['src/cart.ts'],
      stop: { reason: 'submitted' },
      reviewed: true,
      gap: null,
      approval: { approved: false, rationale: 'Mend the loop.', action: 'REQUEST_CHANGES' },
      nonSpecificReview: null,
      rawFreeText: null,
      followUp: null,
      metrics: { ...metrics, tools: { read_file: { calls: 2, milliseconds: 40, cut: 0 } } },
      ...changes,
    },
    findings,
    refused: [],
    dismissed: [],
  };
}

export function reviewedDraft(changes: Partial<ReviewedDraft> = {}): ReviewedDraft {
  return {
    kind: 'reviewed',
    scope: { kind: 'full', why: 'first review' },
    bundles: [bundleWith([finding()])],
    ruleFindings: [],
    ignored: [],
    refused: [],
    coverage: { reviewed: ['src/cart.ts'], skipped: [], unread: [], unreviewed: [], earlier: [], missing: [] },
    incomplete: [],
    cancelled: false,
    withoutKey: false,
    estimate: { modelCalls: 4, input: 18_000, output: 2_000, cost: null },
    milliseconds: 12_000,
    limits,
    notes: [],
    ...changes,
  };
}

export function stoppedDraft(stop: StoppedDraft['stop']): StoppedDraft {
  return {
    kind: 'stopped',
    stop,
    skipped: [{ path: 'yarn.lock', reason: 'lock file' }],
    milliseconds: 5,
    limits,
    notes: [],
  };
}

/** Of the pull request of `review-record.ts`. */
export const origin: ReviewFileOrigin = {
  repository: 'acme/shop',
  number: 7,
  head: pullRequest.head.sha,
  mergeBase: pullRequest.mergeBase,
  identity: { name: 'Review', run: '4711-1', settings: '0123456789abcdef' },
  version: '0.1.0',
};

export function reviewFile(changes: Partial<ReviewFile> = {}): ReviewFile {
  return { ...origin, draft: reviewedDraft(), ...changes };
}
