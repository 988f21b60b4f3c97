import { describe, expect, it } from 'vitest';
import { type PlacedFinding, placed, unraised } from '../../../src/core/findings/finding.ts';
import { digestOf } from '../../../src/core/history/mark.ts';
import { findingOf, type Memory, noMemory, type PriorFinding } from '../../../src/core/history/memory.ts';
import { verbatim } from '../../../src/core/messages/message.ts';
import type { CommitIdentity, PullRequest } from '../../../src/core/pull-request/pull-request.ts';
import { renderComment, renderFileComment } from '../../../src/core/report/finding.ts';
import { renderSticky } from '../../../src/core/report/sticky.ts';
import { isBlocking } from '../../../src/core/review/approval.ts';
import { composeReview } from '../../../src/core/review/compose-review.ts';
import type { ReviewDraft } from '../../../src/core/review/draft.ts';
import { reasonToSkip, strangersNote } from '../../../src/core/review/left-out.ts';
import { parseSettings } from '../../../src/core/settings/parse-settings.ts';
import type { Severity } from '../../../src/core/settings/setting.ts';
import { firstReading, prior as priorOf, roundOf, stateIn, stateOf } from '../../fakes/earlier-rounds.ts';
import {
  context,
  coverageOf,
  finding,
  keys,
  linesAt,
  ownRemark,
  pullRequest,
  recordOf,
  thread,
} from '../../fakes/review-record.ts';
import { batchWith, reviewedDraft, stoppedDraft } from '../../fakes/rich-record.ts';
import { changedFile, hunk } from '../findings/make.ts';

const identity = { name: 'Review', run: '2-1', settings: '0123456789abcdef' };
const line = '  return items[items.length].price;';
const files = [changedFile('src/cart.ts', { hunks: [hunk({ old: 12, new: 12 }, `+${line}`)] })];

const prior = (changes: Partial<PriorFinding> = {}) => priorOf(finding(), changes);

function composed(draft: ReviewDraft, memory: Partial<Memory>, changed = files) {
  const { settings } = parseSettings([]);
  const known = { ...noMemory, ...memory };
  const run = { settings, files: changed, identity, mayApprove: true };
  return composeReview(draft, { pullRequest, ...run, memory: known, ...firstReading });
}

const placesOf = (draft: ReviewDraft, one: PriorFinding) =>
  composed(draft, { prior: [one] }).findings.map(({ place }) => place);

describe('a run that reviewed nothing', () => {
  const skipped = stoppedDraft({ reason: 'skipped', why: verbatim('The pull request is a draft.') });
  const unmapped = { kind: 'unmapped', path: 'src/cart.ts' } as const;

  it.each<[string, Partial<PriorFinding>, readonly string[]]>([
    ['whose lines are there', {}, ['standing']],
    ['whose commit is gone: nobody looked for it', { present: unmapped }, ['standing']],
    ['whose comment was deleted', { held: { in: 'sticky', deleted: true } }, ['standing']],
    ['whose lines are gone unchecked', { present: { kind: 'gone' } }, ['standing']],
    [
      'whose file is gone, for all that it read',
      { present: { kind: 'gone' }, change: { kind: 'file gone' } },
      ['standing'],
    ],
    ['that was fixed, and whose code is back', { life: 'fixed' }, ['standing']],
    ['that is fixed', { life: 'fixed', isBack: false }, []],
    ['that somebody declined', { declined: true }, []],
  ])('counts an earlier finding %s', (_, changes, places) => {
    expect(placesOf(skipped, prior(changes))).toEqual(places);
  });
});

describe('a run whose diff is empty', () => {
  const empty = stoppedDraft({ reason: 'skipped', nothing: true, why: { code: 'skip.no-files' } });
  const left = (draft: ReviewDraft) => {
    const { findings, gone, round } = composed(draft, { prior: [prior()], nextState: 4 }, []);
    return [findings.length, gone.length, round?.number ?? null, round?.parts.map(({ life }) => life) ?? []];
  };

  it('ends every finding and leaves that to the next round, where one that did not read the diff leaves nothing', () => {
    const skipped = stoppedDraft({ reason: 'skipped', why: verbatim('The pull request is a draft.') });
    expect([left(empty), left(skipped)]).toEqual([
      [0, 1, 4, ['gone']],
      [1, 0, null, []],
    ]);
  });
});

