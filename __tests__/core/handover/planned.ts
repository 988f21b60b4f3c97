import fc from 'fast-check';
import { type Finding, type Suppressed, suppress } from '../../../src/core/findings/finding.ts';
import type { ReviewFile } from '../../../src/core/handover/review-file.ts';
import { verbatim } from '../../../src/core/messages/message.ts';
import type { ChangedFile } from '../../../src/core/pull-request/changed-file.ts';
import type { BatchReview, ReviewedDraft } from '../../../src/core/review/draft.ts';
import type { ShardPlan } from '../../../src/core/review/shards.ts';
import { coverageOf } from '../../../src/core/reviewing/coverage.ts';
import { finding, linesAt } from '../../fakes/review-record.ts';
import { batchWith, reviewedDraft, reviewFile } from '../../fakes/rich-record.ts';
import { addedHunk, changedFile } from '../pull-request/changed-files.ts';

const text = Array.from({ length: 40 }, (_, index) => `const line${index + 1} = ${index + 1};`);
export const files: readonly ChangedFile[] = Array.from({ length: 6 }, (_, index) =>
  changedFile(`src/f${index}.ts`, { status: 'added', hunks: [addedHunk(text)], additions: text.length }),
);
export const pathOf = (index: number) => files[index]?.path ?? '';

const approvals = [
  { approved: true, rationale: 'Fine.', action: 'APPROVE' },
  { approved: false, rationale: 'Mend it.', action: 'REQUEST_CHANGES' },
  { approved: true, rationale: '', action: 'COMMENT' },
  null,
] as const;

const stops = [
  { reason: 'limit', limit: 'tokens' },
  { reason: 'limit', limit: 'time' },
  { reason: 'model-failed', message: 'No quota left.', hint: '' },
  { reason: 'cancelled' },
  { reason: 'context-overflow' },
] as const;

const rarely = <T>(one: fc.Arbitrary<T>) => fc.oneof({ weight: 9, arbitrary: fc.constant(null) }, one);

/** What became of one batch: nearly always a review, at times with a gap, at times none. */
const outcome = fc.record({
  paths: fc.uniqueArray(fc.nat(5), { minLength: 1, maxLength: 3 }),
  found: fc.array(
    fc.record({ line: fc.integer({ min: 1, max: 40 }), severity: fc.constantFrom('critical', 'warning', 'nitpick') }),
    { maxLength: 2 },
  ),
  approval: fc.oneof({ weight: 4, arbitrary: fc.constant(approvals[0]) }, fc.constantFrom(...approvals)),
  stop: rarely(fc.constantFrom(...stops)),
  gap: rarely(fc.constant(verbatim('Its answer could not be read whole.'))),
  halves: fc.boolean(),
  suppressed: fc.constantFrom(null, 'verification', 'rule-comment'),
});
type Outcome = Parameters<Parameters<typeof outcome.map>[0]>[0];

/** A review of up to six batches in up to four shards, and what a rule found. */
export const drawn = fc
  .array(outcome, { minLength: 1, maxLength: 6 })
  .chain((outcomes) =>
    fc.record({
      outcomes: fc.constant(outcomes),
      shardOf: fc.array(fc.nat(3), { minLength: outcomes.length, maxLength: outcomes.length }),
    }),
  )
  .map(({ outcomes, shardOf }) => {
    const numbers = [...new Set(shardOf)];
    const shares = numbers.map((number) => outcomes.flatMap((_, index) => (shardOf[index] === number ? [index] : [])));
    return worldOf(outcomes, shares, [ofRule]);
  });

