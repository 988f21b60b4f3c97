import { describe, expect, it } from 'vitest';
import { readDiscussion } from '../../../src/adapters/github/discussion.ts';
import { findSticky } from '../../../src/adapters/github/sticky.ts';
import { readMarks } from '../../../src/core/history/mark.ts';
import { verbatim } from '../../../src/core/messages/message.ts';
import { emptyReview } from '../../../src/core/review/empty-review.ts';
import { readOnly } from '../../fakes/github-server/world.ts';
import { printed } from '../../fakes/printed.ts';
import { recordOf } from '../../fakes/review-record.ts';
import { bodies, recordAt, runOn, type StickyDesk, said, stickyDesk, writesOf } from './desks.ts';
import { head, type StrictGitHub } from './scripted-github.ts';

const creating = { method: 'POST', path: /\/issues\/7\/comments$/ };
const updating = { method: 'PATCH', path: /\/issues\/comments\/\d+$/ };

const deleteIt = ({ fake }: StrictGitHub) => fake.people.deleteComment('Same.');

describe('the summary comment', () => {
  it('is created by the first run and updated in place by the next', async () => {
    const desk = await stickyDesk();
    const first = await runOn(desk, { run: '1-1', words: 'First.' });
    const second = await runOn(desk, { run: '2-1', words: 'Second.' });
    expect([first.status, second.status, second.url === first.url]).toEqual(['delivered', 'delivered', true]);
    expect([bodies(desk), writesOf(desk)]).toEqual([['Second.'], ['POST 201', 'PATCH 200']]);
  });

  it.each([
    ['not sent again when it says the same', () => undefined, ['POST 201']],
    ['created again when somebody deletes it meanwhile', deleteIt, ['POST 201', 'POST 201']],
  ])('is %s', async (_, meanwhile, writes) => {
    const desk = await stickyDesk();
    await runOn(desk, { run: '1-1', words: 'Same.' });
    const again = await runOn(desk, { run: '1-1', words: 'Same.' }, () => meanwhile(desk));
    expect([again.status, bodies(desk), writesOf(desk)]).toEqual(['delivered', ['Same.'], writes]);
  });

  it('is left alone by a run that looked at nothing', async () => {
    const desk = await stickyDesk();
    const delivery = await desk.comment({ run: '1-1', body: null }).deliver(recordAt(head));
    expect([delivery.status, printed(delivery).reason, desk.fake.writes()]).toEqual(['skipped', null, []]);
  });

  it('is left alone after the run was cancelled', async () => {
    const run = new AbortController();
    const desk = await stickyDesk({ signal: run.signal });
    run.abort();
    expect([(await runOn(desk, { run: '1-1', words: 'Late.' })).status, desk.fake.writes()]).toEqual(['skipped', []]);
  });

  it('says so when the token may not write', async () => {
    const desk = await stickyDesk({ permissions: readOnly });
    const delivery = await runOn(desk, { run: '1-1', words: 'First.' });
    expect([delivery.status, printed(delivery).reason]).toEqual([
      'refused',
      'GitHub does not permit writing: Resource not accessible by integration. Grant `pull-requests: write`.',
    ]);
  });

  it('never grows beyond what GitHub takes, and keeps its mark', async () => {
    const desk = await stickyDesk();
    const delivery = await runOn(desk, { run: '1-1', words: 'x'.repeat(70_000) });
    const [comment] = desk.fake.conversation();
    expect([delivery.status, comment?.body.length]).toEqual(['delivered', 65_536]);
    expect(readMarks(comment?.body ?? '')).toMatchObject([{ kind: 'state', run: '1-1', head }]);
  });
});

