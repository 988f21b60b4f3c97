import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { call, fault, submit } from '../fakes/model-server/script.ts';
import { modelKey } from '../fakes/model-server/start-model.ts';
import { temporaryFolder } from '../fakes/temporary-folder.ts';
import type { WorldOptions } from '../fakes/world/create-world.ts';
import { builtFile } from './harness.ts';
import { review, type Scenario } from './review.ts';
import { runCli } from './run-cli.ts';
import { totalWorld, wrongLineFinding } from './total-world.ts';

const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
const withSecret = {
  base: totalWorld.base,
  head: { ...totalWorld.head, 'src/key.ts': `const token = '${secret}';\nexport const n = 1;\n` },
};
const read = call('read_file_lines', { path: 'src/total.ts', start_line: 1, end_line: 9 });

async function recorded(world: WorldOptions = totalWorld, how: Pick<Scenario, 'start'> = {}) {
  const path = join(temporaryFolder(), 'deep', 'review.jsonl');
  const { run } = await review({
    ...how,
    world,
    model: {
      answers: [fault(503, 'busy', { 'retry-after': '1' }), read, submit([wrongLineFinding])],
      verification: [call('submit_verification', { confirmed: [1], dismissed: [], adjusted: [] })],
    },
    inputs: { 'transcript-file': path, 'extra-headers': 'X-Secret: very-secret-value', exclude: 'none' },
  });
  return { path, run, text: readFileSync(path, 'utf8') };
}

describe('a run that is recorded', () => {
  it('can be replayed without a model, git or network, and comes to the same', async () => {
    const { path, run } = await recorded(totalWorld, { start: 'bundle' });
    const replayed = await runCli({ args: ['replay', path], cwd: temporaryFolder() });
    expect([run.outputs['transcript-file'], replayed.code]).toEqual([path, 0]);
    expect(replayed.stdout).toContain('src/total.ts:4  critical  The loop reads one past the end');
    expect(replayed.stderr).toMatch(/attempt 1 failed, the next follows in 1 s/);
  });

  it('holds no secret, neither of ours nor of the source: a rule that found one does not find it again', async () => {
    const { path, text, run } = await recorded(withSecret);
    expect(run.masks).toContain('very-secret-value');
    const { stderr } = await runCli({ args: ['replay', path], cwd: temporaryFolder() });
    expect(stderr).toMatch(/^Differs: No longer found: .*src\/key\.ts:1/m);
    expect([modelKey, secret, 'very-secret-value'].filter((one) => text.includes(one))).toEqual([]);
  });

  it('that was changed by hand is told to differ, and where', async () => {
    const { path, text } = await recorded();
    writeFileSync(
      path,
      text
        .replaceAll('reads one past the end', 'reads too far')
        .replace(/"end","outcome":"\w+"/, '"end","outcome":"clean"'),
    );
    const replayed = await runCli({ args: ['replay', path], cwd: temporaryFolder() });
    expect(replayed.code).toBe(3);
    expect(replayed.stderr).toMatch(/^Differs: The outcome is findings; it was clean\.$/m);
  });

  it('and was killed in the middle of a line can be replayed as far as it came', async () => {
    const { path, text } = await recorded();
    const lines = text.split('\n');
    writeFileSync(path, `${lines.slice(0, -3).join('\n')}\n{"type":"call","cal`);
    const replayed = await runCli({ args: ['replay', path], cwd: temporaryFolder() });
    expect([replayed.code, replayed.stderr.includes('Differs: The recorded run did not come to its end.')]).toEqual([
      3,
      true,
    ]);
  });
});

describe('replay', () => {
  it('without a file plays the demonstration', async () => {
    const replayed = await runCli({ args: ['replay'], cwd: temporaryFolder() });
    expect([replayed.code, replayed.stderr.includes('Differs')]).toEqual([0, false]);
    expect(replayed.stdout).toContain('The abort listener stays on the signal');
    expect(replayed.stderr).toContain('- disproved: The mapper still runs when the signal is aborted already');
  });

  it.each([
    ['that does not exist', '/nowhere/x.jsonl', 'could not be read'],
    ['that is something else', builtFile('package.json'), 'is no transcript that this Postil can replay'],
  ])('of a file %s says so', async (_what, path, words) => {
    const { code, stderr } = await runCli({ args: ['replay', path], cwd: temporaryFolder() });
    expect([code, stderr.includes(words)]).toEqual([2, true]);
  });

  it('takes no settings: those of the recording hold', async () => {
    const { code, stderr } = await runCli({ args: ['replay', '--model', 'x'], cwd: temporaryFolder() });
    expect([code, stderr.includes("'--model' means nothing to replay")]).toEqual([2, true]);
  });
});
