import { describe, expect, it } from 'vitest';
import { postReview } from '../../src/core/post-review.ts';
import type { PullRequest } from '../../src/core/pull-request/pull-request.ts';
import type { Review } from '../../src/core/review/review.ts';
import type { ReviewFile } from '../../src/core/review/review-file.ts';
import { previewSettings } from '../../src/core/settings/parse-settings.ts';
import { FakeClock } from '../fakes/fake-clock.ts';
import { MemoryRepository } from '../fakes/memory-repository.ts';
import { bundleWith, origin, reviewedDraft, reviewFile } from '../fakes/review-draft.ts';
import { finding, pullRequest } from '../fakes/review-record.ts';
import { changedFile, hunk } from './findings/make.ts';

const line = '  return items[items.length].price;';
const atFirstLine = finding({ anchor: { kind: 'lines', side: 'RIGHT', startLine: 1, endLine: 1, quote: line } });
const approval = { approved: true, rationale: 'Fine.', action: 'APPROVE' } as const;
const approving = reviewedDraft({ bundles: [bundleWith([], { approval })] });

const byAda: Partial<PullRequest> = {
  commitCount: 1,
  commits: [
    { sha: 'a', message: '', author: 'ada', date: '', identity: { author: 'ada', committer: 'ada', verified: null } },
  ],
};

type Given = {
  readonly file: Partial<ReviewFile>;
  readonly inputs?: Readonly<Record<string, string>>;
  readonly changes?: Partial<PullRequest>;
};

/** What reaches a sink of a job that posts this file. */
async function posted({ file, inputs = {}, changes = {} }: Given): Promise<Review> {
  const delivered: Review[] = [];
  const files = [changedFile('src/cart.ts', { hunks: [hunk({ old: 1, new: 1 }, `+${line}`)] })];
  await postReview(
    {
      settings: previewSettings([{ where: 'input', trusted: true, values: { mode: 'post', ...inputs } }]),
      notes: [],
      pullRequest: { ...pullRequest, ...changes },
      changes: async () => ({ files, missing: [] }),
      repository: new MemoryRepository({ 'src/cart.ts': `${line}\n`, '.env': 'DEBUG=1\n' }),
      search: null,
      history: null,
      model: null,
      verifyModel: null,
      embedder: null,
      syntax: null,
      report: () => undefined,
      identity: origin.identity,
      signs: true,
      past: { canWrite: async () => true, relationOf: async () => 'gone', changesBetween: async () => null },
      sinks: [
        {
          name: 'test',
          deliver: async (review) => {
            delivered.push(review);
            return { sink: 'test', status: 'delivered', reason: null, delivered: [], url: null };
          },
        },
      ],
      recorders: [],
      handOver: null,
      clock: new FakeClock(),
      random: () => 0,
      startedAt: 0,
      signal: new AbortController().signal,
    },
    reviewFile(file),
  );
  const [review] = delivered;
  if (review === undefined) throw new Error('Nothing was delivered.');
  return review;
}

describe('the job that posts', () => {
  it('places what the other job found', async () => {
    const review = await posted({ file: { draft: reviewedDraft({ bundles: [bundleWith([atFirstLine])] }) } });
    expect(review.placements).toEqual([{ finding: atFirstLine, place: 'inline' }]);
    expect([review.outcome, review.event, review.rationale]).toEqual(['findings', 'COMMENT', 'Mend the loop.']);
  });

  it('compares a rule finding in a file that models may not read', async () => {
    const ofRule = finding({
      path: '.env',
      anchor: { kind: 'lines', side: 'RIGHT', startLine: 1, endLine: 1, quote: 'DEBUG=1' },
      source: 'rule',
      suggestion: null,
    });
    const { placements } = await posted({ file: { draft: reviewedDraft({ bundles: [], ruleFindings: [ofRule] }) } });
    expect(placements.map(({ finding: { path }, place }) => [path, place])).toEqual([['.env', 'body']]);
  });

  it('does not believe a forged finding, and then calls the review partial', async () => {
    const forged = { ...atFirstLine, id: 'f2', anchor: { ...atFirstLine.anchor, quote: 'rm -rf /' } };
    const review = await posted({ file: { draft: reviewedDraft({ bundles: [bundleWith([forged])] }) } });
    expect([review.outcome, review.placements, review.refused.map(({ title }) => title)]).toEqual([
      'partial',
      [],
      [forged.title],
    ]);
  });

  it.each([
    ['the head moved', { file: { head: 'e'.repeat(40) } }, 'Not reviewed: The review is superseded'],
    [
      'the pull request was closed',
      { file: {}, changes: { state: 'closed' } },
      'Not reviewed: The pull request is closed.',
    ],
    [
      'its settings skip the author',
      { file: {}, changes: byAda, inputs: { 'skip-authors': 'ada' } },
      'Not reviewed: Pull requests of ada',
    ],
  ] as const)('has nothing to post when %s', async (_, given, headline) => {
    const review = await posted(given);
    expect([review.outcome, review.placements, review.headline.startsWith(headline)]).toEqual(['skipped', [], true]);
  });

  it('says that the two jobs have different names', async () => {
    const { notes } = await posted({ file: { identity: { ...origin.identity, name: 'Other' } } });
    expect(notes).toEqual(['The review was made as "Other" and is posted as "Review": set one `name` in both jobs.']);
  });
});

describe('an approval in a review file', () => {
  it.each([
    ['counts for nothing by default', {}, false, 'COMMENT'],
    ['is given when the workflow allows it', { 'review-event': 'approve' }, false, 'APPROVE'],
    ['is never given for a fork', { 'review-event': 'approve' }, true, 'COMMENT'],
  ] as const)('%s', async (_, inputs, fromFork, event) => {
    const review = await posted({ file: { draft: approving }, inputs, changes: { fromFork } });
    expect([review.outcome, review.event]).toEqual(['clean', event]);
    expect(review.notes.length).toBe(fromFork ? 1 : 0);
  });

  it('leaves a request for changes to a fork', async () => {
    const draft = reviewedDraft({ bundles: [bundleWith([atFirstLine])] });
    const inputs = { 'review-event': 'approve' };
    expect((await posted({ file: { draft }, inputs, changes: { fromFork: true } })).event).toBe('REQUEST_CHANGES');
  });
});
