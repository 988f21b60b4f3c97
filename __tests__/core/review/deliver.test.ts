import { describe, expect, it } from 'vitest';
import { type Finding, type PlacedFinding, placed } from '../../../src/core/findings/finding.ts';
import { writeMark } from '../../../src/core/history/mark.ts';
import { inEnglish } from '../../../src/core/messages/languages.ts';
import { verbatim } from '../../../src/core/messages/message.ts';
import type { PostedReview } from '../../../src/core/pull-request/pull-request.ts';
import { failureTitle } from '../../../src/core/report/wording.ts';
import { bearsOutApproval, standingApprovals, whyNotApprove } from '../../../src/core/review/approval.ts';
import { deliver } from '../../../src/core/review/deliver.ts';
import type { Review } from '../../../src/core/review/review.ts';
import { type Delivery, type Destination, type DestinationName, deliveredIn } from '../../../src/core/review/sink.ts';
import { type Gate, openGate, type Verdict } from '../../../src/core/review/verdict.ts';
import {
  coverageOf,
  deliveryOf,
  finding,
  postedReview,
  pullRequest,
  recordOf,
  review,
} from '../../fakes/review-record.ts';

function placement(id: string, place: 'inline' | 'summary'): PlacedFinding {
  const one = finding({ id });
  return placed(one, place, place === 'inline' ? {} : { reason: verbatim('below `min-severity`') });
}

function destination(name: DestinationName, delivery: Partial<Delivery>): Destination {
  return { name, deliver: async () => deliveryOf(name, delivery) };
}

const exploding: Destination = {
  name: 'outdated comments',
  deliver: () => Promise.reject(new Error('socket hang up')),
};

const annotated = (...ids: readonly string[]) =>
  destination('annotations', { delivered: ids.map((findingId) => ({ findingId, place: 'annotation', url: null })) });

async function delivered(destinations: readonly Destination[], findings: readonly PlacedFinding[]) {
  const record = await deliver(review({ findings }), { destinations, gate: openGate }, () => undefined);
  return record.placed.map(({ id, place, reason }) => [id, place, reason === null ? null : inEnglish(reason)]);
}

describe('delivery', () => {
  const [first, second] = [placement('f1', 'inline'), placement('f2', 'inline')];

  it('books every finding once, at the best place that took it', async () => {
    const comments = destination('pull request review', {
      delivered: [{ findingId: 'f1', place: 'inline', url: 'https://x' }],
    });
    const placements = [first, second, placement('f3', 'summary')];
    expect(await delivered([comments, annotated('f1', 'f2')], placements)).toEqual([
      ['f1', 'inline', null],
      ['f2', 'annotation', null],
      ['f3', 'summary', 'below `min-severity`'],
    ]);
  });

  it('says why a finding is not where it was to be, when the others were delivered there', async () => {
    const reason = 'GitHub did not accept a comment: line must be part of the diff.';
    const comments = destination('pull request review', {
      delivered: [{ findingId: 'f1', place: 'inline', url: null }],
      reason: [verbatim(reason)],
    });
    expect(await delivered([comments, annotated('f2')], [first, second])).toEqual([
      ['f1', 'inline', null],
      ['f2', 'annotation', reason],
    ]);
  });

  it('lets the others deliver when one breaks, and keeps the cause', async () => {
    expect(await delivered([exploding, annotated('f1')], [first, second])).toEqual([
      ['f1', 'annotation', null],
      ['f2', 'summary', 'socket hang up.'],
    ]);
  });

  it('tells annotations what the others delivered', async () => {
    const posted = [{ findingId: 'f1', place: 'inline', url: null } as const];
    const told: unknown[] = [];
    const following: Destination = {
      name: 'annotations',
      deliver: async (record) => {
        told.push(deliveredIn(record));
        return deliveryOf('annotations');
      },
    };
    const destinations = [following, destination('pull request review', { delivered: posted })];
    await deliver(review({ findings: [first] }), { destinations, gate: openGate }, () => undefined);
    expect(told).toEqual([posted]);
  });

  it('tells those that come after what became of everything, and survives one that breaks', async () => {
    const told: string[] = [];
    const summary: Destination = {
      name: 'job summary',
      deliver: async ({ deliveries }) => {
        told.push(...deliveries.map(({ sink: name, status }) => `${name} ${status}`));
        throw new Error('disk full');
      },
    };
    const statuses: string[] = [];
    await deliver(review(), { destinations: [summary, exploding], gate: openGate }, (delivery) =>
      statuses.push(`${delivery.sink} ${delivery.status} ${inEnglish.sentences(delivery.reason)}`),
    );
    expect(told).toEqual(['outdated comments failed']);
    expect(statuses).toEqual(['outdated comments failed socket hang up.', 'job summary failed disk full.']);
  });
});

