import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { progressFile } from '../../../src/adapters/files/progress-file.ts';
import { reportFile } from '../../../src/adapters/files/report-file.ts';
import { parseReviewReport } from '../../../src/core/report/report-schema.ts';
import { context } from '../../fakes/review-record.ts';
import { richRecord } from '../../fakes/rich-record.ts';
import { temporaryFolder } from '../../fakes/temporary-folder.ts';

const folder = temporaryFolder();

describe('the report file', () => {
  it('holds the review as its schema says, in a folder made for it', async () => {
    const path = join(folder, 'deep', 'report.json');
    const delivery = await reportFile(path, context).record(richRecord());
    expect([delivery, parseReviewReport(JSON.parse(readFileSync(path, 'utf8'))).ok]).toEqual([
      { sink: 'report-file', status: 'delivered', reason: null, delivered: [], url: path },
      true,
    ]);
  });

  it('fails with a reason where it cannot be written', async () => {
    writeFileSync(join(folder, 'file'), '');
    const delivery = await reportFile(join(folder, 'file', 'report.json'), context).record(richRecord());
    expect([delivery.status, delivery.url, delivery.reason?.startsWith('The report could not be written to')]).toEqual([
      'failed',
      null,
      true,
    ]);
  });
});

describe('the progress file', () => {
  it('holds a line of JSON for every event, without secrets, in place of an older file', () => {
    const path = join(folder, 'progress.ndjson');
    writeFileSync(path, 'of an earlier run\n');
    const warnings: string[] = [];
    const report = progressFile(path, { now: () => 0, warn: (text) => warnings.push(text), redact: context.redact });
    report({ type: 'note', text: 'one "hunter2hunter2"\ntwo' });
    report({ type: 'bundle-start', bundle: '1 src' });
    expect([readFileSync(path, 'utf8'), warnings]).toEqual([
      '{"time":"1970-01-01T00:00:00.000Z","type":"note","text":"one \\"[redacted: secret]\\"\\ntwo"}\n' +
        '{"time":"1970-01-01T00:00:00.000Z","type":"bundle-start","bundle":"1 src"}\n',
      [],
    ]);
  });

  it('warns once where it cannot be written', () => {
    const warnings: string[] = [];
    const report = progressFile(folder, { now: () => 0, warn: (text) => warnings.push(text) });
    for (const text of ['one', 'two', 'three']) report({ type: 'note', text });
    expect(warnings.map((text) => text.slice(0, 36))).toEqual(['The progress could not be written to']);
  });
});
