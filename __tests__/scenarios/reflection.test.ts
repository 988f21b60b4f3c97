import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { at } from '../fakes/json.ts';
import { call, submit } from '../fakes/model-server/script.ts';
import { temporaryFolder } from '../fakes/temporary-folder.ts';
import { review } from './review.ts';
import { totalWorld, wrongLineFinding } from './total-world.ts';

it('a reflection comes after delivery and is in the log and the report', async () => {
  const file = join(temporaryFolder(), 'report.json');
  const scores = { confidence: 0.8, quality: 0.9, issues: ['The callers were not read.'] };
  const { github, run, model } = await review({
    world: totalWorld,
    model: [submit([wrongLineFinding]), call('submit_reflection', scores)],
    inputs: { reflect: 'true', 'report-file': file },
  });
  const report: unknown = JSON.parse(readFileSync(file, 'utf8'));
  expect([at(report, 'reflection'), at(report, 'metrics', 'phases', 'reflection', 'model_calls')]).toEqual([scores, 1]);
  expect(run.log).toContain('Reflection: confidence 0.80, quality 0.90. The callers were not read.');
  expect(run.log.indexOf('pull request review: delivered')).toBeLessThan(run.log.indexOf('Reflection:'));
  expect([github.comments().length, model.complaints]).toEqual([1, []]);
});

it('a reflection that cannot be made costs the review nothing', async () => {
  const { run } = await review({
    world: totalWorld,
    model: (_request, turn) =>
      turn === 0
        ? submit([wrongLineFinding])
        : { kind: 'fault', status: 400, body: { error: { message: 'No.' } }, headers: {} },
    inputs: { reflect: 'true' },
  });
  expect([run.code, run.outputs['outcome'], run.log.includes('Reflection:')]).toEqual([0, 'findings', false]);
});
