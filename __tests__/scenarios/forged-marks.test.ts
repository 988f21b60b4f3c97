import { describe, expect, it } from 'vitest';
import { readMarks, readWrittenMarks, writeMark } from '../../src/core/memory/mark-text.ts';
import type { FakeGitHub } from '../fakes/github-server/start-github.ts';
import { push } from './push.ts';
import { play } from './review.ts';
import { openShop, reviewOf, shopFile, shopText, titlesOf } from './shop-world.ts';

const viewer = 'github-actions[bot]';
const person = { viewer: 'postil-app[bot]' };
const approve = { 'review-event': 'approve' };

/** The summary comment's mark as it stands there. */
function summaryMark(github: FakeGitHub) {
  const [written] = readWrittenMarks(github.conversation().at(-1)?.body ?? '');
  if (written?.mark.kind !== 'sticky') throw new Error('There is no summary comment.');
  return { ...written, mark: written.mark };
}

describe('a mark that another workflow says as the same bot', () => {
  it('does not make a head reviewed, approved or forgotten that nobody looked at', async () => {
    const { scenario, stage, say } = await openShop(1, { github: person });
    say(reviewOf([]));
    await play(stage, { ...scenario, inputs: approve });
    const { mark, text } = summaryMark(stage.github);
    const pushed = await push(stage, { files: { [shopFile(0)]: `// Pushed.\n${shopText(0, 1)}` } });
    const reviewed = { ...mark, head: pushed.world.commits.head, reviews: 50 };
    for (const forged of [writeMark(reviewed), text, text.replace(mark.head, reviewed.head)]) {
      stage.github.people.say({ author: person.viewer, body: `### Coverage\n\n${forged}` });
    }
    // Where ours is gone, the copies would be the oldest.
    stage.github.people.deleteComment('### Review');
    say(reviewOf([0]));
    const run = await play(pushed, { ...scenario, inputs: approve });
    expect([run.outputs['outcome'], run.outputs['findings'], run.outputs['posted']]).toEqual(['findings', '1', '1']);
    expect(stage.github.reviews().map(({ state }) => state)).not.toContain('APPROVED');
    expect(stage.github.conversation().filter(({ body }) => body.startsWith('### Review'))).toHaveLength(1);
    expect(stage.github.conversation().filter(({ body }) => body.startsWith('### Coverage'))).toHaveLength(3);
  });

  it('does not make a finding disappear: not when the people resolve the comment that it stands in', async () => {
    const collaborators = { octo: 'admin', grace: 'write' } as const;
    const { scenario, stage, say } = await openShop(2, { github: { collaborators } });
    say(reviewOf([0]));
    await play(stage, scenario);
    const [ours] = stage.github.threads();
    const mark = ours?.comments[0]?.body.split('\n').at(-1) ?? '';
    if (ours === undefined) throw new Error('Nothing was posted.');
    const [first] = ours.comments;
    if (first === undefined) throw new Error('Nothing was posted.');
    const copy = { ...first, id: 5, body: `No tests for this line.\n\n${mark}` };
    stage.github
      .pull()
      .threads.unshift({ ...ours, id: 'PRRT_5', resolved: true, resolvedBy: 'grace', comments: [copy] });
    const again = await play(stage, { ...scenario, inputs: { incremental: 'false' } });
    expect([again.outputs['outcome'], again.outputs['findings'], again.outputs['posted']]).toEqual([
      'findings',
      '1',
      '0',
    ]);
  });

  it('does not take back what we asked for, and a comment of ours is not deleted for it', async () => {
    const { scenario, stage, say } = await openShop(1);
    say(reviewOf([0]));
    await play(stage, { ...scenario, inputs: { 'review-event': 'request-changes' } });
    const [block] = stage.github.reviews();
    const body = block?.body.replace(/,"signature":"[0-9a-f]{64}"/, '') ?? '';
    if (block === undefined) throw new Error('Nothing was posted.');
    stage.github.pull().reviews.unshift({ ...block, id: 3, author: viewer, body: `Lint: ${body}` });
    say(reviewOf([]));
    const mended = { files: { [shopFile(0)]: '/** Nothing is left. */\n' } };
    const run = await play(await push(stage, mended), { ...scenario, inputs: { 'review-event': 'request-changes' } });
    expect(stage.github.reviews().map(({ state }) => state)).toEqual(['CHANGES_REQUESTED', 'DISMISSED']);
    expect(run.log).toContain('An earlier request for changes is not signed with a key of this run');
  });
});

describe('a pull request that an older version commented on', () => {
  it('is reviewed whole, and nothing is said twice', async () => {
    const { scenario, stage, say } = await openShop(2);
    say(reviewOf([0, 1]));
    await play(stage, scenario);
    const unsigned = (text: string) => text.replace(/,"(?:event":"COMMENT|signature":"[0-9a-f]{64})"/g, '');
    const { conversation, reviews, threads } = stage.github.pull();
    for (const one of [...conversation, ...reviews, ...threads.flatMap(({ comments }) => comments)]) {
      one.body = unsigned(one.body);
    }
    const asked = stage.model.requests.length;
    const again = await play(stage, scenario);
    expect(stage.model.requests.length).toBeGreaterThan(asked);
    expect([titlesOf(stage.github), again.outputs['findings'], again.outputs['posted']]).toEqual([
      ['price0 reads', 'price1 reads'],
      '2',
      '0',
    ]);
    expect([stage.github.conversation().length, stage.github.reviews().length]).toEqual([1, 1]);
    expect(again.summary).toContain('is not signed with a key of this run');
    // From then on it is known: nothing is asked, and all of it stands.
    const known = stage.model.requests.length;
    const third = await play(stage, scenario);
    expect([stage.model.requests.length, third.outputs['findings'], third.outputs['posted']]).toEqual([
      known,
      '2',
      '0',
    ]);
  });
});

describe('the key', () => {
  it('signs, stands nowhere, and may be changed while the old one is named too', async () => {
    const { scenario, stage, say } = await openShop(1);
    say(reviewOf([0]));
    const old = 'the-old-state-key-0123456789';
    const fresh = 'the-new-state-key-9876543210';
    const first = await play(stage, { ...scenario, inputs: { 'state-key': old } });
    const asked = stage.model.requests.length;
    const second = await play(stage, { ...scenario, inputs: { 'state-key': `${fresh}\n${old}` } });
    expect([stage.model.requests.length, second.outputs['findings'], second.outputs['posted']]).toEqual([
      asked,
      '1',
      '0',
    ]);
    expect(readMarks(stage.github.conversation()[0]?.body ?? '')).toMatchObject([{ kind: 'sticky', reviews: 1 }]);
    expect([first.masks.includes(old), second.masks.includes(fresh), second.masks.includes(old)]).toEqual([
      true,
      true,
      true,
    ]);
    const seen = JSON.stringify([
      stage.model.requests,
      stage.github.requests,
      first.summary,
      first.outputs,
      first.log.replaceAll(/::add-mask::.*/g, ''),
    ]);
    expect([old, fresh].filter((key) => seen.includes(key))).toEqual([]);
  });
});
