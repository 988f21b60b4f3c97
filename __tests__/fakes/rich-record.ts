import { type Finding, type PlacedFinding, placed, unraised } from '../../src/core/findings/finding.ts';
import { type ReviewFile, renderReviewFile } from '../../src/core/handover/review-file.ts';
import { noMemory } from '../../src/core/history/memory.ts';
import { noKeys } from '../../src/core/history/signed-marks.ts';
import { verbatim } from '../../src/core/messages/message.ts';
import { shownReport } from '../../src/core/report/json.ts';
import type { RenderContext, RunFacts } from '../../src/core/report/wording.ts';
import { composeReview } from '../../src/core/review/compose-review.ts';
import type { BatchReview, ReviewDraft, ReviewedDraft, StoppedDraft } from '../../src/core/review/draft.ts';
import type { ReviewReport } from '../../src/core/review/record.ts';
import type { ReviewRecord } from '../../src/core/review/sink.ts';
import type { ReviewOutput, ReviewParts } from '../../src/core/review-pull-request.ts';
import type { CodePorts, ModelPorts, RunTime, RunTrigger } from '../../src/core/reviewing/parts.ts';
import { parseSettings, previewSettings } from '../../src/core/settings/parse-settings.ts';
import { changedFile, hunk } from '../core/findings/make.ts';
import { firstReading } from './earlier-rounds.ts';
import { FakeClock, MemoryRepository } from './memory-repository.ts';
import {
  context,
  coverageOf,
  deliveryOf,
  estimate,
  finding,
  limits,
  linesAt,
  metrics,
  pullRequest,
  recordOf,
} from './review-record.ts';

const placements: readonly PlacedFinding[] = [
  placed(finding(), 'inline'),
  placed(
    finding({
      id: 'f2',
      path: 'src/old-checkout.ts',
      severity: 'warning',
      category: 'security',
      anchor: linesAt([30, 32], 'if (!user.admin) {\n  throw denied();\n}', 'LEFT'),
      title: 'The check for administrators is gone',
      ruleId: 'keep-guards',
      alsoAt: ['src/admin.ts:8'],
      suggestion: null,
    }),
    'inline',
  ),
  placed(
    finding({
      id: 'f3',
      path: 'docs/prices.md',
      severity: 'warning',
      category: 'documentation',
      anchor: linesAt([3, 3], 'The first price counts.'),
      title: 'The manual still says "first price" | see @ada, #12',
      suggestion: null,
    }),
    'body',
    { reason: { code: 'place.not-in-diff' } },
  ),
  placed(
    finding({
      id: 'f4',
      path: 'src/name.ts',
      severity: 'nitpick',
      category: 'style',
      anchor: { kind: 'file' },
      title: 'The name says nothing',
      evidence: '',
      suggestion: null,
    }),
    'summary',
    { reason: { code: 'withheld.min-severity', level: 'warning' }, belowThreshold: true },
  ),
  placed(
    finding({
      id: 'f6',
      path: 'src/log.ts',
      anchor: { kind: 'file' },
      title: 'A race in `flush`',
      suggestion: null,
      unplaced: { quote: 'flush();', reason: { code: 'unplaced.not-in', path: 'src/log.ts' } },
    }),
    'summary',
    { reason: { code: 'unplaced.not-in', path: 'src/log.ts' } },
  ),
  unraised(finding({ id: 'f5', title: 'Refused before' }), {
    by: 'people',
    reason: { code: 'declined.by', person: 'ada' },
  }),
];