describe('a review by the model', () => {
  const approval = { approved: true, rationale: '', action: 'APPROVE' } as const;
  const clean = reviewedDraft({ batches: [batchWith([], { approval })] });
  const again = reviewedDraft({ batches: [batchWith([finding()])] });

  it.each([
    ['as it was raised, whatever a later report says', {}, 'critical'],
    ['as verification found it', { verification: 'confirmed' }, 'nitpick'],
  ] as const)('keeps an earlier finding as severe %s', (_, more, severity) => {
    const draft = reviewedDraft({ batches: [batchWith([finding({ severity: 'nitpick', ...more })])] });
    expect(composed(draft, { prior: [prior()] }).findings.map((one) => one.severity)).toEqual([severity]);
  });

  const line = (names: string, changes = 'Before.') => {
    const paths = names.split(' ').map((name) => `src/${name}.ts`);
    return { paths, changes, checked: 'Its callers.' };
  };
  const changed = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => changedFile(`src/${name}.ts`));

  it('walks through groups of files in the order of the diff, each file in the line of the first batch', () => {
    const batches = [
      batchWith([], { walkthrough: [line('f d', 'First.')] }),
      batchWith([], { walkthrough: [line('e'), line('c a'), line('d', 'Second.'), line('f b', 'Second.')] }),
    ];
    const { walkthrough } = composed(reviewedDraft({ batches }), {}, changed);
    expect(walkthrough).toEqual([line('a c'), line('b', 'Second.'), line('d f', 'First.'), line('e')]);
  });

  it('keeps what an earlier run said of a group while no push touches any of its files', () => {
    const said = [line('a b'), line('c d'), line('e'), line('gone')];
    const batches = [batchWith([], { walkthrough: [line('d', 'After.')] })];
    const coverage = coverageOf({
      earlier: ['a', 'b', 'c'].map((name) => `src/${name}.ts`),
      reviewed: ['src/d.ts', 'src/e.ts'],
    });
    const { walkthrough } = composed(
      reviewedDraft({ batches, coverage }),
      { state: stateOf({ walkthrough: said }) },
      changed,
    );
    expect(walkthrough).toEqual([line('a b'), line('d', 'After.')]);
  });

  describe('takes the words of an earlier finding', () => {
    const one = finding({ review: 'It throws for `[]`.\n\nRead the last index.', suggestion: null });
    const marks = () => '\n\n<!-- postil:v2 {} -->';
    const inThread = (body: string) => ({ in: 'thread', thread: thread(), comment: ownRemark(body) }) as const;
    const lines = renderComment(one, { context, marks });
    const onFile = renderFileComment(one, { links: { context, pullRequest }, marks });
    const quoted = '```ts\n  return items[items.length].price;\n```\n\n';
    it.each<[string, Partial<PriorFinding>, string]>([
      ['from its comment', { held: inThread(lines) }, one.review],
      ['from a comment that GitHub refused on its lines', { held: inThread(`Line 12:\n\n${lines}`) }, one.review],
      ['from a comment on the file, with the code', { held: inThread(onFile) }, `${quoted}${one.review}`],
      [
        'from nowhere when no signature holds for them, and says where to read',
        { held: inThread(lines), signed: false, url: 'https://github.com/acme/shop/pull/7#r1' },
        'An earlier review raised this, and the lines that it is about are still there. Read https://github.com/acme/shop/pull/7#r1.',
      ],
      [
        'from nowhere when the summary comment alone holds it, and says where to read',
        {},
        'An earlier review raised this, and the lines that it is about are still there. Read the job summary of the review of aaaaaaa.',
      ],
    ])('%s', (_, changes, words) => {
      expect(findingOf(priorOf(one, changes)).review).toBe(words);
    });
  });

  it.each<[string, Partial<PriorFinding>, PlacedFinding['place']]>([
    ['raises a finding again whose comment was deleted', { held: { in: 'sticky', deleted: true } }, 'inline'],
    ['says nothing again of what the summary comment alone has held from the start', {}, 'standing'],
  ])('%s, found again or not', (_, changes, place) => {
    expect([clean, again].map((draft) => placesOf(draft, prior(changes)))).toEqual([[place], [place]]);
  });

  it('shows what somebody declined, found again or not, with who and their words', () => {
    const declines = [{ by: 'lead', how: 'reply', canWrite: true, date: '', words: 'By design.' }] as const;
    const declined = prior({ declines, declined: true });
    const shown = [clean, again].map((draft) => composed(draft, { prior: [declined] }).findings[0]);
    const reason = { code: 'declined.by-saying', person: 'lead', words: 'By design.' };
    const expected = { place: 'suppressed', reason };
    expect(shown).toMatchObject([expected, expected]);
  });

  it.each([
    ['the line that took their place', [' a', '-b', '+c', ' d'], 13],
    ['the line behind them', [' a', '-b', ' d'], 13],
    ['the line before them at the end of the file', [' a', '-b'], 12],
  ])('knows where removed lines stood: %s', (_what, lines, line) => {
    const anchor = linesAt([13, 13], 'b', 'LEFT');
    const changed = [changedFile('src/cart.ts', { hunks: [hunk({ old: 12, new: 12 }, ...lines)] })];
    const review = composed(reviewedDraft({ batches: [batchWith([finding({ anchor })])] }), {}, changed);
    expect(review.findings[0]?.lineAtHead).toBe(line);
  });
});

