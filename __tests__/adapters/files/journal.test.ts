import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Journal, killed, lastRecord, readJournal } from '../../../src/adapters/files/journal.ts';
import { placed } from '../../../src/core/findings/finding.ts';
import { inEnglish } from '../../../src/core/messages/languages.ts';
import { deliver } from '../../../src/core/review/deliver.ts';
import type { Destination } from '../../../src/core/review/sink.ts';
import { openGate } from '../../../src/core/review/verdict.ts';
import { temporaryFolder } from '../../fakes/memory-repository.ts';
import { lacks } from '../../fakes/platform.ts';
import { context, finding, recordOf, review } from '../../fakes/review-record.ts';
import { usage } from '../../fakes/scripted-model.ts';

const done = { sink: 'job summary', status: 'delivered', reason: [], delivered: [], url: null } as const;
const destinations: readonly Destination[] = [
  { name: 'job summary', to: '', deliver: async () => done },
  { name: 'report-file', to: 'report.json', deliver: async () => ({ ...done, status: 'failed' }) },
];

function setUp() {
  const folder = temporaryFolder();
  const path = join(folder, 'journal.json');
  const journal = new Journal({ context, path, token: 'token', startedAt: 1_000, now: () => 6_000, destinations });
  const onDisk = () => readJournal(path, 'token');
  const told = (stop: Parameters<typeof lastRecord>[1] = killed) => {
    const read = onDisk();
    return read === null ? null : lastRecord(read, stop).record.review;
  };
  return { journal, folder, path, onDisk, told };
}

const check = { id: 7, end: { conclusion: 'failure', title: 'Two', summary: 'Text' } } as const;

describe('the journal', () => {
  it('says from the beginning that the step was ended, which is a failure', () => {
    const { told } = setUp();
    expect(told()).toMatchObject({ outcome: 'failed', approved: false, findings: [] });
    expect(inEnglish.sentences(told()?.headline ?? [])).toMatch(/^Review failed: The step ended early/);
  });

  it('holds what was found until now, redacted, and ends as its reader says', () => {
    const { journal, onDisk, told } = setUp();
    journal.addFinding(finding({ title: 'It prints hunter2hunter2' }));
    journal.cancel();
    const cancelled = told({ reason: 'cancelled' });
    expect([onDisk()?.cancelled, cancelled?.outcome, cancelled?.stop.reason]).toEqual([true, 'partial', 'cancelled']);
    expect(cancelled?.findings.map(({ title }) => title)).toEqual([expect.stringContaining('It prints')]);
    expect(inEnglish.sentences(told()?.headline ?? [])).toContain('1 critical');
    expect(JSON.stringify(onDisk())).not.toContain('hunter2hunter2');
  });

  it('holds what the calls took and how long it took, by then or until the run ended', () => {
    const { journal, onDisk } = setUp();
    const step = { type: 'step-end', step: 1, milliseconds: 1, end: 'end', toolCalls: 0, text: '' } as const;
    const taken = { ...step, phase: 'review', usage: usage(3_000, 50), cost: 0.5 } as const;
    journal.count({ type: 'agent-event', batch: 'a', event: taken });
    journal.cancel();
    const read = onDisk();
    const metrics = { usage: usage(3_000, 50), modelCalls: 1, cost: 0.5 };
    const last = (lasted?: number) => (read === null ? null : lastRecord(read, killed, lasted).record.review);
    expect([last()?.milliseconds, last(9_000)?.milliseconds]).toEqual([5_000, 9_000]);
    expect(last()?.metrics).toMatchObject(metrics);
  });

  it('has each of a few findings at once, and is not written for every one of many', () => {
    const { journal, onDisk } = setUp();
    const count = () => onDisk()?.report.filesReview.length;
    journal.addFinding(finding({ id: 'f1' }));
    const first = count();
    for (let index = 2; index <= 100; index += 1) journal.addFinding(finding({ id: `f${index}` }));
    expect([first, count()]).toEqual([1, 96]);
  });

  it('holds the whole review before it is delivered anywhere, and proves nothing of its delivery', async () => {
    const { journal, onDisk, told } = setUp();
    const placements = [placed(finding(), 'inline')];
    const slow: Destination = { name: 'pull request review', deliver: async () => done };
    const whole = review({ outcome: 'clean', approved: true, action: 'APPROVE', findings: placements });
    await deliver(whole, { destinations: journal.noting([slow]), gate: openGate }, () => undefined);
    expect([onDisk()?.isMade, onDisk()?.report.outcome]).toEqual([true, 'clean']);
    expect(told()).toMatchObject({ outcome: 'partial', approved: false, action: 'COMMENT' });
    expect(inEnglish.sentences(told()?.headline ?? [])).toContain('what was posted is not known');
  });

  it('holds the record before each destination, and what is not written there', async () => {
    const { journal, onDisk } = setUp();
    const seen = [onDisk()?.isMade];
    for (const noted of journal.noting(destinations)) await noted.deliver(recordOf());
    expect([...seen, onDisk()?.isMade, onDisk()?.left]).toEqual([
      false,
      true,
      [{ recorder: 'report-file', to: 'report.json' }],
    ]);
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

  it.skipIf(lacks.namedPipes)(
    'is not believed when another token signed it, nor waited for when another step put a pipe in its place',
    () => {
      const { path, onDisk } = setUp();
      expect([onDisk()?.version, readJournal(path, 'other')]).toEqual([3, null]);
      rmSync(path);
      execFileSync('mkfifo', [path]);
      expect(onDisk()).toBeNull();
    },
  );

  it('leaves no half of itself behind', () => {
    const { journal, folder } = setUp();
    journal.cancel();
    expect(readdirSync(folder).filter((name) => name.endsWith('.new'))).toEqual([]);
  });
});
