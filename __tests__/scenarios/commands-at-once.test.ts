import { expect, it } from 'vitest';
import { answersTo, ask, openAsked } from './asking.ts';
import { type Cell, expectedOf, openReviewed } from './command-cells.ts';

it('of two runs for one comment, each a process of its own, one answers', async () => {
  const { stage, scenario, github, own } = await openAsked();
  const [below, inThread] = [
    github.people.say({ author: 'grace', body: '/postil ask Why?' }),
    github.people.reply(own, { author: 'grace', body: '/postil explain' }),
  ];
  const started = { ...scenario, start: 'bundle' } as const;
  const runs = await Promise.all([below, below, inThread, inThread].map((id) => ask(stage, started, id)));
  expect(runs.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
  expect([below, inThread].map((id) => answersTo(github, id).map(({ isSigned }) => isSigned))).toEqual([
    [true],
    [true],
  ]);
});

it('ten commands at once, each a process of its own, are answered as promised and once each', async () => {
  const one = { setting: 'write', named: 'nothing', from: 'branch' } as const;
  const cells: readonly Cell[] = [
    { ...one, what: 'ask', who: 'writer', place: 'conversation' },
    { ...one, what: 'help', who: 'allowed bot', place: "person's thread" },
    { ...one, what: 'explain', who: 'writer', place: 'own thread' },
    { ...one, what: 'fix', who: 'admin', place: 'review', named: 'link' },
    { ...one, what: 'recheck', who: 'writer', place: 'conversation', named: 'id' },
    { ...one, what: 'resume', who: 'admin', place: 'own thread' },
    { ...one, what: 'reply', who: 'writer', place: 'own thread' },
    { ...one, what: 'summary', who: 'reader', place: 'conversation' },
    { ...one, what: 'pause', who: 'bot', place: 'conversation' },
    { ...one, what: 'dismiss', who: 'writer', place: 'review', named: 'id' },
  ];
  const { say, run, seenOf, othersOf } = await openReviewed('branch');
  const said = cells.map((cell) => ({ cell, id: say(cell) }));
  const runs = await Promise.all(said.map(({ cell, id }) => run(id, cell, 'bundle')));
  const found = said.map(({ cell, id }, index) => ({ ...cell, ...seenOf(id, runs[index] ?? raise()) }));
  expect(found).toEqual(
    cells.map((cell) => {
      const { asked: _, reruns: __, others: ___, ...expected } = expectedOf(cell);
      return { ...cell, ...expected };
    }),
  );
  expect(othersOf(runs)).toEqual([]);
});

function raise(): never {
  throw new Error('There is a run for each.');
}