/** One review as one job makes it, the same in shards, and the plan. */
export function worldOf(
  outcomes: readonly Outcome[],
  shares: readonly (readonly number[])[],
  ruleFindings: readonly Finding[] = [],
) {
  const reviews = outcomes.map(reviewsOf);
  const touched = [...new Set(outcomes.flatMap(({ paths }) => paths))];
  const kept = files.filter((_, index) => touched.includes(index));
  const selection = {
    kept,
    skipped: [{ path: 'yarn.lock', reason: { code: 'file.lock' } as const }],
    unread: [],
    unshown: [],
  };
  /** Of these batches: what a comment in the code keeps from being raised stands beside them. */
  const drafted = (own: readonly number[], ruleFindings: readonly Finding[]): ReviewedDraft => {
    const batches = own.flatMap((index) => reviews[index] ?? []);
    const ignored = own.flatMap((index) => (outcomes[index]?.suppressed === 'rule-comment' ? [unraisedIn(index)] : []));
    const coverage = coverageOf({ selection, missing: [], earlier: [] }, batches);
    return reviewedDraft({ batches, ruleFindings, ignored, coverage });
  };
  const plan: ShardPlan = {
    isShared: false,
    batches: outcomes.map(({ paths }, index) => ({
      ...{ name: `${index + 1} src`, estimatedTokens: 100, trivial: false },
      files: paths.map((path) => ({ path: pathOf(path), part: [], hunks: [[0, 0, 1, 40]] })),
    })),
    shards: shares.map((batches) => ({ batches: [...batches], tokens: 1_000, cost: null, minutes: 5 })),
  };
  const planFile = { ...reviewFile({ draft: drafted([], ruleFindings) }), plan };
  const shards = shares.map((own, at): ReviewFile => {
    const draft = drafted(own, []);
    const paths = new Set(own.flatMap((index) => outcomes[index]?.paths ?? []).map(pathOf));
    const isOwn = (path: string) => paths.has(path);
    const coverage = {
      ...{ skipped: [], unread: [], earlier: [], missing: [] },
      reviewed: draft.coverage.reviewed.filter(isOwn),
      unreviewed: draft.coverage.unreviewed.filter(({ path }) => isOwn(path)),
    };
    return reviewFile({ draft: { ...draft, coverage }, shard: { number: at + 1, plan: digest } });
  });
  return { whole: drafted([...outcomes.keys()], ruleFindings), planFile, shards, shares, outcomes };
}

/** Of the plan. */
export const digest = 'd'.repeat(64);

const ofRule = finding({ source: 'rule', title: 'A rule', path: pathOf(0), anchor: linesAt([1, 1], text[0] ?? '') });

function unraisedIn(index: number, by: Suppressed['by'] = 'rule-comment'): Finding {
  return suppress(finding({ title: `Not raised in ${index}`, path: pathOf(0) }), {
    by,
    reason: verbatim('It is checked.'),
  });
}

function reviewsOf(
  { paths, found, approval, stop, gap, halves, suppressed }: Outcome,
  index: number,
): readonly BatchReview[] {
  const name = `${index + 1} src`;
  const findings = found.map(({ line, severity }, at): Finding => {
    const quote = text[line - 1] ?? '';
    // Several batches may say the same of one line: it is one matter.
    const title = `Line ${line} is wrong`;
    return finding({
      ...{ title, severity, path: pathOf(paths[0] ?? 0), suggestion: null },
      id: `f${index}-${at}`,
      anchor: linesAt([line, line], quote),
    });
  });
  const ended =
    stop === null ? { reviewed: true, gap } : { stop, reviewed: false, gap: verbatim('It was not reviewed.') };
  const all = paths.map(pathOf);
  const report = { name, approval: stop === null ? approval : null, ...ended };
  const disproved = suppressed === 'verification' && stop === null ? [unraisedIn(index, suppressed)] : [];
  const last = { ...batchWith(stop === null ? findings : [], { ...report, paths: all }), disproved };
  if (!halves || all.length < 2) return [last];
  return [
    batchWith([], { name: `${name} (half 1)`, paths: all.slice(0, 1), approval }),
    { ...last, report: { ...last.report, name: `${name} (half 2)`, paths: all.slice(1) } },
  ];
}

/** A batch of this file that nothing is found in. */
export function clean(path: number): Outcome {
  return { paths: [path], found: [], approval: approvals[0], stop: null, gap: null, halves: false, suppressed: null };
}
