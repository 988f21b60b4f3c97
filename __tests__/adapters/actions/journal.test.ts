import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { deliverRest, Journal, journalOf, readJournal } from '../../../src/adapters/actions/journal.ts';
import type { Sink } from '../../../src/core/review/sink.ts';
import { temporaryFolder } from '../../fakes/memory-repository.ts';
import { context, finding, recordOf, review } from '../../fakes/review-record.ts';
import { parseCommandFile } from '../../scenarios/runner/start.ts';

function setUp(now: () => number = () => 5_000) {
  const folder = temporaryFolder();
  const at = (name: string) => join(folder, name);
  const files = { GITHUB_STATE: at('state'), GITHUB_OUTPUT: at('output'), GITHUB_STEP_SUMMARY: at('summary') };
  const environment = { RUNNER_TEMP: folder, ...files };
  for (const [name, path] of Object.entries(environment)) vi.stubEnv(name, path);
  for (const path of Object.values(files)) writeFileSync(path, '');
  const journal = new Journal({ context, environment, token: 'token', startedAt: 1_000, now });
  const read = (name: string) => readFileSync(at(name), 'utf8');
  // What the runner makes of the state file, for the post step.
  const path = journalOf({ STATE_journal: parseCommandFile(read('state'))['journal'] }) ?? '';
  const delivered = () => ({ outputs: parseCommandFile(read('output')), summary: read('summary') });
  return { journal, folder, path, environment, delivered, onDisk: () => readJournal(path, 'token') };
}

afterEach(() => {
  vi.unstubAllEnvs();
});

const done = { sink: 'any', status: 'delivered', reason: null, delivered: [], url: null } as const;
const check = { id: 7, end: { conclusion: 'failure', title: 'Two', summary: 'Text' } } as const;

describe('the journal', () => {
  it('says from the beginning that the step was ended, with outputs that are a failure', () => {
    const { onDisk } = setUp();
    expect(onDisk()?.summary).toMatch(/^## Postil · Review failed: The step ended early/);
    expect(onDisk()?.outputs).toMatchObject({ outcome: 'failed', findings: '0', approved: 'false' });
  });

  it('holds what was found until now, redacted', () => {
    const { journal, onDisk } = setUp();
    journal.addFinding(finding({ title: 'It prints hunter2hunter2' }));
    journal.end({ reason: 'cancelled' });
    expect(onDisk()?.outputs).toMatchObject({ outcome: 'partial', findings: '1', 'stop-reason': 'cancelled' });
    expect(onDisk()?.summary).toContain('It prints');
    expect(JSON.stringify(onDisk())).not.toContain('hunter2hunter2');
  });

  it('is not written for every finding of many', () => {
    let now = 1_000;
    const { journal, onDisk } = setUp(() => now);
    for (const id of ['f1', 'f2', 'f3']) journal.addFinding(finding({ id }));
    const before = onDisk()?.outputs?.['findings'];
    now += 1_000;
    journal.addFinding(finding({ id: 'f4' }));
    expect([before, onDisk()?.outputs?.['findings']]).toEqual(['0', '4']);
  });

  it('holds the whole review before it is delivered anywhere', async () => {
    const { journal, onDisk } = setUp();
    const placements = [{ finding: finding(), place: 'inline' } as const];
    let seen: unknown = null;
    const sink: Sink = {
      name: 'slow',
      deliver: async () => {
        seen = onDisk()?.outputs;
        return done;
      },
    };
    await journal.before([sink])[0]?.deliver(review({ outcome: 'findings', placements }));
    expect(seen).toMatchObject({ outcome: 'findings', critical: '1', posted: '0' });
  });

  it('has nothing left once the step has written, and delivers what it has not', async () => {
    const { journal, onDisk, environment, delivered } = setUp();
    const recorder = { name: 'job summary', record: async () => done };
    await journal.noting('summary', recorder).record(recordOf());
    const left = onDisk();
    expect([left?.summary, left?.outputs?.['outcome']]).toEqual([null, 'failed']);
    if (left !== null) deliverRest(left, environment);
    expect([delivered().summary, delivered().outputs['outcome']]).toEqual(['', 'failed']);
    await journal.noting('outputs', recorder).record(recordOf());
    expect(onDisk()).toMatchObject({ summary: null, outputs: null });
  });

  it('is delivered once, be it asked twice', () => {
    const { journal, delivered } = setUp();
    journal.deliverRest();
    journal.deliverRest();
    expect(delivered().summary.match(/^## /gm)).toHaveLength(1);
  });

  it('knows the check that is open, and how it is to end', () => {
    const { journal, onDisk } = setUp();
    journal.setCheck(check);
    const open = onDisk()?.check;
    journal.setCheck(null);
    expect([open?.id, open?.end?.conclusion, onDisk()?.check]).toEqual([7, 'failure', null]);
  });

  it.each<[string, (text: string) => string]>([
    ['cut', (text) => text.slice(0, -5)],
    ['without a signature', (text) => text.split('\n').slice(1).join('\n')],
    ['changed by another step', (text) => text.replace('"conclusion":"failure"', '"conclusion":"success"')],
  ])('is not believed when it is %s', (_name, change) => {
    const { journal, path, onDisk } = setUp();
    journal.setCheck(check);
    writeFileSync(path, change(readFileSync(path, 'utf8')));
    expect(onDisk()).toBeNull();
  });

  it('is not believed when another token signed it, nor waited for when another step put a pipe in its place', () => {
    const { path, onDisk } = setUp();
    expect([onDisk()?.version, readJournal(path, 'other')]).toEqual([1, null]);
    rmSync(path);
    execFileSync('mkfifo', [path]);
    expect(onDisk()).toBeNull();
  });

  it('leaves no half of itself behind', () => {
    const { journal, folder } = setUp();
    journal.end({ reason: 'cancelled' });
    expect(readdirSync(folder).filter((name) => name.endsWith('.new'))).toEqual([]);
  });
});
