import { describe, expect, it } from 'vitest';
import { combineReporters, type ReviewEvent } from '../../src/core/events.ts';
import { placed } from '../../src/core/findings/finding.ts';
import { postReview } from '../../src/core/handover/post-review.ts';
import type { ReviewFile } from '../../src/core/handover/review-file.ts';
import { inEnglish } from '../../src/core/messages/languages.ts';
import { verbatim } from '../../src/core/messages/message.ts';
import type { Changes, PullRequest } from '../../src/core/pull-request/pull-request.ts';
import type { Review } from '../../src/core/review/review.ts';
import { learningSecrets, reviewPullRequest } from '../../src/core/review-pull-request.ts';
import { previewSettings } from '../../src/core/settings/parse-settings.ts';
import { past } from '../fakes/earlier-rounds.ts';
import { addedFile, MemoryRepository } from '../fakes/memory-repository.ts';
import { deliveryOf, finding, linesAt, pullRequest } from '../fakes/review-record.ts';
import { batchWith, origin, reviewedDraft, reviewFile, reviewParts } from '../fakes/rich-record.ts';
import { changedFile, hunk } from './findings/make.ts';

describe('combined reporters', () => {
  it('all hear every event, also behind one that throws', () => {
    const heard: ReviewEvent[] = [];
    const broken = () => {
      throw new Error('disk full');
    };
    const hear = (event: ReviewEvent) => heard.push(event);
    const event = { type: 'note', text: 'hello' } as const;
    combineReporters(broken, hear, broken, hear)(event);
    expect(heard).toEqual([event, event]);
  });
});

const line = '  return items[items.length].price;';
const atFirstLine = finding({ anchor: linesAt([1, 1], line) });
const approval = { approved: true, rationale: 'Fine.', action: 'APPROVE' } as const;
const approving = reviewedDraft({ batches: [batchWith([], { approval })] });

const ada = { author: 'ada', identity: { author: 'ada', committer: 'ada', verified: null } };
const byAda: Partial<PullRequest> = { commitCount: 1, commits: [{ sha: 'a', message: '', date: '', ...ada }] };

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
    reviewParts({
      settings: previewSettings([{ where: 'input', trusted: true, values: { mode: 'post', ...inputs } }]),
      pullRequest: { ...pullRequest, ...changes },
      changes: async () => ({ files, missing: [] }),
      repository: new MemoryRepository({ 'src/cart.ts': `${line}\n`, '.env': 'DEBUG=1\n' }),
      identity: origin.identity,
      signs: true,
      past: { ...past, changesBetween: async () => null },
      destinations: [
        {
          name: 'pull request review',
          deliver: async ({ review }) => {
            delivered.push(review);
            return deliveryOf('pull request review');
          },
        },
      ],
    }),
    reviewFile(file),
  );
  const [review] = delivered;
  if (review === undefined) throw new Error('Nothing was delivered.');
  return review;
}

