import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readOnly } from '../fakes/github-server/world.ts';
import { temporaryFolder } from '../fakes/memory-repository.ts';
import { submit } from '../fakes/model-server/script.ts';
import { changeEvent } from '../fakes/world/event.ts';
import { play, push, type Scenario, type Stage, setStage, totalWorld } from './review.ts';

const line = { paths: ['src/total.ts'], changes: 'It loops by index', checked: 'The bound is one too far' };
const more = { paths: ['src/more.ts'], changes: 'It is new', checked: 'Nothing calls it' };

/** A pull request with this description, and a job that describes what `say` was told last. */
async function openDescribed(body: string, given: Partial<Scenario['world']> = {}) {
  let lines = [line];
  const world = { ...totalWorld, pullRequest: { body }, ...given };
  const scenario: Scenario = { world, model: () => submit([], { walkthrough: lines }), inputs: { describe: 'true' } };
  const stage = await setStage(scenario);
  return {
    stage,
    say: (next: typeof lines) => {
      lines = next;
    },
    runJob: ({ at = stage, ...changes }: Partial<Scenario> & { readonly at?: Stage } = {}) => {
      return play(at, { ...scenario, ...changes, inputs: { describe: 'true', ...changes.inputs } });
    },
    description: () => stage.github.pull().given.body,
    edits: () => stage.github.writes().filter(({ path }) => path.endsWith('/pulls/7')).length,
  };
}

describe('with `describe`', () => {
  it('an empty description gets the walkthrough, once, and the run that the edit starts leaves it', async () => {
    const { stage, runJob, description, edits, say } = await openDescribed('');
    await runJob();
    const first = description();
    say([more]);
    await runJob({ event: changeEvent(stage.world, 'edited'), inputs: { incremental: 'false' } });
    expect([description(), edits()]).toEqual([first, 1]);
    expect(first).toMatchInlineSnapshot(`
      "<!-- postil:walkthrough "Review" -->

      | What changes | What was checked |
      | --- | --- |
      | <sub>\`src/total.ts\`</sub><br>It loops by index | The bound is one too far |

      <sub>Postil keeps this block up to date. Write above or below it.</sub>

      <!-- postil:walkthrough-end -->"
    `);
  });

  it('the job that posts writes what another one reviewed, and sets its labels', async () => {
    const { stage, runJob, description } = await openDescribed('');
    const inputs = {
      labels: 'calm: findings = 0',
      'review-file': join(temporaryFolder(), 'review.json'),
      'state-key': 'a-key-of-both-jobs-0123456789',
    };
    await runJob({ inputs: { ...inputs, mode: 'review' } });
    const before = [description(), stage.github.pull().given.labels];
    const run = await runJob({ model: null, inputs: { ...inputs, mode: 'post' } });
    expect([run.outputs['outcome'], before, stage.github.pull().given.labels]).toEqual(['clean', ['', []], ['calm']]);
    expect(description()).toContain('It loops by index');
  });

  it('words of a person stay, with a line in the log', async () => {
    const { runJob, description, edits } = await openDescribed('Fixes the sum.');
    const run = await runJob();
    expect([run.code, description(), edits()]).toEqual([0, 'Fixes the sum.', 0]);
    expect(run.log).toContain('The description is left as it is: it holds words of a person.');
  });

  it('a push brings the block up to date, and what people wrote around it stays, with their line ends', async () => {
    const { stage, runJob, description, say } = await openDescribed('');
    await runJob();
    const edited = `Mine.\r\n\r\n${description().replaceAll('\n', '\r\n').replace('It loops by index', 'Edited by hand')}\r\nToo. `;
    stage.github.people.change({ body: edited });
    say([more]);
    await runJob({ at: await push(stage, { files: { 'src/more.ts': 'export {};\n' } }) });
    const [before, block, after] = description().split(/(<!-- .*-->)/s);
    expect([before, after]).toEqual(['Mine.\r\n\r\n', '\r\nToo. ']);
    expect([/[^\r]\n/.test(block ?? ''), block?.includes('Edited by hand')]).toEqual([false, false]);
    expect(block).toMatch(/It is new.*It loops by index/s);
  });

  it('damaged marks stay as they are, with a line in the log', async () => {
    const { stage, runJob, description, say } = await openDescribed('');
    await runJob();
    const damaged = description().replace('<!-- postil:walkthrough-end -->', '');
    stage.github.people.change({ body: damaged });
    say([{ ...line, changes: 'It says something else' }]);
    const run = await runJob({ inputs: { incremental: 'false' } });
    expect([run.code, description()]).toEqual([0, damaged]);
    expect(run.log).toContain('the marks around the walkthrough were changed');
  });

  it('a second reviewer leaves the walkthrough of the first', async () => {
    const { runJob, description, edits } = await openDescribed('');
    await runJob();
    const first = description();
    const run = await runJob({ inputs: { name: 'Security' } });
    expect([description(), edits()]).toEqual([first, 1]);
    expect(run.log).toContain('it holds the walkthrough of another reviewer');
  });

  it('the block is not shown to the model, and what stands around it is', async () => {
    const { stage, runJob, description } = await openDescribed('');
    await runJob();
    stage.github.people.change({ body: `Words of Ada.\n\n${description()}` });
    const asked = stage.model.requests.length;
    await runJob({ inputs: { incremental: 'false' } });
    const later = JSON.stringify(stage.model.requests.slice(asked));
    expect([later.includes('Words of Ada.'), later.includes('It loops by index')]).toEqual([true, false]);
  });

  it('the words of a model end no mark, and call nobody', async () => {
    const { runJob, description, say } = await openDescribed('');
    say([{ ...line, changes: '@octo <!-- postil:walkthrough-end --> <img src=x>', checked: 'closes #1 | x' }]);
    await runJob();
    const rest = description().replace(/<!-- postil:walkthrough(?: "Review"|-end) -->/g, '');
    expect(description().split('<!-- postil')).toHaveLength(3);
    expect(rest).not.toMatch(/(?<!`)@octo|<img|(?<!`)#1|<!--/);
  });

  it('the words of a model close no issue and stop no CI as the message of a squash merge, in which code is text', async () => {
    const { runJob, description, say } = await openDescribed('');
    const closing =
      '`Closes #12`, `fixes: o/r#3`, `FIXED  GH-4`, `resolves https://github.com/o/r/issues/9`, closes #5';
    say([{ ...line, changes: `It says ${closing}`, checked: '[skip ci], `[ci skip]`, [no ci], `[skip actions]`' }]);
    await runJob();
    expect(description()).not.toMatch(/(?:close|fix|resolve)\w*:?\s+(?:[\w/]*#|gh-|http)|\[(?:skip|no|ci)/i);
    expect(description()).toContain('`Closes→#12`');
    expect(description()).toContain('closes `#5`');
  });

  it.each([
    ['a dry run', { 'dry-run': 'true' }, {}],
    ['a job that only reviews', { mode: 'review', 'review-file': 'review.json' }, {}],
    ['a run that is skipped', {}, { pullRequest: { body: '', draft: true } }],
    ['a token that only reads', {}, { fork: true, github: { permissions: readOnly } }],
  ])('%s writes nothing, and does not fail', async (_, inputs, world) => {
    const { runJob, description } = await openDescribed('', world);
    const run = await runJob({ inputs });
    expect([run.code, description().includes('postil')]).toEqual([0, false]);
  });
});
