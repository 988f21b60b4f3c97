import { describe, expect, it } from 'vitest';
import type { StopReason } from '../../../src/core/agent/event.ts';
import { UserError } from '../../../src/core/errors.ts';
import { checkReviewFile, type Posting } from '../../../src/core/handover/check.ts';
import { parseReviewFile, renderReviewFile } from '../../../src/core/handover/review-file.ts';
import type { ReviewDraft } from '../../../src/core/review/draft.ts';
import { context, finding } from '../../fakes/review-record.ts';
import { batchWith, origin, reviewedDraft, reviewFile, stoppedDraft } from '../../fakes/rich-record.ts';
import { changedFile, sources } from '../findings/make.ts';

const cart = `${'\n'.repeat(11)}  return items[items.length].price;\n`;
const posting: Posting = {
  ...origin,
  sources: sources([changedFile('src/cart.ts')], { head: { 'src/cart.ts': cart } }),
};

const forged = finding({
  id: 'f2',
  title: 'Forged',
  anchor: { kind: 'lines', side: 'RIGHT', startLine: 1, endLine: 1, quote: 'x' },
});
const forgedElsewhere = { ...forged, id: 'f3', path: 'src/nowhere.ts' };

describe('a review file of this pull request at this commit', () => {
  it('is the draft that it holds', async () => {
    const file = reviewFile({ draft: reviewedDraft({ ruleFindings: [finding({ id: 'f2', source: 'rule' })] }) });
    expect(await checkReviewFile(file, posting)).toEqual({ draft: file.draft, refused: [] });
  });

  it('says why nothing was reviewed', async () => {
    const draft = stoppedDraft({ reason: 'skipped', why: 'The pull request is a draft.' });
    expect(await checkReviewFile(reviewFile({ draft }), posting)).toEqual({ draft, refused: [] });
  });

  it('loses the findings that the source does not support, and is not complete then', async () => {
    const draft = reviewedDraft({ batches: [batchWith([finding(), forged])], ruleFindings: [forgedElsewhere] });
    const { draft: checked, refused } = await checkReviewFile(reviewFile({ draft }), posting);
    const lost = {
      title: 'Forged',
      path: 'src/cart.ts',
      quote: 'x',
      reason: 'not posted: what it quotes does not stand there',
    };
    const missing = 'not posted: there is no such text file at head';
    const lostRule = { title: 'Forged', path: 'src/nowhere.ts', quote: 'x', reason: missing };
    expect(refused).toEqual([lostRule, lost]);
    expect(checked).toEqual({
      ...draft,
      ruleFindings: [],
      refused: [lostRule],
      batches: [{ ...batchWith([finding()]), refused: [lost] }],
      coverage: {
        ...draft.coverage,
        reviewed: [],
        unreviewed: [{ path: 'src/cart.ts', reason: 'a finding about it does not match this commit' }],
        missing: ['Listed as unplaced: 2 findings of the review file, not found at this commit.'],
      },
    });
  });
});

describe('a review file of another commit', () => {
  const outdated = 'The review is out of date: it is for the';
  it.each([
    ['head', { head: 'e'.repeat(40) }, `${outdated} head eeeeeeeeeeee, which is now aaaaaaaaaaaa.`],
    ['merge base', { mergeBase: 'e'.repeat(40) }, `${outdated} merge base eeeeeeeeeeee, which is now cccccccccccc.`],
  ])('(%s) is skipped: nothing of it is posted', async (_, changes, why) => {
    const { draft } = await checkReviewFile(reviewFile(changes), posting);
    expect(draft).toMatchObject({ kind: 'stopped', stop: { reason: 'skipped', why } });
  });
});

describe('a review file of another pull request', () => {
  it.each([
    ['repository', { repository: 'acme/other' }, 'acme/other#7'],
    ['number', { number: 8 }, 'acme/shop#8'],
  ])('(%s) fails the run, whatever commit it names', async (_, changes, named) => {
    const checking = checkReviewFile(reviewFile({ ...changes, head: 'e'.repeat(40) }), posting);
    await expect(checking).rejects.toThrow(UserError);
    await expect(checking).rejects.toThrow(`The review file is for ${named}, but this run is for acme/shop#7.`);
  });
});

const { redact } = context;

function handedOver(draft: ReviewDraft): ReviewDraft {
  const parsed = parseReviewFile(renderReviewFile(draft, { ...origin, redact }));
  if (!parsed.ok) throw new Error(parsed.problems.join());
  return parsed.value.draft;
}

const onRemovedLines = finding({
  id: 'f3',
  anchor: { kind: 'lines', side: 'LEFT', startLine: 3, endLine: 4, quote: 'one\n\ttwo' },
  suggestion: null,
});
const note = { path: 'src/cart.ts', changes: 'Reads one item more.', checked: 'The index: beyond the end.' };
const onFile = finding({
  id: 'f2',
  anchor: { kind: 'file' },
  suggestion: null,
  alsoAt: ['src/a.ts:12'],
  verification: 'confirmed',
});
const ofRule = finding({ id: 'f1', source: 'rule', ruleId: 'no-debugger' });

