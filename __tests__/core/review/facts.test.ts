import { describe, expect, it } from 'vitest';
import type { StopReason } from '../../../src/core/agent/event.ts';
import { noMetrics } from '../../../src/core/agent/meter.ts';
import { type Finding, type PlacedFinding, placed } from '../../../src/core/findings/finding.ts';
import type { Action } from '../../../src/core/findings/submission.ts';
import { noMemory } from '../../../src/core/history/memory.ts';
import { inEnglish } from '../../../src/core/messages/languages.ts';
import { verbatim } from '../../../src/core/messages/message.ts';
import type { UnreadFile } from '../../../src/core/pull-request/select-files.ts';
import type { BatchReview, ReviewedDraft } from '../../../src/core/review/draft.ts';
import { factsOf, stopOf } from '../../../src/core/review/facts.ts';
import { headline, stopMessages } from '../../../src/core/review/headline.ts';
import type { BatchReport, Coverage } from '../../../src/core/review/review.ts';
import { stopWord } from '../../../src/core/review/stops.ts';
import { decide, openGate } from '../../../src/core/review/verdict.ts';
import { coverageOf, finding as findingWith, limits, pullRequest, recordOf } from '../../fakes/review-record.ts';
import { batchWith, reviewedDraft } from '../../fakes/rich-record.ts';
import { usage } from '../../fakes/scripted-model.ts';

const limit: StopReason = { reason: 'limit', limit: 'tokens' };
const broken: StopReason = { reason: 'model-failed', message: 'The server answered 500.', hint: 'Try again later.' };

function batch({ action = 'APPROVE', ...rest }: Partial<BatchReport> & { action?: Action } = {}): BatchReview {
  const approval = { approved: action === 'APPROVE', rationale: `because ${action}`, action };
  return batchWith([], { approval, ...rest });
}

const changed = (review: BatchReview, changes: Partial<BatchReport>): BatchReview => {
  return { ...review, report: { ...review.report, ...changes } };
};

const image: UnreadFile = { path: 'logo.png', reason: { code: 'file.image' }, code: false };
const cut = batch({ stop: limit, gap: verbatim('The token budget was reached.') });
const unreviewed = batch({
  stop: limit,
  reviewed: false,
  gap: verbatim('The token budget was reached.'),
  approval: null,
});
const failed = batch({ stop: broken, reviewed: false, gap: verbatim('The model failed.'), approval: null });

const finding = (severity: Finding['severity']) => findingWith({ severity });
const inline = (changes: Partial<Finding>): PlacedFinding => placed(findingWith(changes), 'inline');

const nothing = {
  limits: { ...limits, maxTotalTokens: 62_000, maxCost: 0.5, timeoutMinutes: 10 },
  milliseconds: 540_000,
  coverage: coverageOf(),
};

/** What a draft with these findings comes to. */
function ended(changes: Partial<ReviewedDraft>, open: readonly Finding[] = []) {
  const draft = reviewedDraft({ ...nothing, batches: [], ...changes });
  const known = { open, memory: noMemory, rest: null, reviewEvent: 'comment', mayApprove: null } as const;
  const facts = factsOf(draft, known);
  const { outcome } = decide(facts, openGate);
  return { outcome, stop: stopOf(draft, facts, known), model: draft.limits.model };
}

/** The headline of batches that found nothing. */
function headlineOf(batches: readonly BatchReview[], coverage: Coverage): string {
  return inEnglish.sentences(headline(ended({ batches }), [], coverage));
}

