import { describe, expect, it } from 'vitest';
import type { StopReason } from '../../../src/core/agent/event.ts';
import { noMetrics } from '../../../src/core/agent/meter.ts';
import type { Finding, Placement } from '../../../src/core/findings/finding.ts';
import type { Action } from '../../../src/core/findings/submission.ts';
import type { UnreadFile } from '../../../src/core/pull-request/select-files.ts';
import { headline } from '../../../src/core/review/headline.ts';
import { decideOutcome, mergeActions, openGate, verdictOf } from '../../../src/core/review/outcome.ts';
import type { BatchReport, Coverage } from '../../../src/core/review/review.ts';
import { coverageOf, finding as findingWith, limits, pullRequest, recordOf } from '../../fakes/review-record.ts';
import { batchWith } from '../../fakes/rich-record.ts';
import { usage } from '../../fakes/scripted-model.ts';

const limit: StopReason = { reason: 'limit', limit: 'tokens' };
const broken: StopReason = { reason: 'model-failed', message: 'The server answered 500.', hint: 'Try again later.' };

function batch({ action = 'APPROVE', ...rest }: Partial<BatchReport> & { action?: Action } = {}): BatchReport {
  const approval = { approved: action === 'APPROVE', rationale: `because ${action}`, action };
  return batchWith([], { approval, ...rest }).report;
}

const image: UnreadFile = { path: 'logo.png', reason: 'image', code: false };
const cut = batch({ stop: limit, gap: 'The token budget was reached.' });
const unreviewed = batch({ stop: limit, reviewed: false, gap: 'The token budget was reached.', approval: null });
const failed = batch({ stop: broken, reviewed: false, gap: 'The model failed.', approval: null });

const finding = (severity: Finding['severity']) => findingWith({ severity });
const inline = (changes: Partial<Finding>): Placement => ({ finding: findingWith(changes), place: 'inline' });

const nothing = {
  ...{ batches: [], findings: [], missing: [], unread: [] },
  ...{ found: false, unplaced: 0, cancelled: false, withoutKey: false },
  limits: { ...limits, maxTotalTokens: 62_000, maxCost: 0.5, timeoutMinutes: 10 },
  milliseconds: 540_000,
} as const satisfies Parameters<typeof decideOutcome>[0];

/** The headline of batches that found nothing. */
function headlineOf(batches: readonly BatchReport[], coverage: Coverage): string {
  return headline(decideOutcome({ ...nothing, batches }), [], coverage);
}

