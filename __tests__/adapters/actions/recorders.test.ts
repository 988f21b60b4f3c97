import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { annotations, jobSummary, stepOutputs, withoutInline } from '../../../src/adapters/actions/recorders.ts';
import { type Finding, placed } from '../../../src/core/findings/finding.ts';
import { renderOutputs } from '../../../src/core/report/json.ts';
import { temporaryFolder } from '../../fakes/memory-repository.ts';
import { printed } from '../../fakes/printed.ts';
import { context, deliveryOf, finding, recordOf } from '../../fakes/review-record.ts';
import { parseCommandFile } from '../../scenarios/runner/start.ts';

const folder = temporaryFolder();
afterEach(() => {
  vi.unstubAllEnvs();
});

describe('the job summary', () => {
  it('is added to what the step wrote before', async () => {
    const path = join(folder, 'summary.md');
    writeFileSync(path, 'before\n');
    const delivery = await jobSummary(context, { GITHUB_STEP_SUMMARY: path }).deliver(recordOf());
    expect(delivery.status).toBe('delivered');
    expect(readFileSync(path, 'utf8')).toMatch(/^before\n## Postil · No findings in 3 files\n/);
  });

  it.each([
    ['has no file', {}, /^GITHUB_STEP_SUMMARY is not set\.$/],
    ['cannot be written', { GITHUB_STEP_SUMMARY: folder }, /^The summary could not be written\. EISDIR/],
  ])('fails with a reason when it %s', async (_name, environment, reason) => {
    const delivery = await jobSummary(context, environment).deliver(recordOf());
    expect([delivery.status, reason.test(printed(delivery).reason ?? '')]).toEqual(['failed', true]);
  });
});

describe('the outputs', () => {
  it('are data, whatever the model wrote into them', async () => {
    const path = join(folder, 'output');
    writeFileSync(path, '');
    vi.stubEnv('GITHUB_OUTPUT', path);
    const record = recordOf({ rationale: 'fine\nEOF\noutcome=failed\nx<<EOF' });
    const delivery = await stepOutputs(context).deliver(record);
    const outputs = parseCommandFile(readFileSync(path, 'utf8'));
    expect([delivery.status, Object.keys(outputs)]).toEqual(['delivered', Object.keys(renderOutputs(record))]);
    expect(outputs).toMatchObject({ outcome: 'clean', rationale: 'fine EOF outcome=failed x<<EOF' });
  });

  it.each([
    ['have no file', '', 'GITHUB_OUTPUT is not set.'],
    ['cannot be written', join(folder, 'none', 'output'), 'The outputs could not be written. Missing file at path'],
  ])('fail with a reason when they %s', async (_name, path, reason) => {
    vi.stubEnv('GITHUB_OUTPUT', path);
    const delivery = await stepOutputs(context).deliver(recordOf());
    expect([delivery.status, printed(delivery).reason?.startsWith(reason)]).toEqual(['failed', true]);
  });
});

describe('annotations by workflow commands', () => {
  const common = { sink: 'annotations', url: null };
  const delivered = (findings: readonly Finding[]) =>
    annotations(context).deliver(recordOf({ findings: findings.map((each) => placed(each, 'inline')) }));
  let written: string[] = [];
  beforeEach(() => {
    written = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('are written with their place, and their text escaped', async () => {
    const lines = { kind: 'lines', side: 'RIGHT', startLine: 3, endLine: 5, quote: 'a\nb\nc' } as const;
    const hostile = { title: 'One: two, three', review: '100 %\n::error::x hunter2hunter2', suggestion: null };
    const removed = { ...hostile, anchor: { ...lines, side: 'LEFT' }, severity: 'info', review: 'Gone.' } as const;
    const delivery = await delivered([
      finding({ id: 'f1', anchor: lines, path: 'src/a,b.ts', ...hostile }),
      finding({ id: 'f2', ...removed }),
    ]);
    expect(written).toEqual([
      '::group::2 annotations\n',
      '::error title=🔴 Critical · One%3A two%2C three,file=src/a%2Cb.ts,line=3,endLine=5::100 %25 ::error::x [redacted: secret]%0A%0AIn full in the job summary.\n',
      '::notice title=🔵 Info · One%3A two%2C three,file=src/cart.ts::About removed lines, 3-5 before the change. Gone.%0A%0AIn full in the job summary.\n',
      '::endgroup::\n',
    ]);
    const places = ['f1', 'f2'].map((findingId) => ({ findingId, place: 'annotation', url: null }));
    expect(delivery).toEqual({ ...common, status: 'delivered', reason: [], delivered: places });
  });

  it('are skipped when there is nothing to say', async () => {
    const reason = 'There is nothing to annotate.';
    expect(printed(await delivered([]))).toEqual({ ...common, status: 'skipped', reason, delivered: [] });
  });

  it('say how many the runner would not have shown', async () => {
    const delivery = await delivered(Array.from({ length: 13 }, (_, index) => finding({ id: `f${index}` })));
    expect(delivery.delivered).toHaveLength(10);
    expect(printed(delivery).reason).toBe('3 findings left out: a step shows at most 10 annotations of level error.');
  });

  it('with `auto` leave out what has a comment on its lines, of this run or an earlier one', async () => {
    const standing = (id: string, held: 'thread' | 'sticky') => placed(finding({ id }), 'standing', { held });
    const placements = [
      placed(finding({ id: 'posted' }), 'inline'),
      placed(finding({ id: 'rejected' }), 'inline'),
      standing('old comment', 'thread'),
      standing('old summary', 'sticky'),
    ];
    const posted = [{ findingId: 'posted', place: 'inline' as const, url: null }];
    const { delivered } = await withoutInline(annotations(context)).deliver(
      recordOf({ findings: placements }, [deliveryOf('pull request review', { delivered: posted })]),
    );
    expect(delivered.map(({ findingId }) => findingId)).toEqual(['rejected', 'old summary']);
  });
});
