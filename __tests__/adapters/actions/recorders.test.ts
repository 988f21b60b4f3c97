import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { outputsRecorder } from '../../../src/adapters/actions/outputs-recorder.ts';
import { summaryRecorder } from '../../../src/adapters/actions/summary-recorder.ts';
import { context, recordOf } from '../../fakes/review-record.ts';
import { temporaryFolder } from '../../fakes/temporary-folder.ts';

const folder = temporaryFolder();
afterEach(() => {
  vi.unstubAllEnvs();
});

describe('the job summary', () => {
  it('is added to what the step wrote before', async () => {
    const path = join(folder, 'summary.md');
    writeFileSync(path, 'before\n');
    const delivery = await summaryRecorder(context, { GITHUB_STEP_SUMMARY: path }).record(recordOf());
    expect([delivery.status, readFileSync(path, 'utf8').split('\n').slice(0, 2)]).toEqual([
      'delivered',
      ['before', '## Postil · No findings in 3 files'],
    ]);
  });

  it.each([
    ['has no file', {}, /^GITHUB_STEP_SUMMARY is not set\.$/],
    ['cannot be written', { GITHUB_STEP_SUMMARY: folder }, /^The summary could not be written\. EISDIR/],
  ])('fails with a reason when it %s', async (_name, environment, reason) => {
    const delivery = await summaryRecorder(context, environment).record(recordOf());
    expect([delivery.status, reason.test(delivery.reason ?? '')]).toEqual(['failed', true]);
  });
});

describe('the outputs', () => {
  it('are data, whatever the model wrote into them', async () => {
    const path = join(folder, 'output');
    writeFileSync(path, '');
    vi.stubEnv('GITHUB_OUTPUT', path);
    const record = recordOf({ rationale: 'fine\nEOF\noutcome=failed\nx<<EOF' });
    const delivery = await outputsRecorder(context).record(record);
    const outputs = parsedAsTheRunnerDoes(readFileSync(path, 'utf8'));
    expect([delivery.status, outputs.get('outcome'), outputs.get('rationale'), outputs.size]).toEqual([
      'delivered',
      'clean',
      'fine EOF outcome=failed x<<EOF',
      20,
    ]);
  });

  it.each([
    ['have no file', '', 'GITHUB_OUTPUT is not set.'],
    ['cannot be written', join(folder, 'none', 'output'), 'The outputs could not be written. Missing file at path'],
  ])('fail with a reason when they %s', async (_name, path, reason) => {
    vi.stubEnv('GITHUB_OUTPUT', path);
    const delivery = await outputsRecorder(context).record(recordOf());
    expect([delivery.status, delivery.reason?.startsWith(reason)]).toEqual(['failed', true]);
  });
});

function parsedAsTheRunnerDoes(file: string): ReadonlyMap<string, string> {
  const outputs = new Map<string, string>();
  const lines = file.split('\n');
  for (let at = 0; at < lines.length; at++) {
    const [, name, delimiter] = /^([^=<]+)<<(.+)$/.exec(lines[at] ?? '') ?? [];
    if (name === undefined || delimiter === undefined) continue;
    const end = lines.indexOf(delimiter, at + 1);
    outputs.set(name, lines.slice(at + 1, end).join('\n'));
    at = end;
  }
  return outputs;
}
