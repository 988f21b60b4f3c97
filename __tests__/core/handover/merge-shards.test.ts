import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FoundFile, mergeShards } from '../../../src/core/handover/merge-shards.ts';
import type { ReviewFile } from '../../../src/core/handover/review-file.ts';
import { noMemory } from '../../../src/core/history/memory.ts';
import { verbatim } from '../../../src/core/messages/message.ts';
import { composeReview } from '../../../src/core/review/compose-review.ts';
import type { ReviewDraft, StoppedDraft } from '../../../src/core/review/draft.ts';
import type { Review } from '../../../src/core/review/review.ts';
import { decide } from '../../../src/core/review/verdict.ts';
import { parseSettings } from '../../../src/core/settings/parse-settings.ts';
import { firstReading } from '../../fakes/earlier-rounds.ts';
import { pullRequest } from '../../fakes/review-record.ts';
import { stoppedDraft } from '../../fakes/rich-record.ts';
import { clean, digest, drawn, files, pathOf, worldOf } from './planned.ts';

const whatMayHappen = [
  'fine',
  'lost',
  'of another plan',
  'of another head',
  'of another pull request',
  'unsigned',
  'stopped',
  'cancelled',
  'keyless',
  'no shard',
  'another number',
  'no file',
  'ran again and failed',
] as const;

const gate = { failOn: 'never', requireComplete: true } as const;
const { settings } = parseSettings([{ where: 'input', trusted: true, values: { 'review-event': 'approve' } }]);

function composed(draft: ReviewDraft): Review {
  const identity = { name: 'Review', run: '1-1', settings: '0123456789abcdef' };
  const context = { pullRequest, settings, files, memory: noMemory, identity, mayApprove: true };
  return composeReview(draft, { ...context, ...firstReading });
}

const cancelled: StoppedDraft['stop'] = { reason: 'cancelled' };

/** The files of one shard as the posting job finds them. */
function foundOf(file: ReviewFile, event: (typeof whatMayHappen)[number]): readonly FoundFile[] {
  const name = `shard-${file.shard?.number}.json`;
  const one = (changes: Partial<ReviewFile>, isSigned = true): readonly FoundFile[] => [
    { name, file: { ...file, ...changes }, isSigned },
  ];
  const { draft, shard } = file;
  if (draft.kind === 'stopped' || shard === null) throw new Error('A shard has a review.');
  switch (event) {
    case 'fine':
      return one({});
    case 'lost':
      return [];
    case 'of another plan':
      return one({ shard: { ...shard, plan: 'e'.repeat(64) } });
    case 'of another head':
      return one({ head: 'f'.repeat(40) });
    case 'of another pull request':
      return one({ number: 8 });
    case 'unsigned':
      return one({}, false);
    case 'stopped':
      return one({ draft: stoppedDraft({ reason: 'failed', message: 'The checkout failed.', hint: '' }) });
    case 'cancelled':
      return one({ draft: stoppedDraft(cancelled) });
    case 'keyless':
      return one({ draft: { ...draft, batches: [], withoutKey: true } });
    case 'no shard':
      return one({ shard: null });
    case 'another number':
      return one({ shard: { ...shard, number: 200 } });
    case 'no file':
      return [{ name, file: 'it is not JSON that can be read', isSigned: false }];
    case 'ran again and failed':
      return [
        ...one({ identity: { ...file.identity, run: '4711-10' }, draft: stoppedDraft(cancelled) }),
        ...one({ identity: { ...file.identity, run: '4711-9' } }),
      ];
  }
}

const titles = ({ findings }: Review) =>
  findings.map(({ title, severity, place, path }) => `${path} ${title} ${severity} ${place}`);