describe('the outcome', () => {
  const freeText = batch({ ...failed, stop: { reason: 'answered' }, rawFreeText: 'Looks good.' });
  const asking = batch({ action: 'REQUEST_CHANGES' });
  it.each([
    ['nothing found', [batch()], [], {}, 'clean: completed'],
    ['something found', [batch()], [finding('info')], {}, 'findings: completed'],
    ['a batch cut short', [batch(), cut], [finding('info')], {}, 'partial: incomplete'],
    ['one batch failed of two', [batch(), failed], [], {}, 'partial: incomplete'],
    ['every batch failed', [failed, failed], [finding('critical')], {}, 'failed: failed'],
    ['every batch failed, one after a finding', [failed], [finding('info')], { found: true }, 'partial: incomplete'],
    ['no batch started for want of budget', [unreviewed], [], {}, 'partial: incomplete'],
    ['free text that fits no schema', [freeText], [], {}, 'partial: incomplete'],
    ['nothing but findings that could not be placed', [asking], [], { unplaced: 2 }, 'partial: incomplete'],
    ['changes asked for, and nothing found', [asking], [], {}, 'clean: completed'],
    ['a finding that the model withdrew', [batch()], [], { unplaced: 1 }, 'clean: completed'],
    ['cancelled', [batch()], [finding('info')], { cancelled: true }, 'partial: cancelled'],
    ['no key, rules found something', [], [finding('info')], { withoutKey: true }, 'partial: no-key'],
    ['no key, rules found nothing', [], [], { withoutKey: true }, 'skipped: no-key'],
    ['offline, rules found something', [], [finding('info')], {}, 'findings: completed'],
    ['offline, rules found nothing', [], [], {}, 'clean: completed'],
    ['files that could not be read', [batch()], [], { missing: ['12 are beyond the limit.'] }, 'partial: incomplete'],
    ['a file that nobody read', [batch()], [], { unread: [image] }, 'partial: unread'],
    ['a file that nobody read, and findings', [batch()], [finding('critical')], { unread: [image] }, 'partial: unread'],
    ['a file that nobody read, and a limit', [batch(), cut], [], { unread: [image] }, 'partial: incomplete'],
  ] as const)('with %s is reported as it is', (_, batches, found, rest, expected) => {
    const { outcome, stop } = decideOutcome({ ...nothing, batches, findings: found, ...rest });
    expect(`${outcome}: ${stop.reason}`).toBe(expected);
  });

  it('names what was not reviewed in its headline', () => {
    const unreviewed = [{ path: 'b.ts', reason: 'the model failed' }];
    const two = [batch(), { ...failed, name: '2 docs', metrics: { ...noMetrics, modelCalls: 5 } }];
    expect(headlineOf(two, coverageOf({ reviewed: ['a.ts'], unreviewed }))).toBe(
      'Partial review · No findings · 1 of 2 files reviewed. The model failed. Not reviewed: docs.',
    );
  });
});

it('a failed run tells what its own rules found from what an earlier run left open', () => {
  const [own, model] = [inline({ source: 'rule' }), inline({ severity: 'info' })];
  const held = { reason: 'raised before', url: null, held: 'thread' } as const;
  const standing: Placement = { finding: finding('warning'), place: 'standing', ...held };
  const ended = decideOutcome({ ...nothing, batches: [failed] });
  const placements = [[own], [own, own, standing], [standing, standing, model], []];
  const said = placements.map((some) => headline(ended, some, coverageOf()));
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
    ['iterations', 'Stopped at the maximum of iterations: 15 per batch, and no more than 5 per file.'],
    ['tool-calls', 'Stopped at the maximum of 200 tool calls per run.'],
  ] as const)('of %s says its number and what was used of it', (name, sentence) => {
    const stop = { reason: 'limit', limit: name } as const;
    expect(headlineOf([{ ...cut, stop, metrics: used }], coverageOf({ reviewed: ['a.ts'] }))).toBe(
      `Partial review · No findings · 1 file reviewed. ${sentence} Cut short: 1 src.`,
    );
  });

  it('names the batches that it cut short as well as those that never began, and at most five', () => {
    const never = { ...unreviewed, metrics: noMetrics };
    const others = Array.from({ length: 7 }, (_, index) => ({ ...never, name: `${index + 2} part${index}` }));
    const coverage = coverageOf({
      reviewed: ['a.ts'],
      unreviewed: others.map(({ name }) => ({ path: name, reason: '' })),
    });
    expect(headlineOf([{ ...cut, metrics: used }, ...others], coverage)).toMatch(
      /1 of 8 files reviewed\. .* Cut short: src\. Not begun: part0; part1; part2; part3; part4 and 2 more\.$/,
    );
  });
});