describe('a summary comment that is signed', () => {
  const signed = (comment: number | null) => said({ run: '1-1', words: `For ${comment}.` });

  it('is signed for its number as soon as it has one', async () => {
    const desk = await stickyDesk();
    const delivery = await desk.comment({ run: '1-1', body: signed }).deliver(recordAt(head));
    const [comment] = desk.fake.conversation();
    expect([delivery.status, printed(delivery).reason, bodies(desk), writesOf(desk)]).toEqual([
      'delivered',
      null,
      [`For ${comment?.id}.`],
      ['POST 201', 'PATCH 200'],
    ]);
  });

  it('was not delivered where it cannot be signed, and says what that means', async () => {
    const desk = await stickyDesk({ faults: [{ match: updating, times: 9, before: 'status 403' }] });
    const delivery = await desk.comment({ run: '1-1', body: signed }).deliver(recordAt(head));
    expect([delivery.status, bodies(desk)]).toEqual(['failed', ['For null.']]);
    expect(printed(delivery).reason).toMatch(
      /^It could not be signed \(.*\), so the next run does not know what it says: run it again\.$/,
    );
  });

  it('is not the comment of another tool that repeats our mark', async () => {
    const desk = await stickyDesk();
    const mark = said({ run: '1-1', words: '' }).split('\n').at(-1);
    for (const body of [`### Coverage · 85 %\n\n${mark}`, `### Postil · of docs\n\n${mark}\n\nThat was the title.`]) {
      desk.fake.people.say({ author: 'github-actions[bot]', body });
    }
    await runOn(desk, { run: '2-1', words: 'Ours.' });
    expect([bodies(desk).length, writesOf(desk)]).toEqual([3, ['POST 201']]);
  });
});

describe('after a run that reviewed nothing', () => {
  const newer = 'd'.repeat(40);
  const refused = emptyReview(
    { reason: 'failed', message: "The model's server refused the key @ada (401).", hint: 'Set `api-key`.' },
    { pullRequest: null, milliseconds: 1, earlier: 'unknown' },
  );
  const draft = emptyReview(
    { reason: 'skipped', why: verbatim('A draft.') },
    { pullRequest: null, milliseconds: 1, earlier: 'unknown' },
  );
  const cancelled = emptyReview({ reason: 'cancelled' }, { pullRequest: null, milliseconds: 1, earlier: 'unknown' });
  /** A run on the newer head, or on the one that was reviewed. */
  const failing = async (desk: StickyDesk, { run = '2-1', of = refused, at = newer, name = 'Review' } = {}) => {
    const existing = findSticky((await readDiscussion(desk.github, desk.reference)).conversation, name);
    return await desk.comment({ run, name, body: null, existing, at }).deliver({ ...recordOf(), review: of });
  };
  const reviewed = async (options?: Parameters<typeof stickyDesk>[0]) => {
    const desk = await stickyDesk(options);
    await runOn(desk, { run: '1-1', words: 'No findings.' });
    return desk;
  };
  const short = head.slice(0, 7);
  const commit = `[\`${short}\`](https://github.com/acme/shop/commit/${head})`;
  const key = "The model's server refused the key `@ada` (401). Set `api-key`.";

  it.each([
    ['failed', refused, key],
    ['was skipped', draft, 'A draft.'],
    ['was cancelled', cancelled, 'The run was cancelled.'],
  ])('the old state stays, mark included, under the reason: it %s', async (_, of, why) => {
    const desk = await reviewed();
    const before = desk.fake.conversation()[0]?.body ?? '';
    const { status } = await failing(desk, { of });
    expect([status, desk.fake.conversation().map(({ body }) => body)]).toEqual([
      'delivered',
      [`<!-- postil:not-reviewed -->\n> [!WARNING]\n> **Not reviewed since ${commit}:** ${why}\n\n${before}`],
    ]);
  });

  it('a second one replaces the line, and the next review takes it away', async () => {
    const desk = await reviewed();
    await failing(desk, { run: '2-1' });
    await failing(desk, { run: '3-1', of: draft });
    const twice = desk.fake.conversation()[0]?.body.match(/Not reviewed since.*/g);
    await runOn(desk, { run: '4-1', words: 'One finding.' });
    expect([twice, bodies(desk)]).toEqual([[`Not reviewed since ${commit}:** A draft.`], ['One finding.']]);
  });

  it.each([
    ['that speaks for this very head, where nothing failed', { of: draft, at: head }],
    ['of a later run', { run: '0-1' }],
    ['of another reviewer', { name: 'Other' }],
  ])('leaves alone a comment %s', async (_, run) => {
    const desk = await reviewed();
    const { status } = await failing(desk, run);
    expect([status, bodies(desk)]).toEqual(['skipped', ['No findings.']]);
  });

  it('leaves alone what somebody else wrote as if it were ours, and creates nothing', async () => {
    const desk = await stickyDesk();
    const body = said({ run: '1-1', words: 'Approved.' });
    desk.fake.people.say({ author: 'eve', body });
    const { status } = await failing(desk);
    expect([status, desk.fake.conversation().map((comment) => comment.body)]).toEqual(['skipped', [body]]);
  });

  it('writes in the last seconds of a cancelled run', async () => {
    const run = new AbortController();
    const desk = await reviewed({ signal: run.signal });
    const existing = findSticky((await readDiscussion(desk.github, desk.reference)).conversation, 'Review');
    run.abort();
    const recorder = desk.comment({ run: '2-1', body: said({ run: '2-1', words: 'Late.' }), existing, at: newer });
    const { status } = await recorder.deliver(recordAt(newer));
    const [comment] = desk.fake.conversation();
    expect([status, comment?.body.includes(':** The run was cancelled.')]).toEqual(['delivered', true]);
  });
});

