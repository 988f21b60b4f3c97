import {
  type Finding,
  type PlacedFinding,
  placed,
  places,
  suppressors,
  unraised,
} from '../../src/core/findings/finding.ts';
import { lifeMessage } from '../../src/core/history/life.ts';
import { type Message, verbatim } from '../../src/core/messages/message.ts';
import { renderAnnotations } from '../../src/core/report/annotations.ts';
import { renderNotReviewed } from '../../src/core/report/not-reviewed.ts';
import { renderReviewPost } from '../../src/core/report/review-post.ts';
import { renderSticky } from '../../src/core/report/sticky.ts';
import { renderCheckSummary } from '../../src/core/report/summary.ts';
import { headline } from '../../src/core/review/headline.ts';
import type { Review } from '../../src/core/review/review.ts';
import { destinationNames, type ReviewRecord } from '../../src/core/review/sink.ts';
import { builtInRules } from '../../src/core/rules/built-in-rules.ts';
import { goneFinding, prior, roundOf } from './earlier-rounds.ts';
import { pseudoLanguage } from './pseudo-language.ts';
import { context, coverageOf, deliveryOf, finding, keys, recordOf, reviewer } from './review-record.ts';
import { batchWith } from './rich-record.ts';

export const t = pseudoLanguage();
const run = {
  version: '1',
  startedAt: () => '2026-11-26T10:00:00Z',
  url: 'https://github.com/runs/1',
  timeline: () => [],
};
export const told = { ...context, keys, run, hears: true, t };

/** What nobody of us wrote, without a letter. */
export const theirs = '☂ 1.';
export const modelFinding = (changes: Partial<Finding> = {}) =>
  finding({ path: '1/2', title: theirs, review: theirs, evidence: theirs, ruleId: null, ...changes });

export const ofRules: readonly PlacedFinding[] = builtInRules
  .slice(0, 12)
  .map(({ id, title, guidance, severity, category }) =>
    placed(
      finding({
        id,
        path: '1/2',
        title,
        review: guidance,
        severity,
        category,
        source: 'rule',
        ruleId: id,
        suggestion: null,
        alsoAt: ['1/2:4'],
        alsoMore: 7,
      }),
      'inline',
    ),
  );

const findings: readonly PlacedFinding[] = [
  ...ofRules,
  ...places.map((place) =>
    placed(modelFinding({ id: `m-${place}`, severity: 'warning' }), place, {
      reason: place === 'inline' ? null : { code: 'withheld.max-comments', max: 15 },
    }),
  ),
  placed(
    modelFinding({
      id: 'removed',
      severity: 'info',
      verification: 'undecided',
      anchor: {
        kind: 'lines',
        side: 'LEFT',
        startLine: 3,
        endLine: 9,
        quote: Array.from({ length: 20 }, () => '1;').join('\n'),
      },
      suggestion: null,
    }),
    'body',
    { reason: { code: 'place.not-in-diff-line' } },
  ),
  placed(
    modelFinding({
      id: 'unplaced',
      anchor: { kind: 'file' },
      unplaced: { reason: { code: 'unplaced.not-in', path: '1/2' }, quote: '1;' },
      verification: 'confirmed',
    }),
    'file',
  ),
  placed(modelFinding({ id: 'changed', severity: 'nitpick' }), 'standing', {
    reason: lifeMessage('changed'),
    held: 'thread',
    life: 'changed',
  }),
  placed(modelFinding({ id: 'back' }), 'inline', { life: 'returned' }),
  placed(modelFinding({ id: 'moved', note: { code: 'note.declined-changed', person: '1' } }), 'inline'),
  placed(modelFinding({ id: 'stood' }), 'standing', {
    reason: { code: 'standing.resolved' },
    held: 'thread',
  }),
  ...suppressors.map((by) =>
    unraised(modelFinding({ id: by }), {
      by,
      reason: by === 'people' ? { code: 'declined.by-saying', person: '1', words: theirs } : verbatim(theirs),
    }),
  ),
];