describe('a run without a key', () => {
  it.each([
    ['nothing', [], 'Rules only: nothing matched in 7 files'],
    ['something', [finding('critical')], 'Rules only · 1 finding: 1 critical · 7 files'],
  ])('says that the rules alone looked when they found %s, and warns', (_, findings, sentence) => {
    const decided = decideOutcome({ ...nothing, findings, withoutKey: true });
    const said = headline(decided, findings.map(inline), coverageOf({ reviewed: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] }));
    const verdictFor = (number: number | null) =>
      verdictOf(recordOf({ ...decided, headline: said, pullRequest: { ...pullRequest, number } }), openGate);
    const onLaptop = 'OPENAI_API_KEY, or POSTIL_API_KEY and POSTIL_BASE_URL.';
    expect([verdictFor(7), verdictFor(null)]).toEqual(
      ['`api-key`.', onLaptop].map((next) => ({
        kind: 'warn',
        message: `${sentence}. No model reviewed this (no API key). For a review by a model set ${next}`,
      })),
    );
  });

  it('does not blame who opened a pull request from a fork', () => {
    const stop = { reason: 'no-key' } as const;
    const record = recordOf({ stop, pullRequest: { ...pullRequest, fromFork: true } });
    expect(verdictOf(record, openGate).message).toContain('Runs for forks and Dependabot get no secrets');
  });
});

describe('files that nobody read', () => {
  const unread = [image, { path: 'src/key.ts', reason: 'never shown', code: true }];

  const one = '1 file was not read: logo.png (image).';
  const two = '2 files were not read: src/key.ts (never shown), logo.png (image).';
  const found = [finding('critical')];

  it.each([
    ['beside what was reviewed', [image], ['a.ts', 'b.ts'], [], `No findings · 2 files reviewed · ${one}`],
    ['of all that changed', [image], [], [], one],
    ['beside findings, code first', unread, ['a.ts'], found, `1 finding: 1 critical · 1 file reviewed · ${two}`],
  ] as const)('are named in the headline: %s', (_, files, reviewed, found, expected) => {
    const ended = { outcome: 'partial', stop: { reason: 'unread', files } } as const;
    expect(headline(ended, found.map(inline), coverageOf({ reviewed, unread: files }))).toBe(expected);
  });

  it('are named beside a limit, too', () => {
    const stop = { reason: 'incomplete', why: 'Token limit reached.', stop: { reason: 'submitted' } } as const;
    expect(headline({ outcome: 'partial', stop }, [], coverageOf({ reviewed: ['a.ts'], unread: [image] }))).toBe(
      'Partial review · No findings · 1 of 2 files reviewed. Token limit reached. 1 file was not read: logo.png (image).',
    );
  });

  it.each([
    ['is known to be no code', [image], 'fine'],
    ['could be code', unread, 'warn'],
  ] as const)('are a warning only when one of them %s', (_, files, kind) => {
    expect(verdictOf(recordOf({ outcome: 'partial', stop: { reason: 'unread', files } }), openGate).kind).toBe(kind);
  });
});

describe('the merged action', () => {
  it.each([
    ['all approve', [batch(), batch()], [], 'APPROVE'],
    ['one comments', [batch(), batch({ action: 'COMMENT' })], [], 'COMMENT'],
    ['one requests changes', [batch(), batch({ action: 'REQUEST_CHANGES' })], [], 'REQUEST_CHANGES'],
    ['a batch was not reviewed', [batch(), unreviewed], [], 'COMMENT'],
    ['a batch was cut short', [batch(), cut], [], 'COMMENT'],
    ['a warning stands against it', [batch()], [finding('warning')], 'COMMENT'],
    ['nothing worse than an info stands against it', [batch()], [finding('info')], 'APPROVE'],
    ['the rules alone looked', [], [], 'COMMENT'],
  ] as const)('when %s is the worst of them', (_, batches, found, expected) => {
    expect(mergeActions(batches, found, found.length > 0 ? 'findings' : 'clean').action).toBe(expected);
  });

  it('approves nothing that is partial', () => {
    expect(mergeActions([batch()], [], 'partial').approved).toBe(false);
  });

  it('gives one verdict for the whole review: that of the batch that asks for most', () => {
    const batches = [batch(), batch({ action: 'REQUEST_CHANGES' }), batch({ action: 'COMMENT' })];
    expect(mergeActions(batches, [], 'findings').rationale).toBe('because REQUEST_CHANGES');
  });
});
