import { readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseReviewReport } from '../../src/core/report/json-schema.ts';
import { temporaryFolder } from '../fakes/memory-repository.ts';
import { call, fault, submit } from '../fakes/model-server/script.ts';
import { modelKey } from '../fakes/model-server/start-model.ts';
import type { WorldOptions } from '../fakes/world/create-world.ts';
import { builtFile } from './harness.ts';
import { review, reviewOf, type Scenario, shopWorld, totalWorld, wrongLineFinding } from './review.ts';
import { runCli } from './worlds.ts';

const reading = [call('read_file', { path: 'src/total.ts' }), submit([wrongLineFinding])];

describe('the report file', () => {
  it('holds the whole review as its schema says, and no secret', async () => {
    const file = join(temporaryFolder(), 'new/folder/report.json');
    const { github, model, run } = await review({
      world: totalWorld,
      model: reading,
      inputs: { 'report-file': file },
      start: 'bundle',
    });
    const text = readFileSync(file, 'utf8');
    expect(parseReviewReport(JSON.parse(text))).toMatchObject({
      ok: true,
      value: {
        outcome: 'findings',
        files_review: [{ path: 'src/total.ts', lines: '4', side: 'RIGHT', title: wrongLineFinding.title }],
        approval: { approved: false, action: 'REQUEST_CHANGES' },
        raw_free_text: null,
        metrics: { iterations: 2, tool_calls: 3 },
      },
    });
    expect([text.includes(model.apiKey), text.includes(github.world.token)]).toEqual([false, false]);
    expect(run.outputs['report-file']).toBe(file);
  });

  it('names what was not reviewed, as summary, outputs and progress do', async () => {
    const folder = temporaryFolder();
    const inputs = { 'report-file': join(folder, 'report.json'), 'progress-file': join(folder, 'progress.ndjson') };
    const { run } = await review({
      world: {
        base: { 'src/alpha.ts': 'a\n', 'web/beta.ts': 'b\n' },
        head: { 'src/alpha.ts': 'A\n', 'web/beta.ts': 'B\n' },
      },
      model: {
        batches: [
          {
            when: ({ prompt }) => prompt.includes('## web/beta.ts'),
            answers: () => fault(400, { error: { message: 'No.' } }),
          },
        ],
        answers: [submit([])],
      },
      inputs: { ...inputs, 'files-per-batch': '1' },
    });
    const report = JSON.parse(readFileSync(inputs['report-file'], 'utf8'));
    expect(report.coverage).toMatchObject({ reviewed: ['src/alpha.ts'], unreviewed: [{ path: 'web/beta.ts' }] });
    expect(run.outputs).toMatchObject({ outcome: 'partial', approved: 'false', action: 'COMMENT' });
    expect(run.summary).toContain('web/beta.ts');
    expect(readFileSync(inputs['progress-file'], 'utf8')).toContain('web/beta.ts');
  });
});

describe('the progress file', () => {
  it('holds an event a line, with its time, from the first to the last, and no secret', async () => {
    const file = join(temporaryFolder(), 'progress.ndjson');
    const { github, model } = await review({
      world: totalWorld,
      model: reading,
      inputs: { 'progress-file': file },
      start: 'bundle',
    });
    const text = readFileSync(file, 'utf8');
    const events: { type: string; time: string }[] = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events.every(({ time }) => !Number.isNaN(Date.parse(time)))).toBe(true);
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining([
        'review-start',
        'batches-plan',
        'agent-event',
        'finding-accept',
        'review-end',
        'delivery-end',
      ]),
    );
    expect([text.includes(model.apiKey), text.includes(github.world.token)]).toEqual([false, false]);
  });
});

describe('a file that cannot be written', () => {
  it('costs a warning, and the review is posted anyway', async () => {
    // A full disk, for root too.
    const inputs = { 'report-file': '/dev/full', 'progress-file': '/dev/full' };
    const { github, run } = await review({ world: totalWorld, model: reading, inputs });
    expect([run.code, run.outputs['outcome'], run.outputs['report-file'], github.comments().length]).toEqual([
      0,
      'findings',
      '',
      1,
    ]);
    for (const words of ['The report could not be written', 'The progress could not be written'])
      expect(run.log).toContain(words);
  });

  it.each([
    [
      'when its path can never hold a file',
      { 'report-file': '/dev/null/report.json' },
      "'report-file' names /dev/null/report.json, which cannot be written: /dev/null is not a folder.",
    ],
    [
      'when it is to hand the review to the other job',
      { mode: 'review', 'review-file': '/dev/null/review.json' },
      "'review-file' names /dev/null/review.json, which cannot be written: /dev/null is not a folder.",
    ],
    [
      'when another is written to the same path',
      { 'report-file': './out.json', 'sarif-file': 'out.json' },
      "'sarif-file' names out.json, the file of 'report-file': one would overwrite the other.",
    ],
  ])('is an error before the review %s', async (_name, inputs, said) => {
    const { github, model, run } = await review({ world: totalWorld, model: reading, inputs });
    expect([run.code, github.comments().length, model.requests.length]).toEqual([1, 0, 0]);
    expect(run.log).toContain(said);
  });

  it.each(['GITHUB_STEP_SUMMARY', 'GITHUB_OUTPUT'])(
    'of the runner, as %s, does not stop the review either',
    async (name) => {
      const { github, run } = await review({
        world: totalWorld,
        model: reading,
        environment: { [name]: '' },
        start: 'bundle',
      });
      expect([run.code, github.comments().length]).toEqual([0, 1]);
    },
  );
});

describe('`sarif-file`', () => {
  it('holds the findings for the upload action, and the output names it', async () => {
    const path = join(temporaryFolder(), 'out', 'postil.sarif');
    const { run } = await review({
      world: shopWorld(2),
      model: [reviewOf([0, 1])],
      inputs: { 'sarif-file': path },
      start: 'bundle',
    });
    const { version, runs } = JSON.parse(await readFile(path, 'utf8'));
    const lines = runs[0].results.map(
      (result: { locations: { physicalLocation: { region: { startLine: number } } }[] }) =>
        result.locations[0]?.physicalLocation.region.startLine,
    );
    expect([run.outputs['sarif-file'], version, lines]).toEqual([path, '2.1.0', [3, 7]]);
  });
});

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
    const replayed = await runCli({ args: ['replay', path], cwd: temporaryFolder(), start: 'bundle' });
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

  it('that was changed by hand is reported to differ, and where', async () => {
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
    const replayed = await runCli({ args: ['replay'], cwd: temporaryFolder(), start: 'bundle' });
    expect([replayed.code, replayed.stderr.includes('Differs')]).toEqual([0, false]);
    expect(replayed.stdout).toContain('The abort listener stays on the signal');
    expect(replayed.stderr).toContain('- disproved: The mapper still runs when the signal is aborted already');
  });

  it.each([
    ['that does not exist', '/nowhere/x.jsonl', 'could not be read'],
    ['that is something else', builtFile('package.json'), 'is not a transcript that this version of Postil can replay'],
  ])('of a file %s says so', async (_what, path, words) => {
    const { code, stderr } = await runCli({ args: ['replay', path], cwd: temporaryFolder() });
    expect([code, stderr.includes(words)]).toEqual([2, true]);
  });

  it('takes no settings: those of the recording hold', async () => {
    const { code, stderr } = await runCli({ args: ['replay', '--model', 'x'], cwd: temporaryFolder() });
    expect([code, stderr.includes("replay does not take '--model'")]).toEqual([2, true]);
  });
});