describe('a draft that one job hands to another', () => {
  it('comes out as it went in', () => {
    const draft = reviewedDraft({
      scope: { kind: 'incremental', since: 'd'.repeat(40) },
      ruleFindings: [ofRule],
      batches: [
        batchWith([onFile], { gap: 'Time limit reached.', walkthrough: [note], nonSpecificReview: 'Too large.' }),
        { ...batchWith([onRemovedLines], { approval: null, rawFreeText: 'Hm.' }), refused: [refused] },
      ],
      refused: [refused],
      coverage: {
        reviewed: ['src/cart.ts'],
        skipped: [{ path: 'yarn.lock', reason: 'lock file' }],
        unread: [],
        unreviewed: [{ path: 'src/b.ts', reason: 'time' }],
        earlier: ['src/c.ts'],
        missing: ['2 files were not listed.'],
      },
      incomplete: ['The diff of a.ts is incomplete: too large.'],
      notes: ['A note.'],
    });
    expect(handedOver(draft)).toEqual(draft);
  });

  const limits = ['iterations', 'tokens', 'time', 'tool-calls'] as const;
  it.each<StopReason>([
    ...(['submitted', 'answered', 'repeated-calls', 'empty-answers'] as const).map((reason) => ({ reason })),
    ...limits.map((limit) => ({ reason: 'limit', limit }) as const),
    { reason: 'refused', by: 'model' },
    { reason: 'refused', by: 'content-filter' },
    { reason: 'truncated' },
    { reason: 'truncated', by: 'reasoning' },
    { reason: 'context-overflow' },
    { reason: 'cancelled' },
    { reason: 'model-failed', message: 'No quota left.', hint: 'Add credit.' },
  ])('keeps why a batch stopped: %o', (stop) => {
    const draft = reviewedDraft({ batches: [batchWith([], { stop })] });
    expect(handedOver(draft)).toEqual(draft);
  });

  it.each<ReviewDraft>([
    stoppedDraft({ reason: 'skipped', why: 'The pull request is a draft.' }),
    stoppedDraft({ reason: 'failed', message: 'No key.', hint: 'Set one.' }),
    stoppedDraft({ reason: 'cancelled' }),
  ])('keeps why nothing was reviewed: $stop', (draft) => {
    expect(handedOver(draft)).toEqual(draft);
  });

  it('leaves its secrets behind', () => {
    const secret = finding({ title: 'hunter2hunter2', review: 'Say hunter2hunter2.', evidence: 'hunter2hunter2' });
    const draft = reviewedDraft({
      batches: [batchWith([secret], { name: 'hunter2hunter2' })],
      notes: ['hunter2hunter2'],
    });
    const text = renderReviewFile(draft, { ...origin, redact });
    expect([text.includes('hunter2'), text.split('[redacted: secret]').length - 1]).toEqual([false, 5]);
  });

  it('leaves out the count of calls to tools that do not exist', () => {
    const metrics = {
      ...batchWith([]).report.metrics,
      toolCalls: 5,
      tools: { read_file: { calls: 2, milliseconds: 40, cut: 0 }, constructor: { calls: 3, milliseconds: 40, cut: 0 } },
    };
    const draft = handedOver(reviewedDraft({ batches: [batchWith([], { metrics })] }));
    expect(draft.kind === 'reviewed' && draft.batches[0]?.report.metrics).toMatchObject({
      toolCalls: 5,
      tools: { read_file: { calls: 2, milliseconds: 40, cut: 0 } },
    });
  });
});

const refused = { title: 'Gone', path: 'src/x.ts', quote: 'x();', reason: 'quote not found' };

describe('a draft that is too large for a file', () => {
  const many = (count: number, review: string) =>
    Array.from({ length: count }, (_, index) =>
      finding({ id: `f${index + 1}`, title: `${index}`, review, severity: index === 0 ? 'nitpick' : 'warning' }),
    );

  it('has its texts cut', () => {
    const draft = handedOver(reviewedDraft({ batches: [batchWith(many(900, 'x'.repeat(9_000)))] }));
    const findings = draft.kind === 'reviewed' ? (draft.batches[0]?.findings ?? []) : [];
    expect([findings.length, findings[0]?.review.length, findings[0]?.review.at(-1)]).toEqual([900, 1_000, '…']);
  });

  it('loses the findings of least weight, and says how many', () => {
    const draft = handedOver(reviewedDraft({ batches: [batchWith(many(1_003, 'Short.'))] }));
    const findings = draft.kind === 'reviewed' ? (draft.batches[0]?.findings ?? []) : [];
    expect([findings.length, findings.some(({ severity }) => severity === 'nitpick')]).toEqual([1_000, false]);
    expect(draft.kind === 'reviewed' && draft.coverage.missing).toEqual([
      'The review file had room for 1000 of 1003 findings.',
    ]);
  });

  it('is an error of the person who can narrow it when even that is not enough', () => {
    const coverage = {
      ...reviewedDraft().coverage,
      reviewed: Array.from({ length: 60_000 }, (_, index) => `${index}/`.padEnd(100, 'x')),
    };
    expect(() => renderReviewFile(reviewedDraft({ coverage }), { ...origin, redact })).toThrow(
      'The review does not fit into a review file: it is larger than 5 MB.',
    );
  });
});
