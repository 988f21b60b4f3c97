import { expect, it } from 'vitest';
import { everyPair } from '../fakes/every-pair.ts';
import { modelKey } from '../fakes/model-server/start-model.ts';
import {
  type Cell,
  expectedOf,
  fateOf,
  ofFinding,
  openReviewed,
  type Reviewed,
  type Values,
  values,
} from './command-cells.ts';

const axes = ['what', 'who', 'place', 'setting', 'named', 'from'] as const satisfies readonly (keyof Cell)[];

/** Every pair of values that is answered, every one that is refused, and of what is ignored every one that is neither: the reasons. */
function chosenCells(): readonly Cell[] {
  let rows: readonly (readonly string[])[] = [[]];
  for (const axis of axes) rows = rows.flatMap((row) => values[axis].map((value) => [...row, value]));
  const cells = rows.filter((row) => isPossible(cellOf(row)));
  const of = (fate: ReturnType<typeof fateOf>) => cells.filter((row) => fateOf(cellOf(row)) === fate);
  const [accepted, refused] = [everyPair(of('accepted')), everyPair(of('refused'))];
  return [...accepted, ...refused, ...everyPair(of('ignored'), [...accepted, ...refused])].map(cellOf);
}

function isPossible({ what, who, named, from }: Cell): boolean {
  return (who !== "fork's author" || from === 'fork') && (named === 'nothing' || ofFinding.includes(what));
}

function cellOf(row: readonly string[]): Cell {
  const at = <Name extends keyof Values>(name: Name): Values[Name][number] => {
    const found = values[name].find((value) => value === row[axes.indexOf(name)]);
    if (found === undefined) throw new Error(`No ${name} is called ${row[axes.indexOf(name)]}.`);
    return found;
  };
  return {
    what: at('what'),
    who: at('who'),
    place: at('place'),
    setting: at('setting'),
    named: at('named'),
    from: at('from'),
  };
}

/** One cell, from where the pull request stood after its review. */
async function played({ github, model, say, run, seenOf, othersOf, reset }: Reviewed, cell: Cell) {
  reset();
  const [requests, reruns] = [model.requests.length, github.reruns().length];
  const id = say(cell);
  const done = await run(id, cell);
  const [asked, more] = [model.requests.length > requests, github.reruns().length - reruns];
  return { ...seenOf(id, done), asked, reruns: more, others: othersOf([done]) };
}

it('commands and replies are ignored, refused or answered as promised, whoever wrote them and wherever', async () => {
  const open = { branch: await openReviewed('branch'), fork: await openReviewed('fork') };
  const cells = chosenCells();
  const found: unknown[] = [];
  for (const cell of cells) found.push({ ...cell, ...(await played(open[cell.from], cell)) });
  expect(found).toEqual(cells.map((cell) => ({ ...cell, ...expectedOf(cell) })));
  const sent = JSON.stringify([open.branch.github.requests, open.fork.github.requests]);
  expect(sent).not.toContain(modelKey);
  // A full run plays thousands.
}, 1_800_000);
