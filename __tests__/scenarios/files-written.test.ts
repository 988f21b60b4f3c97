import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseReviewReport } from '../../src/core/report/report-schema.ts';
import { call, fault, submit } from '../fakes/model-server/script.ts';
import { temporaryFolder } from '../fakes/temporary-folder.ts';
import { review } from './review.ts';
import { totalWorld, wrongLineFinding } from './total-world.ts';

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
        bundles: [
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
        'bundles-plan',
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
  it('costs a warning, and the review is posted all the same', async () => {
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
