import { describe, expect, it } from 'vitest';
import { stateIn } from '../fakes/earlier-rounds.ts';
import type { FakeGitHub } from '../fakes/github-server/start-github.ts';
import type { ActionRun } from './harness.ts';
import { openShop, play, push, reviewOf, type Stage, shopFile, shopText, titlesOf } from './review.ts';

const key = 'a-key-of-the-tests-0123456789';
// Whatever is found here is milder: it fails for what nobody knows.
const gate = { 'fail-on': 'critical', 'state-key': key };
const said = ({ code, outputs }: ActionRun) => [code, outputs['findings'], outputs['posted']];

function summaryOf(github: FakeGitHub) {
  const [comment] = github.pull().conversation;
  if (comment === undefined) throw new Error('There is no summary comment.');
  return comment;
}

/** A pull request of two rounds, each of which posted a finding. */
async function twoRounds() {
  const { stage, scenario, say } = await openShop(1, { github: { collaborators: { grace: 'write' } } });
  let at: Stage = stage;
  let runs = 4711;
  const run = (inputs: Record<string, string> = {}) => {
    runs += 1;
    return play(at, { ...scenario, inputs: { ...gate, ...inputs }, environment: { GITHUB_RUN_ID: String(runs) } });
  };
  const pushed = async (text: string) => {
    at = await push(at, { files: { [shopFile(0)]: text } });
  };
  say(reviewOf([0]));
  await run();
  const first = summaryOf(stage.github).body;
  await pushed(shopText(0, 2));
  say(reviewOf([0, 1]));
  await run();
  return { stage, say, run, pushed, first, github: stage.github };
}

const losses: Record<string, (github: FakeGitHub, first: string) => unknown> = {
  'that somebody deleted': (github) => github.people.deleteComment('### Postil'),
  'that somebody restored from its history': (github, body) =>
    github.people.rewrite(summaryOf(github).id, { body, by: 'grace' }),
  'that another app edited': (github) => {
    const { id, body } = summaryOf(github);
    github.people.rewrite(id, { body: body.replace(/"number":\d+/, '"number":9'), by: 'an-app[bot]' });
  },
  'of which somebody cut the mark off': (github) => {
    const { id, body } = summaryOf(github);
    github.people.rewrite(id, { body: body.replace(/<!-- postil[\s\S]*/, ''), by: 'grace' });
  },
};

describe('a summary comment', () => {
  it.each(Object.entries(losses))(
    '%s fails the gate once, is followed by a full review that posts nothing twice, and then all is as before',
    async (_, lose) => {
      const { stage, say, run, first, github } = await twoRounds();
      lose(github, first);
      // What an earlier round found stands, whether it is found again or not.
      say(reviewOf([1]));
      const asked = stage.model.requests.length;
      const runs = [await run(), await run()];
      expect(runs.map(said)).toEqual([
        [1, '2', '0'],
        [0, '2', '0'],
      ]);
      expect(runs.map(({ outputs }) => outputs['outcome'])).toEqual(['partial', 'findings']);
      const prompt = JSON.stringify(stage.model.requests[asked]?.messages);
      expect([prompt.includes('?? 0;'), prompt.includes('?? 1;')]).toEqual([true, true]);
      expect(titlesOf(github)).toEqual(['price0 reads', 'price1 reads']);
      const states = github.conversation().flatMap(({ body }) => stateIn(body) ?? []);
      expect(states.map(({ findings }) => findings.length)).toEqual([2]);
    },
  );
});

it('another key believes nothing, posts nothing twice, and is believed by the next run that has it', async () => {
  const { run, pushed, say, github } = await twoRounds();
  const other = { 'state-key': 'another-key-of-the-tests-98765' };
  const runs = [await run(other), await run(other), await run(other)];
  await pushed(`${shopText(0, 2)}// More.\n`);
  say(reviewOf([]));
  runs.push(await run(other));
  expect(runs.map(said)).toEqual([
    [1, '2', '0'],
    [0, '2', '0'],
    [0, '2', '0'],
    [0, '2', '0'],
  ]);
  expect(titlesOf(github)).toEqual(['price0 reads', 'price1 reads']);
});

it('a run without a key leaves what is known alone, and is not believed by the next one', async () => {
  const { run, say, github } = await twoRounds();
  const { body } = summaryOf(github);
  say(reviewOf([0, 1]));
  const without = await run({ 'state-key': '', 'api-key': '' });
  const kept = summaryOf(github).body;
  const after = await run();
  expect([said(without), said(after), after.outputs['outcome'], titlesOf(github)]).toEqual([
    [0, '0', '0'],
    [0, '2', '0'],
    'findings',
    ['price0 reads', 'price1 reads'],
  ]);
  expect([kept === body, stateIn(summaryOf(github).body)?.number]).toEqual([true, 3]);
});

it('what somebody copies of ours, by another name or as the same bot, changes nothing', async () => {
  const { run, first, github } = await twoRounds();
  const [one, two] = github.threads();
  const [posted] = one?.comments ?? [];
  if (two === undefined || posted === undefined) throw new Error('Nothing was posted.');
  const { body } = summaryOf(github);
  const [mark = ''] = /<!-- postil:v2 .*/.exec(body) ?? [];
  for (const author of ['eve', github.world.viewer]) {
    for (const copy of [body, first, `### Coverage\n\n${mark}`]) github.people.say({ author, body: copy });
    const copied = { ...posted, author, id: 9_000 + github.threads().length };
    github.pull().threads.push({ ...two, id: `copied by ${author}`, comments: [copied] });
  }
  const comments = github.threads().length;
  const again = await run();
  expect([said(again), again.outputs['outcome'], github.threads().length - comments]).toEqual([
    [0, '2', '0'],
    'findings',
    0,
  ]);
  expect(stateIn(summaryOf(github).body)?.number).toBe(3);
});