const head = pullRequest.head.sha;

function approval(changes: Partial<PostedReview> = {}, { name = 'Review', run = '10-1' } = {}): PostedReview {
  const mark = { kind: 'review', name, run, state: 1, commit: head, settings: '', event: 'APPROVE' } as const;
  const body = `Fine.\n\n${writeMark(mark)}`;
  return postedReview({ state: 'APPROVED', body, ...changes });
}

describe('an approval of ours', () => {
  const ours = { name: 'Review', run: '10-2' };

  it.each<[string, boolean, PostedReview]>([
    ['of an earlier run', true, approval()],
    ['of this run', true, approval({}, { run: '10-2' })],
    ['of a later run, which is not for this one to judge', false, approval({}, { run: '11-1' })],
    ['of a later attempt', false, approval({}, { run: '10-3' })],
    ['of another name', false, approval({}, { name: 'Other' })],
    ['that somebody else gave with a copied mark', false, approval({ isSelf: false })],
    ['that carries no mark', false, approval({ body: 'Fine.' })],
    ['that is dismissed', false, approval({ state: 'DISMISSED' })],
    ['that is a comment', false, approval({ state: 'COMMENTED' })],
  ])('%s stands: %s', (_, stands, given) => {
    expect(standingApprovals([given], ours)).toEqual(stands ? [given] : []);
  });

  it('has any name where the settings could not be read', () => {
    expect(standingApprovals([approval({}, { name: 'Other' })], { ...ours, name: null })).toHaveLength(1);
  });
});

describe('a run that ends in an approval', () => {
  const since = (commit: string): Partial<Review> => ({
    scope: { kind: 'incremental', since: commit },
    coverage: coverageOf({ earlier: ['a.ts'] }),
  });
  const again = since(head);

  it.each<[string, boolean, Partial<Review>]>([
    ['approves', true, { event: 'APPROVE' }],
    ['looks again at the very head that was reviewed, and nothing has come up', true, again],
    ['found something at that head', false, { ...again, outcome: 'findings' }],
    ['left something at that head', false, { ...again, outcome: 'partial' }],
    ['goes on from another head', false, since('e'.repeat(40))],
    ['is clean, and the model does not approve', false, {}],
    ['is skipped', false, { outcome: 'skipped', stop: { reason: 'skipped', why: verbatim('') } }],
  ])('%s: %s', (_, ends, changes) => {
    expect(bearsOutApproval(review(changes))).toBe(ends);
  });
});

describe('what was reviewed', () => {
  const dev = { ...pullRequest.base, ref: 'dev' };
  const moved = (sha: string) => ({ ref: 'main', sha });

  it.each([
    ['may be approved while nothing has changed', pullRequest, null],
    ['may not when its head moved', { ...pullRequest, head: moved('d'.repeat(40)) }, 'The head moved to dddddddddddd'],
    ['may not when its base moved', { ...pullRequest, base: moved('d'.repeat(40)) }, 'The base moved to dddddddddddd'],
    ['may not when its base is another branch', { ...pullRequest, base: dev }, 'The base branch'],
    ['may not when it is closed', { ...pullRequest, state: 'closed' as const }, 'The pull request is now closed'],
    ['may not when it is merged', { ...pullRequest, state: 'merged' as const }, 'The pull request is now merged'],
    ['may not when it became a draft', { ...pullRequest, draft: true }, 'The pull request is now a draft'],
    ['may not when GitHub does not say', null, 'GitHub did not say'],
  ] as const)('%s', (_, now, why) => {
    const reason = whyNotApprove(pullRequest, now);
    expect(reason === null ? null : inEnglish(reason).startsWith(why ?? '?')).toBe(why === null ? null : true);
  });
});

const standing = placed(finding(), 'standing', { reason: { code: 'standing.raised' }, url: null, held: 'thread' });