const file = (reason: Message, path = '1/2') => ({ path, reason });
const unread = [
  { ...file({ code: 'file.lock' }), code: false },
  { ...file({ code: 'file.skipped-kind', why: { code: 'file.image' }, kind: 'images' }, '1/3'), code: true },
];
const whole: Partial<Review> = {
  identity: reviewer,
  findings,
  round: roundOf({ reviews: 2 }),
  signs: true,
  nonSpecific: [theirs],
  rawFreeText: theirs,
  rationale: theirs,
  withheld: { code: 'approval.no-permission', person: '1' },
  gone: [
    goneFinding(),
    goneFinding({ title: builtInRules[0]?.title ?? '', ruleId: builtInRules[0]?.id ?? '', source: 'rule' }),
  ].map((one) => ({ ...one, mark: { ...one.mark, title: one.mark.ruleId === null ? theirs : one.mark.title } })),
  lives: [prior(modelFinding(), { life: 'withdrawn' })],
  scope: { kind: 'incremental', since: '1'.repeat(40) },
  coverage: coverageOf({
    reviewed: ['1/2'],
    earlier: ['1/9'],
    skipped: [
      file({ code: 'file.excluded', pattern: '**/x' }),
      file({ code: 'file.vendored-folder', folder: 'vendor' }),
    ],
    unreviewed: [file({ code: 'label.tokens' }), file({ code: 'file.long-lines', count: 3, max: 9 })],
    unread,
    missing: [{ code: 'coverage.diff-incomplete', path: '1/2', why: { code: 'diff.hunks-missing' } }],
  }),
  walkthrough: [{ paths: ['1', '2', '3', '4', '5'], changes: theirs, checked: theirs }],
  notes: [{ code: 'hint.no-key' }, { code: 'note.not-all-verified', why: [{ code: 'stop.tokens' }] }],
  batches: [
    batchWith([], { name: '1', paths: ['1/2'] }).report,
    batchWith([], {
      name: '2',
      paths: ['1/3'],
      reviewed: false,
      gap: { code: 'stop.tokens' },
      stop: { reason: 'limit', limit: 'tokens' },
    }).report,
    batchWith([], {
      name: '3',
      paths: ['1/3'],
      gap: { code: 'sentence', what: { code: 'stop.unreadable-items', count: 2 } },
    }).report,
  ],
};
const deliveries = [
  ...destinationNames
    .filter((name) => !/-file$|-html$|terminal/.test(name))
    .map((name) =>
      deliveryOf(name, {
        status: 'refused',
        reason: [{ code: 'delivery.not-permitted', why: theirs }],
      }),
    ),
  deliveryOf('annotations', {
    reason: [{ code: 'annotation.left-out', count: 2, why: { code: 'annotation.most', max: 10, level: 'error' } }],
  }),
];

/** How runs end, each with everything in it that it may have. */
export const ends: readonly Partial<Review>[] = [
  { outcome: 'clean', stop: { reason: 'completed' }, findings: [] },
  { outcome: 'findings', stop: { reason: 'completed' } },
  { outcome: 'findings', stop: { reason: 'completed' }, round: roundOf(), gone: [], lives: [], findings: ofRules },
  {
    outcome: 'skipped',
    stop: { reason: 'skipped', why: { code: 'skip.closed' } },
  },
  { outcome: 'skipped', stop: { reason: 'skipped', nothing: true, why: { code: 'skip.no-files' } }, findings: [] },
  {
    outcome: 'skipped',
    stop: {
      reason: 'skipped',
      planned: true,
      why: { code: 'skip.planned', count: 3, files: { code: 'files.count', count: 9 } },
    },
  },
  { outcome: 'partial', stop: { reason: 'no-key' } },
  {
    outcome: 'partial',
    stop: {
      reason: 'incomplete',
      why: [
        { code: 'limit.tokens', used: 9_000, max: 10_000 },
        { code: 'files.not-begun', count: 3 },
      ],
      stop: { reason: 'limit', limit: 'tokens' },
    },
  },
  { outcome: 'partial', stop: { reason: 'incomplete', why: [verbatim('')], stop: { reason: 'refused', by: 'model' } } },
  { outcome: 'partial', stop: { reason: 'earlier-unknown' } },
  { outcome: 'partial', stop: { reason: 'unexplained' } },
  { outcome: 'partial', stop: { reason: 'unplaced', count: 2 } },
  { outcome: 'partial', stop: { reason: 'unplaced', count: 1, unread: true } },
  { outcome: 'partial', stop: { reason: 'unread', files: unread } },
  { outcome: 'partial', stop: { reason: 'cancelled' } },
  {
    outcome: 'failed',
    stop: {
      reason: 'failed',
      message: theirs,
      hint: theirs,
    },
  },
];

export function recordFor(end: Partial<Review>): ReviewRecord {
  const record = recordOf({ ...whole, ...end }, deliveries, { failOn: 'warning', requireComplete: true });
  const { review } = record;
  const model = review.limits.model;
  return {
    ...record,
    review: { ...review, headline: headline({ ...review, model }, review.findings, review.coverage) },
  };
}

/** Words in Latin letters, without code, addresses, tags, marks, people, and what is the same everywhere. */
export function englishIn(text: string): readonly string[] {
  const seen = text
    .replace(/^(`{3,})[\s\S]*?^\1/gm, '')
    .replace(/<!--[\s\S]*?-->|<[^>]*>|`[^`]*`|\]\([^)]*\)|https?:\/\/\S+|\[![A-Z]+\]/g, ' ');
  const words = seen.match(/[A-Za-z]+/g) ?? [];
  const everywhere = new Set(['Postil', 's', 'ms', 'min', 'UTC', 'gpt', 'test', 'thorough', 'html', 'error']);
  return [...new Set(words)].filter((word) => !everywhere.has(word));
}

export function surfacesOf(record: ReviewRecord): readonly string[] {
  const post = renderReviewPost(record.review, { ...told, summaryComment: 'https://github.com/1' });
  const { annotations } = renderAnnotations(record.review, { redact: context.redact, posted: [], t });
  const sticky = renderSticky(record, { ...told, comment: 1, present: null }) ?? '';
  const failed = { ...record.review, outcome: 'failed' } as const;
  return [
    renderCheckSummary(record, told),
    sticky,
    post?.body ?? '',
    ...(post?.comments ?? []).map(({ body }) => body),
    ...(post?.fileComments ?? []).map(({ body }) => body),
    ...annotations.flatMap(({ title, message }) => [title, message]),
    sticky === ''
      ? ''
      : (renderNotReviewed(failed, { present: sticky, head: null, identity: reviewer, context: told }) ?? ''),
  ];
}
