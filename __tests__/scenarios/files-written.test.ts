import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseReviewReport } from '../../src/core/report/json-schema.ts';
import { temporaryFolder } from '../fakes/memory-repository.ts';
import { call, fault, submit } from '../fakes/model-server/script.ts';
import { modelKey } from '../fakes/model-server/start-model.ts';
import type { WorldOptions } from '../fakes/world/create-world.ts';
import { builtFile } from './harness.ts';
import { review, type Scenario, totalWorld, wrongLineFinding } from './review.ts';
import { runCli } from './worlds.ts';

const reading = [call('read_file', { path: 'src/total.ts' }), submit([wrongLineFinding])];

describe('the files of a run', () => {
  it('hold the whole review, each in its form, in folders made for them, and no secret', async () => {
    const folder = join(temporaryFolder(), 'new/folder');
    const paths = {
      'report-file': join(folder, 'report.json'),
      'progress-file': join(folder, 'progress.ndjson'),
      'sarif-file': join(folder, 'postil.sarif'),
    };
    const { github, model, run } = await review({ world: totalWorld, model: reading, inputs: paths, start: 'bundle' });
    const text = (name: keyof typeof paths) => readFileSync(paths[name], 'utf8');
    expect(parseReviewReport(JSON.parse(text('report-file')))).toMatchObject({
      ok: true,
      value: {
        outcome: 'findings',
        files_review: [{ path: 'src/total.ts', lines: '4', side: 'RIGHT', title: wrongLineFinding.title }],
        approval: { approved: false, action: 'REQUEST_CHANGES' },
        raw_free_text: null,
        metrics: { iterations: 2, tool_calls: 3 },
      },
    });
    const events: { type: string; time: string }[] = text('progress-file')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events.filter(({ time }) => Number.isNaN(Date.parse(time)))).toEqual([]);
    const types = ['review-start', 'batches-plan', 'agent-event', 'finding-accept', 'review-end', 'delivery-end'];
    expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(types));
    expect(JSON.parse(text('sarif-file'))).toMatchObject({
      version: '2.1.0',
      runs: [{ results: [{ locations: [{ physicalLocation: { region: { startLine: 4 } } }] }] }],
    });
    const { 'report-file': report, 'sarif-file': sarif } = run.outputs;
    expect([report, sarif]).toEqual([paths['report-file'], paths['sarif-file']]);
    const all = `${text('report-file')}${text('progress-file')}${text('sarif-file')}`;
    expect([all.includes(model.apiKey), all.includes(github.world.token)]).toEqual([false, false]);
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
      'when another is written to the same path',
      { 'report-file': './out.json', 'sarif-file': 'out.json' },
      "'sarif-file' names out.json, the file of 'report-file': one would overwrite the other.",
    ],
  ])('is an error before the review %s', async (_name, inputs, said) => {
    const { github, model, run } = await review({ world: totalWorld, model: reading, inputs });
    expect([run.code, github.comments().length, model.requests.length]).toEqual([1, 0, 0]);
    expect(run.log).toContain(said);
  });

  it('of the runner does not stop the review either', async () => {
    const environment = { GITHUB_STEP_SUMMARY: '', GITHUB_OUTPUT: '' };
    const { github, run } = await review({ world: totalWorld, model: reading, environment, start: 'bundle' });
    expect([run.code, github.comments().length]).toEqual([0, 1]);
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
  it('can be replayed without a model, git or network, and says where it differs when it was changed or cut', async () => {
    const { path, run, text } = await recorded(totalWorld, { start: 'bundle' });
    const replayed = await runCli({ args: ['replay', path], cwd: temporaryFolder(), start: 'bundle' });
    expect([run.outputs['transcript-file'], replayed.code]).toEqual([path, 0]);
    expect(replayed.stdout).toMatch(/The loop reads one past the end\n {2}src\/total\.ts:4/);
    expect(replayed.stderr).toMatch(/attempt 1 failed/);
    const changed = text.replaceAll('reads one past the end', 'reads too far');
    const ended = changed.replace(/"end","outcome":"\w+"/, '"end","outcome":"clean"');
    const cut = `${text.split('\n').slice(0, -3).join('\n')}\n{"type":"call","cal`;
    for (const [other, words] of [
      [ended, /^Differs: The outcome is findings/m],
      [cut, /Differs: The recorded run did not come to its end/],
    ] as const) {
      writeFileSync(path, other);
      const { code, stderr } = await runCli({ args: ['replay', path], cwd: temporaryFolder() });
      expect([code, words.test(stderr)]).toEqual([3, true]);
    }
  });

  it('holds no secret, neither of ours nor of the source: a rule that found one does not find it again', async () => {
    const { path, text, run } = await recorded(withSecret);
    expect(run.masks).toContain('very-secret-value');
    const { stderr } = await runCli({ args: ['replay', path], cwd: temporaryFolder() });
    expect(stderr).toMatch(/^Differs: No longer found: .*src\/key\.ts:1/m);
    expect([modelKey, secret, 'very-secret-value'].filter((one) => text.includes(one))).toEqual([]);
  });
});

it.each([
  ['a file that does not exist', ['/nowhere/x.jsonl'], 'could not be read'],
  ['a file that is something else', [builtFile('package.json')], 'is not a transcript'],
  ['a setting', ['--model', 'x'], "replay does not take '--model'"],
])('a replay of %s says what is wrong', async (_what, args, words) => {
  const { code, stderr } = await runCli({ args: ['replay', ...args], cwd: temporaryFolder() });
  expect([code, stderr.includes(words)]).toEqual([2, true]);
});