describe('a job', () => {
  it('with `require-complete: true` fails for what was not reviewed, and says what', () => {
    const left = { code: 'files.one-unreviewed', path: 'a.ts', why: { code: 'label.time' } } as const;
    const stop = { reason: 'incomplete', why: [left], stop: { reason: 'submitted' } } as const;
    const why = 'Not everything was reviewed, and `require-complete` is set.';
    const { verdict } = recordOf({ stop, outcome: 'partial' }, [], { ...openGate, requireComplete: true });
    const said = {
      title: { code: 'failing.incomplete' },
      why,
      message: `${why} No findings in 3 files.`,
    };
    expect(verdict).toEqual({ outcome: 'partial', gate: 'incomplete', approves: false, doneWhen: null, ...said });
  });

  it('says in a few words why it fails', () => {
    const message = 'api.test rejected the API key (401): No.';
    const stop = { reason: 'model-failed', message, hint: '', label: 'API key rejected (401)' } as const;
    const failed = { reason: 'failed', message, hint: '', stop } as const;
    const many = (severity: Finding['severity'], from: number) =>
      [1, 2].map((index): PlacedFinding => placed(finding({ id: `f${from + index}`, severity }), 'inline'));
    const gate = { failOn: 'warning', requireComplete: false } as const;
    const titles = [{ stop: failed }, { findings: [...many('critical', 0), ...many('warning', 2)] }].map((changes) =>
      failureTitle(recordOf(changes, [], gate).verdict, inEnglish),
    );
    expect(titles).toEqual(['Failing: API key rejected (401)', 'Failing: 2 critical, 2 warnings (`fail-on: warning`)']);
  });

  const approving = { ...review({}), event: 'APPROVE', approved: true, action: 'APPROVE' } as const;
  const facts = { ...approving.facts, approval: 'proven' } as const;
  const posting = (delivery: Partial<Delivery>) => destination('pull request review', delivery);
  const taken = posting({ approved: true });
  const moved = 'An earlier approval was dismissed: the head moved.';
  const refusedBy = posting({ status: 'refused', reason: [verbatim('GitHub does not permit writing: no.')] });
  const lost = destination('summary comment', { status: 'failed' });

  it.each<[string, Destination, Destination, boolean, string]>([
    ['stands', taken, destination('approval', { status: 'skipped' }), true, ''],
    ['was dismissed', taken, destination('approval', { reason: [verbatim(moved)] }), false, ` Not approved: ${moved}`],
    [
      'was refused',
      refusedBy,
      lost,
      false,
      ' Not approved: GitHub does not permit writing: no. Not delivered: summary comment.',
    ],
    ['stands, whatever was lost after it', taken, lost, true, ' Not delivered: summary comment.'],
  ])('tells of an approval what became of it: it %s', async (_, first, second, approved, words) => {
    const to = { destinations: [first, second], gate: openGate };
    const { review: told, verdict } = await deliver({ ...approving, facts }, to, () => undefined);
    expect([told.approved, told.action === 'APPROVE']).toEqual([approved, approved]);
    expect(verdict.message).toBe(`${inEnglish.sentences(approving.headline)}${words}`);
    expect(told.withheld === null ? '' : inEnglish(told.withheld)).toBe(
      approved ? '' : words.replace(' Not delivered: summary comment.', '').trim(),
    );
  });

  it('whose review could not be delivered warns, and approves nothing', () => {
    const { gate, approves } = recordOf({}, [deliveryOf('pull request review', { status: 'failed' })]).verdict;
    expect([gate, approves]).toEqual(['warn', false]);
  });

  const cancelled = { outcome: 'partial', stop: { reason: 'cancelled' } } as const;
  const draft = { outcome: 'skipped', stop: { reason: 'skipped', why: verbatim('A draft.') } } as const;
  const open = { ...draft, findings: [standing] };
  const part = { outcome: 'partial', stop: { reason: 'incomplete', why: [], stop: { reason: 'answered' } } } as const;
  const refused = deliveryOf('approval', { status: 'refused', reason: [verbatim('No.')] });

  it.each<[Verdict['gate'], string, Partial<Review>, Partial<Gate>, ...Delivery[]]>([
    ['fine', 'when all is reviewed that must be', {}, { requireComplete: true }],
    ['warn', 'when it was cancelled', cancelled, {}],
    ['incomplete', 'when it was cancelled and all must be reviewed', cancelled, { requireComplete: true }],
    ['incomplete', 'when it skipped what must be reviewed', draft, { requireComplete: true }],
    ['findings', 'when one stands and nothing is reviewed', open, { failOn: 'critical' }],
    ['findings', 'when one stands and a part is reviewed', { ...open, ...part }, { failOn: 'critical' }],
    ['fine', 'when one stands and nothing is reviewed, without `fail-on`', open, {}],
    ['warn', 'when one stands and a part is reviewed, without `fail-on`', { ...open, ...part }, {}],
    ['failed', 'when an approval stands against it', {}, {}, refused],
    ['fine', 'once that is dismissed', {}, {}, { ...refused, status: 'delivered' }],
  ])('is %s %s', (kind, _, changes, gate, ...deliveries) => {
    expect(recordOf(changes, deliveries, { ...openGate, ...gate }).verdict.gate).toBe(kind);
  });
});
