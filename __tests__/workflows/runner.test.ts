import { expect, it } from 'vitest';
import { eventOf } from '../fakes/world/event.ts';
import { type Contexts, evaluate, holds } from './expressions.ts';
import { combinationsOf } from './matrix.ts';
import { openStage } from './run-example.ts';
import { runWorkflow } from './run-workflow.ts';

const said = (expression: string) => `$\{{ ${expression} }}`;

const github: Contexts = { github: { event: { label: { name: 'Review' } } } };

it('an expression keeps its type alone, is text among others, and names only what there is', () => {
  const values = [said('1 == 1'), `a ${said('null')}b ${said('true')}`, said("github.event.label.name == 'review'")];
  expect(evaluate(values, github)).toEqual([true, 'a b true', true]);
  expect(() => evaluate(said('secrets.KEY'), github)).toThrow(/Unrecognized named-value: 'secrets'/);
});

it.each([
  [undefined, ['failure'], false],
  ["github.event.label.name != ''", ['failure'], false],
  ['always()', ['failure'], true],
  [said('!cancelled()'), ['skipped'], true],
  ['failure()', ['failure', 'success'], true],
  [undefined, ['skipped'], false],
] as const)('a condition %s after %j: %s', (condition, before, runs) => {
  expect(holds(condition, github, before)).toBe(runs);
});

it('`include` extends the combinations that it does not contradict, and adds others', () => {
  const matrix = { os: ['a', 'b'], include: [{ os: 'a', more: 1 }, { os: 'c' }] };
  expect(combinationsOf(matrix)).toEqual([{ os: 'a', more: 1 }, { os: 'b' }, { os: 'c' }]);
});

it('an action that nobody plays, and a job without permissions, end the test', async () => {
  const stage = await openStage();
  const run = (permissions: string) =>
    runWorkflow(`on: pull_request\n${permissions}jobs: { one: { steps: [{ uses: a/b@v1 }] } }`, {
      stage,
      event: eventOf(stage.world),
    });
  await expect(run('permissions: {}\n')).rejects.toThrow('The runner does not know the action a/b.');
  await expect(run('')).rejects.toThrow('says nothing about permissions');
});