describe('the outcome', () => {
  const freeText = changed(failed, { stop: { reason: 'answered' }, rawFreeText: 'Looks good.' });
  const afterOne = { ...failed, findings: [finding('info')] };
  const missing = coverageOf({ missing: [verbatim('12 are beyond the limit.')] });
  const unread = coverageOf({ unread: [image] });
  const left = coverageOf({ unreviewed: [{ path: 'a.ts', reason: verbatim('time') }] });
  it.each([
    ['a batch cut short', [batch(), cut], [finding('info')], {}, 'partial: incomplete'],
    ['one batch failed of two', [batch(), failed], [], {}, 'partial: incomplete'],
    ['every batch failed', [failed, failed], [finding('critical')], {}, 'failed: failed'],
    ['every batch failed, one after a finding', [afterOne], [finding('info')], {}, 'partial: incomplete'],
    ['no batch started for want of budget', [unreviewed], [], {}, 'partial: incomplete'],
    ['free text that fits no schema', [freeText], [], {}, 'partial: incomplete'],
    ['cancelled', [batch()], [finding('info')], { cancelled: true }, 'partial: cancelled'],
    ['no key, rules found something', [], [finding('info')], { withoutKey: true }, 'partial: no-key'],
    ['no key, rules found nothing', [], [], { withoutKey: true }, 'skipped: no-key'],
    ['offline, rules found something', [], [finding('info')], {}, 'findings: completed'],
    ['offline, rules found nothing', [], [], {}, 'clean: completed'],
    [
      'a file that nobody read, and findings',
      [batch()],
      [finding('critical')],
      { coverage: unread },
      'partial: unread',
    ],
    ['a file that nobody read, and a limit', [batch(), cut], [], { coverage: unread }, 'partial: incomplete'],
    ['a file that was left', [batch()], [], { coverage: left }, 'partial: incomplete'],
  ] as const)('with %s is reported as it is', (_, batches, found, rest, expected) => {
    const { outcome, stop } = ended({ batches, ...rest }, found);
    expect(`${outcome}: ${stop.reason}`).toBe(expected);
  });

  const unreadableItem = { reason: { code: 'unplaced.unreadable' }, quote: null, unreadable: true } as const;
  it.each([
    [
      'an answer',
      { batches: [batch({ gap: verbatim('1 item could not be read.') })] },
      [],
      'unreadable-answer',
      '1 item could not be read.',
    ],
    ['a diff', { batches: [batch()], coverage: missing }, [], 'unreadable-diff', '12 are beyond the limit.'],
    [
      'a finding',
      { batches: [batch()] },
      [{ ...finding('critical'), unplaced: unreadableItem }],
      'unplaced',
      '1 finding of the model could not be read.',
    ],
  ] as const)('says that %s could not be read', (_, changes, found, word, why) => {
    const { stop } = ended(changes, found);
    expect([stopWord(stop), inEnglish.sentences(stopMessages(stop))]).toEqual([word, expect.stringContaining(why)]);
  });

  it('names what was not reviewed in its headline', () => {
    const unreviewed = [{ path: 'b.ts', reason: verbatim('the model failed') }];
    const two = [batch(), changed(failed, { name: '2 docs', metrics: { ...noMetrics, modelCalls: 5 } })];
    expect(headlineOf(two, coverageOf({ reviewed: ['a.ts'], unreviewed }))).toBe(
      'Partial review · No findings · 1 of 2 files reviewed. The model failed. Not reviewed: 1 file.',
    );
  });
});

it('a failed run tells what its own rules found from what an earlier run left open', () => {
  const [own, model] = [inline({ source: 'rule' }), inline({ severity: 'info' })];
  const held = { reason: { code: 'standing.raised' }, url: null, held: 'thread' } as const;
  const standing = placed(finding('warning'), 'standing', held);
  const failing = ended({ batches: [failed] });
  const placements = [[own], [own, own, standing], [standing, standing, model], []];
  const said = placements.map((some) => inEnglish.sentences(headline(failing, some, coverageOf())));
  const why = 'Review failed: The server answered 500. Try again later.';
  expect(said).toEqual([
    `${why} 1 finding of the rules: 1 critical.`,
    `${why} 2 findings of the rules: 2 critical. 1 earlier finding is still open: 1 warning.`,
    `${why} 1 finding: 1 info. 2 earlier findings are still open: 2 warnings.`,
    why,
  ]);
});

