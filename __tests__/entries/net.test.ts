import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Journal } from '../../src/adapters/actions/journal.ts';
import { spanNet } from '../../src/net.ts';
import { context, finding } from '../fakes/review-record.ts';
import { temporaryFolder } from '../fakes/temporary-folder.ts';
import { parseCommandFile } from '../scenarios/runner/command-file.ts';

let others: readonly NodeJS.UncaughtExceptionListener[] = [];

beforeEach(() => {
  others = process.listeners('uncaughtException');
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
});

afterEach(() => {
  for (const listener of process.listeners('uncaughtException')) {
    if (!others.includes(listener)) process.removeListener('uncaughtException', listener);
  }
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** A run that found something and goes on for ever, over a net; answers what the net left behind. */
async function catchRun({ cancelled, left }: { readonly cancelled: boolean; readonly left: number }) {
  const folder = temporaryFolder();
  const output = join(folder, 'output');
  const summary = join(folder, 'summary');
  for (const path of [output, summary]) writeFileSync(path, '');
  vi.stubEnv('GITHUB_OUTPUT', output);
  const environment = { GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary };
  const journal = new Journal({ context, environment, token: 'token', startedAt: Date.now() });
  const run = new AbortController();
  const code = new Promise<number>((exit) => {
    const patience = { afterSignal: 10, overtime: 10 };
    spanNet({ journal, signal: run.signal, end: Date.now() + left, redact: context.redact, exit, patience });
  });
  // The timers of a net keep no process alive.
  const alive = setInterval(() => undefined, 5);
  journal.addFinding(finding());
  if (cancelled) run.abort();
  const ended = await code;
  clearInterval(alive);
  const outputs = parseCommandFile(readFileSync(output, 'utf8'));
  return [ended, outputs['outcome'], outputs['stop-reason'], outputs['findings'], readFileSync(summary, 'utf8')];
}

it('delivers what was found by a cancelled run that does not end', async () => {
  const [...values] = await catchRun({ cancelled: true, left: 60_000 });
  expect(values).toEqual([1, 'partial', 'cancelled', '1', expect.stringContaining('The run was cancelled')]);
});

it('delivers what was found by a run that is over its time', async () => {
  const [...values] = await catchRun({ cancelled: false, left: 0 });
  expect(values).toEqual([1, 'failed', 'failed', '1', expect.stringContaining('did not end in its time')]);
});