describe('the job that posts', () => {
  it('places what the other job found', async () => {
    const review = await posted({ file: { draft: reviewedDraft({ batches: [batchWith([atFirstLine])] }) } });
    expect(review.findings).toMatchObject([{ ...placed(atFirstLine, 'inline'), batch: '1 src' }]);
    expect([review.outcome, review.event, review.rationale]).toEqual(['findings', 'COMMENT', 'Mend the loop.']);
  });

  it('compares a rule finding in a file that models may not read', async () => {
    const ofRule = finding({ path: '.env', anchor: linesAt([1, 1], 'DEBUG=1'), source: 'rule', suggestion: null });
    const { findings } = await posted({ file: { draft: reviewedDraft({ batches: [], ruleFindings: [ofRule] }) } });
    expect(findings.map(({ path, place }) => [path, place])).toEqual([['.env', 'body']]);
  });

  it('looks up the other places of a finding', async () => {
    const elsewhere = finding({
      anchor: { kind: 'file' },
      alsoAt: ['src/cart.ts:1', 'src/cart.ts:2'],
      suggestion: null,
    });
    const [found] = (await posted({ file: { draft: reviewedDraft({ batches: [batchWith([elsewhere])] }) } })).findings;
    expect(found?.others).toEqual([{ path: 'src/cart.ts', anchor: linesAt([1, 1], line) }]);
  });

  it('does not believe a forged finding, and then calls the review partial', async () => {
    const forged = finding({ id: 'f2', anchor: linesAt([1, 1], 'rm -rf /') });
    const review = await posted({ file: { draft: reviewedDraft({ batches: [batchWith([forged])] }) } });
    const unplaced = { reason: { code: 'unplaced.quote-not-there' }, quote: 'rm -rf /' } as const;
    const shown = { ...forged, anchor: { kind: 'file' }, suggestion: null, unplaced } as const;
    expect([review.outcome, review.findings]).toMatchObject([
      'partial',
      [{ ...placed(shown, 'file'), batch: '1 src' }],
    ]);
  });

  it.each([
    ['the head moved', { file: { head: 'e'.repeat(40) } }, 'The review is out of date'],
    ['the pull request was closed', { file: {}, changes: { state: 'closed' } }, 'The pull request is closed.'],
    ['the author is skipped', { file: {}, changes: byAda, inputs: { 'skip-authors': 'ada' } }, 'Pull requests of ada'],
  ] as const)('has nothing to post when %s', async (_, given, reason) => {
    const { outcome, findings, headline } = await posted(given);
    expect([outcome, findings, inEnglish.sentences(headline).startsWith(`Not reviewed: ${reason}`)]).toEqual([
      'skipped',
      [],
      true,
    ]);
  });

  it('says that the two jobs have different names', async () => {
    const { notes } = await posted({ file: { identity: { ...origin.identity, name: 'Other' } } });
    expect(notes.map(inEnglish)).toEqual([
      'The review was made as "Other" and is posted as "Review": set one `name` in both jobs.',
    ]);
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
    const draft = reviewedDraft({ batches: [batchWith([atFirstLine])] });
    const inputs = { 'review-event': 'approve' };
    expect((await posted({ file: { draft }, inputs, changes: { fromFork: true } })).event).toBe('REQUEST_CHANGES');
  });
});

const partsOf = (changes: Changes) => reviewParts({ changes: async () => changes }, { profile: 'offline' });

describe('a credential in a diff', () => {
  it('is named before anybody sees the diff, be it of the pull request or of an earlier run', async () => {
    const learnt: string[] = [];
    const leaking = (value: string) => [addedFile('.env', [`API_KEY=${value}`])];
    const leakingBefore = { ...past, changesBetween: async () => leaking('w9Xc3Vb7Nm1Qa5Sd') };
    const parts = learningSecrets(
      { ...partsOf({ files: leaking('k3Jd8sLq0Zx7Vb2N'), missing: [] }), past: leakingBefore },
      (secrets) => learnt.push(...secrets.map(({ value }) => value)),
    );
    await parts.past?.changesBetween('a', 'b');
    await parts.code.changes();
    expect(learnt).toEqual(['w9Xc3Vb7Nm1Qa5Sd', 'k3Jd8sLq0Zx7Vb2N']);
  });
});

it('a secret in two files is one finding at two places, each with its line as people see it', async () => {
  const secret = `const key = "ghp_${'wqNc5bXz'.repeat(4)}aB3d";`;
  const texts = { 'a.ts': secret, 'b.ts': `let key;\n${secret}` };
  const files = Object.entries(texts).map(([path, text]) => addedFile(path, text.split('\n')));
  const changes = async () => ({ files, missing: [] });
  const parts = reviewParts({ changes, repository: new MemoryRepository(texts) }, { profile: 'offline' });
  const { findings } = (await reviewPullRequest(parts)).review;
  const anchor = linesAt([2, 2], 'const key = "[redacted: secret]";');
  expect(findings.map(({ path, others }) => [path, others])).toEqual([['a.ts', [{ path: 'b.ts', anchor }]]]);
});

describe('a pull request without a readable file', () => {
  const unread = 'Of 12 changed files GitHub listed none.';

  it.each([
    ['skipped when it changes none', [], 'skipped', 'Nothing to review: No file is changed.'],
    ['partial when it could not be read', [unread], 'partial', `Partial review · nothing was reviewed. ${unread}`],
  ])('is %s', async (_, missing, outcome, headline) => {
    const { review } = await reviewPullRequest(partsOf({ files: [], missing: missing.map(verbatim) }));
    expect([review.outcome, inEnglish.sentences(review.headline)]).toEqual([outcome, headline]);
  });
});