describe('a limit', () => {
  const used = { ...noMetrics, modelCalls: 3, cost: 0.42, usage: usage(30_000, 1_485) };

  it.each([
    ['tokens', 'Stopped at 31,485 of 62,000 tokens: the next call might not fit.'],
    ['cost', 'Stopped at $0.42 of $0.50: the next call might cost more than is left.'],
    ['time', 'Stopped after 9 min of 10 min: the rest is kept for the last answers and for posting.'],
  ] as const)('of %s says its number and what was used of it', (name, sentence) => {
    const stop = { reason: 'limit', limit: name } as const;
    expect(headlineOf([changed(cut, { stop, metrics: used })], coverageOf({ reviewed: ['a.ts'] }))).toBe(
      `Partial review · No findings · 1 file reviewed. ${sentence} Cut short: 1 file.`,
    );
  });

  it('counts the files of what it cut short and of what never began, and names no batch', () => {
    const others = Array.from({ length: 7 }, (_, index) =>
      changed(unreviewed, { metrics: noMetrics, paths: [`part${index}.ts`, 'large.ts'] }),
    );
    const coverage = coverageOf({
      reviewed: ['a.ts'],
      unreviewed: others.map(
        ({
          report: {
            paths: [path = ''],
          },
        }) => ({ path, reason: verbatim('') }),
      ),
    });
    expect(headlineOf([changed(cut, { metrics: used }), ...others], coverage)).toMatch(
      /1 of 8 files reviewed\. .* fit\. Cut short: 1 file\. Not begun: 8 files\.$/,
    );
  });
});

describe('a run without a key', () => {
  it.each([
    ['nothing', [], 'Rules only: nothing matched in 7 files'],
    ['something', [finding('critical')], 'Rules only · 1 finding: 1 critical · 7 files'],
  ])('says that the rules alone looked when they found %s, and warns', (_, findings, sentence) => {
    const decided = ended({ withoutKey: true }, findings);
    const coverage = coverageOf({ reviewed: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] });
    const said = headline(decided, findings.map(inline), coverage);
    const verdictFor = (number: number | null) =>
      recordOf({ ...decided, headline: said, pullRequest: { ...pullRequest, number } }).verdict;
    const onLaptop = 'OPENAI_API_KEY, or POSTIL_API_KEY and POSTIL_BASE_URL.';
    expect([verdictFor(7), verdictFor(null)]).toMatchObject(
      ['`api-key`.', onLaptop].map((next) => ({
        gate: 'warn',
        message: `${sentence}. No model reviewed this (no API key). For a review by a model set ${next}`,
      })),
    );
  });

  it('does not blame who opened a pull request from a fork', () => {
    const stop = { reason: 'no-key' } as const;
    const record = recordOf({ stop, pullRequest: { ...pullRequest, fromFork: true } });
    expect(record.verdict.message).toContain('Runs for forks and Dependabot get no secrets');
  });
});

describe('files that nobody read', () => {
  const unread = [image, { path: 'src/key.ts', reason: verbatim('never shown'), code: true }];

  const one = '1 file was not reviewed: logo.png (image).';
  const two = '2 files were not reviewed: src/key.ts (never shown), logo.png (image).';
  const found = [finding('critical')];

  it.each([
    ['beside what was reviewed', [image], ['a.ts', 'b.ts'], [], `No findings · 2 of 3 files reviewed · ${one}`],
    ['of all that changed', [image], [], [], one],
    ['beside findings, code first', unread, ['a.ts'], found, `1 finding: 1 critical · 1 of 3 files reviewed · ${two}`],
  ] as const)('are named in the headline: %s', (_, files, reviewed, found, expected) => {
    const partial = { outcome: 'partial', stop: { reason: 'unread', files }, model: 'm' } as const;
    const told = headline(partial, found.map(inline), coverageOf({ reviewed, unread: files }));
    expect(inEnglish.sentences(told)).toBe(expected);
  });

  it.each([
    ['is known to be no code', [image], 'fine'],
    ['could be code', unread, 'warn'],
  ] as const)('are a warning only when one of them %s', (_, files, kind) => {
    expect(recordOf({ outcome: 'partial', stop: { reason: 'unread', files } }).verdict.gate).toBe(kind);
  });
});