/** A partial run with something of everything in it. */
export function richRecord(): ReviewRecord {
  const limit = { reason: 'limit', limit: 'tokens' } as const;
  return recordOf(
    {
      outcome: 'partial',
      stop: { reason: 'incomplete', why: [verbatim('')], stop: limit },
      headline: [verbatim('Partial review: 4 findings (1 critical, 2 warning, 1 nitpick). Token limit reached.')],
      action: 'REQUEST_CHANGES',
      approved: false,
      rationale: 'Checkout throws for every cart.',
      findings: placements,
      nonSpecific: ['The two carts repeat each other: one of them could go.'],
      coverage: coverageOf({
        reviewed: ['src/cart.ts', 'src/old-checkout.ts', 'docs/prices.md'],
        skipped: [
          { path: 'package-lock.json', reason: { code: 'file.lock' } },
          { path: 'dist/index.js', reason: verbatim('generated') },
          { path: 'logo.png', reason: { code: 'file.binary' } },
        ],
        unreviewed: [{ path: 'src/huge.ts', reason: { code: 'stop.tokens' } }],
      }),
      batches: [
        batchWith([], { paths: ['src/cart.ts', 'src/old-checkout.ts'], metrics }).report,
        batchWith([], {
          name: '2 src',
          paths: ['src/huge.ts'],
          stop: limit,
          reviewed: false,
          gap: { code: 'stop.tokens' },
          metrics,
        }).report,
      ],
      notes: [verbatim('The API key came from the environment.')],
    },
    [
      deliveryOf('pull request review', {
        delivered: [{ findingId: 'f1', place: 'inline', url: null }],
        url: 'https://github.com/acme/shop/pull/7#pullrequestreview-1',
      }),
      deliveryOf('check run', {
        status: 'refused',
        reason: [verbatim('Resource not accessible by integration. Grant checks: write.')],
      }),
    ],
  );
}

export function batchWith(findings: readonly Finding[], changes: Partial<BatchReview['report']> = {}): BatchReview {
  return {
    report: {
      name: '1 src',
      paths: ['src/cart.ts'],
      stop: { reason: 'submitted' },
      reviewed: true,
      gap: null,
      approval: { approved: false, rationale: 'Mend the loop.', action: 'REQUEST_CHANGES' },
      walkthrough: [],
      nonSpecificReview: null,
      rawFreeText: null,
      followUp: null,
      metrics: { ...metrics, tools: { read_file: { calls: 2, milliseconds: 40, cut: 0 } } },
      ...changes,
    },
    findings,
    disproved: [],
    read: [],
  };
}

export function reviewedDraft(changes: Partial<ReviewedDraft> = {}): ReviewedDraft {
  return {
    kind: 'reviewed',
    ...{ scope: { kind: 'full', why: 'first review' }, basis: null, narrowed: [] },
    batches: [batchWith([finding()])],
    ruleFindings: [],
    earlier: [],
    ignored: [],
    coverage: coverageOf({ reviewed: ['src/cart.ts'] }),
    incomplete: [],
    cancelled: false,
    withoutKey: false,
    estimate,
    milliseconds: 12_000,
    limits,
    notes: [],
    ...changes,
  };
}

export function stoppedDraft(stop: StoppedDraft['stop']): StoppedDraft {
  const skipped = [{ path: 'yarn.lock', reason: { code: 'file.lock' } as const }];
  return { kind: 'stopped', stop, skipped, milliseconds: 5, limits, notes: [] };
}

/** Of the pull request of `review-record.ts`. */
export const origin: Omit<ReviewFile, 'draft'> = {
  repository: 'acme/shop',
  number: 7,
  head: pullRequest.head.sha,
  mergeBase: pullRequest.mergeBase,
  identity: { name: 'Review', run: '4711-1', settings: '0123456789abcdef' },
  earlier: [],
  ...{ plan: null, shard: null, isSigned: false },
};