describe('a lost answer', () => {
  it.each(['status 502', 'reset'] as const)('(%s) to its creation does not make a second one', async (after) => {
    const desk = await stickyDesk({ faults: [{ match: creating, times: 1, after }] });
    const delivery = await runOn(desk, { run: '1-1', words: 'First.' });
    expect([delivery.status, bodies(desk)]).toEqual(['delivered', ['First.']]);
  });

  it('to a creation that did not happen is followed by another', async () => {
    const desk = await stickyDesk({ faults: [{ match: creating, times: 1, before: 'status 502' }] });
    await runOn(desk, { run: '1-1', words: 'First.' });
    expect([bodies(desk), writesOf(desk)]).toEqual([['First.'], ['POST 502', 'POST 201']]);
  });

  it('to an update is followed by the same update', async () => {
    const desk = await stickyDesk({ faults: [{ match: updating, times: 1, before: 'status 502' }] });
    await runOn(desk, { run: '1-1', words: 'First.' });
    await runOn(desk, { run: '2-1', words: 'Second.' });
    expect(bodies(desk)).toEqual(['Second.']);
  });
});

describe('two runs that overlap', () => {
  const other = { run: '2-1', words: 'Theirs.' };

  it('and both create one leave the oldest, with the words of the later run', async () => {
    const desk = await stickyDesk();
    const ours = desk.comment({ run: '3-1', body: said({ run: '3-1', words: 'Ours.' }) });
    await runOn(desk, other);
    const delivery = await ours.deliver(recordAt(head));
    expect([delivery.status, bodies(desk), writesOf(desk)]).toEqual([
      'delivered',
      ['Ours.'],
      ['POST 201', 'POST 201', 'PATCH 200', 'DELETE 204'],
    ]);
  });

  it('leave the words of the later run, whichever ends first', async () => {
    const desk = await stickyDesk();
    const ours = desk.comment({ run: '1-1', body: said({ run: '1-1', words: 'Ours.' }) });
    await runOn(desk, other);
    const delivery = await ours.deliver(recordAt(head));
    expect([delivery.status, bodies(desk)]).toEqual(['skipped', ['Theirs.']]);
  });

  it('do not take back what was written for a newer head', async () => {
    const desk = await stickyDesk();
    await runOn(desk, { run: '1-1', words: 'Before.' });
    const newer = 'd'.repeat(40);
    const write = () => runOn(desk, { ...other, head: newer });
    const delivery = await runOn({ ...desk, currentHead: async () => newer }, { run: '3-1', words: 'Ours.' }, write);
    expect([delivery.status, printed(delivery).reason, bodies(desk)]).toEqual([
      'skipped',
      'Another run has updated it meanwhile, and this one is no longer the latest.',
      ['Theirs.'],
    ]);
  });

  it('leave what both know within what GitHub takes, mark included', async () => {
    const desk = await stickyDesk();
    const renderJoined = (_: unknown, present: string) => present.replace('Theirs.', 'x'.repeat(70_000));
    const ours = desk.comment({ run: '1-1', body: said({ run: '1-1', words: 'Ours.' }), renderJoined });
    await runOn(desk, other);
    await ours.deliver(recordAt(head));
    const [{ body = '' } = {}] = desk.fake.conversation();
    expect([body.length, readMarks(body)]).toMatchObject([65_536, [{ kind: 'state', run: '2-1' }]]);
  });

  it('do not touch the comment of another reviewer', async () => {
    const desk = await stickyDesk();
    await runOn(desk, { ...other, name: 'Other' });
    await runOn(desk, { run: '3-1', words: 'Ours.' });
    expect(bodies(desk)).toEqual(['Theirs.', 'Ours.']);
  });
});