describe('the shards of a plan, merged', () => {
  it('come to what one job comes to, finding for finding, in whatever order their files are found', () => {
    fc.assert(
      fc.property(drawn, fc.boolean(), ({ whole, planFile, shards }, isReversed) => {
        const found = shards.flatMap((file) => foundOf(file, 'fine'));
        const merged = mergeShards({ file: planFile, digest, isSigned: true }, isReversed ? found.toReversed() : found);
        const [one, many] = [composed(whole), composed(merged.draft)];
        const said = (review: Review) => ({
          findings: titles(review).filter((one) => !one.endsWith(' suppressed')),
          suppressed: titles(review)
            .filter((one) => one.endsWith(' suppressed'))
            .toSorted(),
          batches: review.batches.map(({ name }) => name),
          reviewed: review.coverage.reviewed,
          unreviewed: review.coverage.unreviewed.toSorted((a, b) => a.path.localeCompare(b.path)),
          again: [review.unproven, review.doubted],
          facts: review.facts,
          decided: [review.outcome, review.event, review.approved, review.rationale, review.metrics],
        });
        expect(said(many)).toEqual(said(one));
      }),
    );
  });

  it('never come to more when some of them are lost, doubled, foreign, forged or cut off, and name what is missing', () => {
    const events = fc.array(fc.oneof(fc.constant('fine' as const), fc.constantFrom(...whatMayHappen)), {
      minLength: 4,
      maxLength: 4,
    });
    fc.assert(
      fc.property(drawn, events, fc.boolean(), ({ whole, planFile, shards, outcomes, shares }, happened, isSigned) => {
        const eventOf = (at: number) => happened[at] ?? 'fine';
        // Nobody tells what is signed from what is not where the plan is not signed.
        const isGood = (at: number) => eventOf(at) === 'fine' || (!isSigned && eventOf(at) === 'unsigned');
        const found = shards.flatMap((file, at) => foundOf(file, eventOf(at)));
        const merged = mergeShards({ file: planFile, digest, isSigned }, found);
        const [one, many] = [composed(whole), composed(merged.draft)];
        const lost = shares
          .flatMap((own, at) => (isGood(at) ? [] : own))
          .flatMap((index) => outcomes[index]?.paths ?? []);
        const isAllKeyless = shards.every((_, at) => eventOf(at) === 'keyless');
        if (lost.length > 0) {
          expect(['partial', 'failed', 'skipped']).toContain(many.outcome);
          if (!isAllKeyless) expect(many.outcome).not.toBe('skipped');
          const unreviewed = many.coverage.unreviewed.map(({ path }) => path);
          if (!isAllKeyless) {
            expect(lost.map(pathOf).filter((path) => !unreviewed.includes(path))).toEqual([]);
            expect(many.coverage.reviewed.filter((path) => lost.map(pathOf).includes(path))).toEqual([]);
          }
        }
        if (!isSigned) expect(many.outcome).not.toMatch(/clean|findings/);
        const outcomesByRank = ['clean', 'findings', 'partial', 'failed', 'skipped'];
        const rank = (review: Review) => outcomesByRank.indexOf(review.outcome);
        expect(rank(many)).toBeGreaterThanOrEqual(Math.min(rank(one), 2));
        expect([many.approved && !one.approved, many.event === 'APPROVE' && one.event !== 'APPROVE']).toEqual([
          false,
          false,
        ]);
        const passes = (review: Review) => decide(review.facts, gate).gate === 'fine';
        expect(passes(many) && !passes(one)).toBe(false);
        const known = new Set(one.findings.map(({ title }) => title));
        expect(many.findings.filter(({ title }) => !known.has(title))).toEqual([]);
      }),
      { numRuns: 400 },
    );
  });

  const two = worldOf([clean(0), clean(1)], [[0], [1]]);
  const merged = (found: readonly FoundFile[]) =>
    composed(mergeShards({ file: two.planFile, digest, isSigned: true }, found).draft);
  const all = two.shards.flatMap((file) => foundOf(file, 'fine'));

  it('is clean when all are there, and says which shard is not, and what it was for', () => {
    const partial = merged(all.slice(0, 1));
    expect([merged(all).outcome, partial.outcome, partial.coverage.unreviewed]).toEqual([
      'clean',
      'partial',
      [{ path: 'src/f1.ts', reason: verbatim('Shard 2 of 2 handed nothing in') }],
    ]);
  });

  it('is not complete where a shard was cancelled, even after its last batch', () => {
    const [first, second] = two.shards;
    if (first === undefined || second?.draft.kind !== 'reviewed') throw new Error('There are two shards.');
    const ended = { ...second, draft: { ...second.draft, cancelled: true } };
    const review = merged([...foundOf(first, 'fine'), ...foundOf(ended, 'fine')]);
    expect([review.outcome, review.approved]).toEqual(['partial', false]);
  });

  it.each<[string, StoppedDraft['stop']]>([
    ['nothing to review', { reason: 'skipped', why: { code: 'skip.no-files' }, nothing: true }],
    ['nothing to look at', { reason: 'skipped', why: { code: 'skip.draft' } }],
  ])('a plan that found %s passes a gate only when it is signed', (_what, stop) => {
    const draft = stoppedDraft(stop);
    const gates = [true, false].map((isSigned) => {
      const { facts } = composed(mergeShards({ file: { ...two.planFile, draft }, digest, isSigned }, []).draft);
      return decide(facts, gate).gate;
    });
    expect(gates).toEqual([stop.reason === 'skipped' && stop.nothing === true ? 'fine' : 'incomplete', 'incomplete']);
  });
});
