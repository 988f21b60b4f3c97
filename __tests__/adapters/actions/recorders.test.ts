import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  annotationsSink,
  outputsRecorder,
  summaryRecorder,
  withoutInline,
} from '../../../src/adapters/actions/recorders.ts';
import { temporaryFolder } from '../../fakes/memory-repository.ts';
import { context, finding, recordOf, review } from '../../fakes/review-record.ts';

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
      22,
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

afterEach(() => {
  vi.restoreAllMocks();
});

describe('annotations by workflow commands', () => {
  it('are written with their place, and their text escaped', async () => {
    const written: string[] = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
    const lines = { kind: 'lines', side: 'RIGHT', startLine: 3, endLine: 5, quote: 'a\nb\nc' } as const;
    const hostile = { title: 'One: two, three', review: '100 %\n::error::x hunter2hunter2', suggestion: null };
    const placements = [
      { finding: finding({ id: 'f1', anchor: lines, path: 'src/a,b.ts', ...hostile }), place: 'inline' },
      {
        finding: finding({
          id: 'f2',
          anchor: { ...lines, side: 'LEFT' },
          severity: 'info',
          ...hostile,
          review: 'Gone.',
        }),
        place: 'inline',
      },
    ] as const;
    const delivery = await annotationsSink(context).deliver(review({ placements }));
    expect({ written, delivery }).toEqual({
      delivery: {
        delivered: [
          { findingId: 'f1', place: 'annotation', url: null },
          { findingId: 'f2', place: 'annotation', url: null },
        ],
        reason: null,
        sink: 'annotations',
        status: 'delivered',
        url: null,
      },
      written: [
        '::group::2 annotations\n',
        '::error title=🔴 Critical · One%3A two%2C three,file=src/a%2Cb.ts,line=3,endLine=5::100 %25 ::error::x [redacted: secret]%0A%0AIn full in the job summary.\n',
        '::notice title=🔵 Info · One%3A two%2C three,file=src/cart.ts::About removed lines, 3-5 before the change. Gone.%0A%0AIn full in the job summary.\n',
        '::endgroup::\n',
      ],
    });
  });

  it('are skipped when there is nothing to say', async () => {
    expect(await annotationsSink(context).deliver(review())).toEqual({
      sink: 'annotations',
      status: 'skipped',
      reason: 'There is nothing to annotate.',
      delivered: [],
      url: null,
    });
  });

  it('say how many the runner would not have shown', async () => {
    vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
    const placements = Array.from({ length: 13 }, (_, index) => ({
      finding: finding({ id: `f${index}` }),
      place: 'inline' as const,
    }));
    const delivery = await annotationsSink(context).deliver(review({ placements }));
    expect([delivery.delivered.length, delivery.reason]).toEqual([
      10,
      '3 findings left out: a step shows at most 10 annotations of level error.',
    ]);
  });

  it('with `auto` leave out what has a comment on its lines, of this run or an earlier one', async () => {
    vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
    const standing = { place: 'standing', reason: 'raised before', url: null } as const;
    const placements = [
      { finding: finding({ id: 'posted' }), place: 'inline' as const },
      { finding: finding({ id: 'rejected' }), place: 'inline' as const },
      { finding: finding({ id: 'old comment' }), ...standing, held: 'thread' as const },
      { finding: finding({ id: 'old summary' }), ...standing, held: 'sticky' as const },
    ];
    const posted = [{ findingId: 'posted', place: 'inline' as const, url: null }];
    const { delivered } = await withoutInline(annotationsSink(context)).deliver(review({ placements }), posted);
    expect(delivered.map(({ findingId }) => findingId)).toEqual(['rejected', 'old summary']);
  });
});