/** The text of a review file with what a job came to. */
export function reviewFileText(draft: ReviewDraft): string {
  const files = [
    changedFile('src/cart.ts', { hunks: [hunk({ old: 12, new: 12 }, '+  return items[items.length].price;')] }),
  ];
  const { identity } = origin;
  const settings = previewSettings([]);
  const composing = { pullRequest, settings, files, memory: noMemory, identity, mayApprove: false, ...firstReading };
  const entry = { kind: 'tool', name: 'read_file', asked: '{"path":".env"}', outcome: 'ok', batch: '1 src' } as const;
  const counts = { at: 1, milliseconds: 2, characters: 3, inputTokens: null, outputTokens: null };
  const run = { version: '0.1.0', startedAt: () => '', url: null, timeline: () => [{ ...entry, ...counts }] };
  const by = { identity, context: { ...context, run }, keys: noKeys, shard: null, plans: false };
  return renderReviewFile({ draft, review: composeReview(draft, composing) }, by);
}

export function reviewFile(changes: Partial<ReviewFile> = {}): ReviewFile {
  return { ...origin, draft: reviewedDraft(), ...changes };
}

type Sets = Pick<ReviewParts, 'code' | 'models' | 'run' | 'output' | 'trigger'>;

/** The parts of a review without their sets: a test names those that it is about. */
export type FlatParts = Omit<ReviewParts, keyof Sets> & CodePorts & ModelPorts & RunTime & ReviewOutput & RunTrigger;

/** Parts of a review that find nothing, ask no model and deliver nowhere, but for what is given. */
export function reviewParts(changes: Partial<FlatParts>, values: Readonly<Record<string, unknown>> = {}): ReviewParts {
  const nothing: FlatParts = {
    settings: parseSettings([{ where: 'input', trusted: true, values }]).settings,
    notes: [],
    pullRequest,
    changes: async () => ({ files: [], missing: [] }),
    repository: new MemoryRepository({}),
    search: null,
    history: null,
    syntax: null,
    images: undefined,
    model: null,
    verifyModel: null,
    embedder: null,
    report: () => undefined,
    identity: null,
    signs: false,
    past: null,
    destinations: [],
    handOver: null,
    clock: new FakeClock(),
    random: () => 0,
    startedAt: 0,
    signal: new AbortController().signal,
  };
  return inSets({ ...nothing, ...changes });
}

function inSets(flat: FlatParts): ReviewParts {
  const { settings, pullRequest, identity, past } = flat;
  const { repository, search, history, syntax, images } = flat;
  const { model, verifyModel, embedder, clock, random, startedAt, signal } = flat;
  const { report, destinations, signs, handOver, onAccept, onFinding } = flat;
  const { notes, asked, called, isByHand, shard } = flat;
  return {
    settings,
    pullRequest,
    identity,
    past,
    code: { changes: flat.changes, repository, search, history, syntax, images },
    models: { model, verifyModel, embedder },
    run: { clock, random, startedAt, signal },
    output: { report, destinations, signs, handOver, onAccept, onFinding },
    trigger: { notes, asked, called, isByHand, shard },
  };
}

/** The same parts with others in their places. */
export function changedParts(parts: ReviewParts, changes: Partial<FlatParts>): ReviewParts {
  const { code, models, run, output, trigger, ...rest } = parts;
  return inSets({ ...rest, ...code, ...models, ...run, ...output, ...trigger, ...changes });
}

/** The report file of the rich record, of a run with these calls. */
export function richReport(
  timeline: ReturnType<RunFacts['timeline']>,
  changes: Partial<RenderContext> = {},
): ReviewReport {
  return shownReport(richRecord(), { ...context, run: runOf(timeline), ...changes });
}

export function runOf(timeline: ReturnType<RunFacts['timeline']>): RunFacts {
  const url = 'https://github.com/acme/shop/actions/runs/7';
  return { version: '1.2.3', startedAt: () => '2026-11-22T10:00:00.000Z', url, timeline: () => timeline };
}

/** A call in the timeline of a report: the model read a file. */
export const readCall = {
  batch: '1 src',
  kind: 'tool',
  name: 'read_file',
  asked: '{"path":"src/cart.ts"}',
  outcome: 'ok',
  ...{ at: 10, milliseconds: 20, characters: 100, inputTokens: null, outputTokens: null },
} as const;