describe('the summary comment', () => {
  /** Of which nothing can be made shorter. */
  const found = (index: number) => {
    const text = (of: string) => digestOf(`${of} ${index}`, 64);
    const anchor = linesAt([index + 1, index + 6], ['a', 'b', 'c', 'd', 'e', 'f'].map(text).join('\n'));
    const one = finding({ id: `f${index}`, knownAs: `p-${text('id').slice(0, 8)}`, title: text('title'), anchor });
    return placed(one, 'inline', { url: `https://github.com/acme/shop/pull/7#discussion_r${index + 1}` });
  };

  it('says how many findings it has no room for, and stays as short as GitHub wants it', () => {
    const posted = Array.from({ length: 600 }, (_, index) => found(index));
    const record = { ...recordOf({ outcome: 'findings', identity, round: roundOf() }), placed: posted };
    const text = renderSticky(record, { ...context, keys, comment: 1, present: null }) ?? '';
    const { findings = [], beyond = [] } = stateIn(text) ?? {};
    const left = beyond.reduce((sum, { count }) => sum + count, 0);
    expect([findings.length > 200, findings.length + left, text.length <= 65_536]).toEqual([true, 600, true]);
    expect(text).toContain(`no room for ${left} open findings`);
  });
});

const declined: PlacedFinding = unraised(finding(), { by: 'people', reason: verbatim('ada resolved it') });

function standing(severity: Severity): PlacedFinding {
  return placed(finding({ severity }), 'standing', { reason: { code: 'standing.raised' }, url: null, held: 'thread' });
}

describe('an earlier REQUEST_CHANGES', () => {
  const again: PlacedFinding = placed(finding({ severity: 'warning' }), 'inline');

  it.each([
    ['the new review asks for changes', { event: 'REQUEST_CHANGES', findings: [] }, true],
    ['a warning of an earlier run stands', { event: 'COMMENT', findings: [standing('warning')] }, true],
    ['only a remark of an earlier run stands', { event: 'COMMENT', findings: [standing('info')] }, false],
    ['a warning is raised again, because its comment was deleted', { event: 'COMMENT', findings: [again] }, true],
    ['what it was about is gone', { event: 'COMMENT', findings: [] }, false],
    ['somebody declined it', { event: 'COMMENT', findings: [declined] }, false],
  ] as const)('%s: it keeps its reason %o', (_, review, blocking) => {
    expect(isBlocking(review)).toBe(blocking);
  });
});

const { settings } = parseSettings([]);
const bot: CommitIdentity = { author: 'dependabot[bot]', committer: 'web-flow', verified: true };

function pullOf(identities: readonly (CommitIdentity | null)[], changes: Partial<PullRequest> = {}): PullRequest {
  const author = 'dependabot[bot]';
  const commits = identities.map((identity, index) => {
    const commit = { sha: String(index).repeat(40), message: 'Bump it', author, date: '' };
    return identity === null ? commit : { ...commit, identity };
  });
  return { ...pullRequest, author, commits, commitCount: commits.length, ...changes };
}

function uncounted(count: number): PullRequest {
  const { commitCount: _, ...pull } = pullOf(Array.from({ length: count }, () => bot));
  return pull;
}

function isSkipped(pull: PullRequest, skipAuthors = settings.skipAuthors): boolean {
  const skipped = reasonToSkip(pull, { ...settings, skipAuthors }, {}) !== null;
  expect(strangersNote(pull, { ...settings, skipAuthors }, {})).toHaveLength(skipped ? 0 : 1);
  return skipped;
}

describe('a pull request of an author in `skip-authors`', () => {
  it.each<[string, boolean, PullRequest]>([
    ['whose commits are all theirs', true, pullOf([bot, bot])],
    ['who committed them itself', true, pullOf([{ ...bot, committer: 'dependabot[bot]' }])],
    ['on a server that says nothing of signatures', true, pullOf([{ ...bot, verified: null }])],
    ['with the commit of somebody else', false, pullOf([bot, { ...bot, author: 'eve', committer: 'eve' }])],
    ['with a commit that somebody else made in their name', false, pullOf([{ ...bot, committer: 'eve' }])],
    ["with a commit that carries a bot's address and no good signature", false, pullOf([{ ...bot, verified: false }])],
    ["with a commit that nobody's account made", false, pullOf([{ author: null, committer: null, verified: false }])],
    ['whose commits could not be read', false, pullOf([])],
    ['of whose commits GitHub lists a part', false, pullOf([bot], { commitCount: 251 })],
    ['of as many commits as GitHub lists, on a server that does not count them', false, uncounted(250)],
    ['of fewer commits, on a server that does not count them', true, uncounted(249)],
    ['whose commits do not say who made them', false, pullOf([null])],
  ])('%s is skipped: %s', (_, skipped, pull) => {
    expect(isSkipped(pull)).toBe(skipped);
  });

  it('is skipped without signatures when the author is a person', () => {
    const ada = { author: 'Ada', committer: 'ada', verified: false };
    expect(isSkipped(pullOf([ada], { author: 'ada' }), ['ADA'])).toBe(true);
  });
});
