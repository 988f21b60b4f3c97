import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { submit } from '../fakes/model-server/script.ts';
import { temporaryFolder } from '../fakes/temporary-folder.ts';
import { review } from './review.ts';

describe('a pull request that puts symbolic links where files are written', () => {
  it('overwrites nothing outside of the workspace, and the review goes on', async () => {
    const outside = temporaryFolder();
    const victim = join(outside, 'victim');
    writeFileSync(victim, 'precious\n');
    const { run } = await review({
      world: {
        base: { 'a.ts': '1\n' },
        head: {
          'a.ts': '2\n',
          'report.json': { symlink: victim },
          logs: { symlink: outside },
        },
      },
      model: [submit([])],
      inputs: { 'report-file': 'report.json', 'progress-file': 'logs/progress.ndjson' },
    });
    expect([readFileSync(victim, 'utf8'), existsSync(join(outside, 'progress.ndjson'))]).toEqual(['precious\n', false]);
    expect([run.outputs['outcome'], run.outputs['report-file']]).toEqual(['clean', '']);
    expect(run.log).toContain('must not choose what is overwritten');
  });
});

describe('a pull request with data on one line', () => {
  const data = '{"name":"value","more":[1,2,3]},'.repeat(40_000);

  it('is not read whole: the line is cut, and the summary says so', async () => {
    const { model, run } = await review({
      world: { base: { 'a.ts': '1\n' }, head: { 'a.ts': '2\n', 'data.json': `[${data}0]\n` } },
      model: [submit([])],
    });
    expect([run.outputs['outcome'], model.requests.length]).toEqual(['partial', 1]);
    expect((model.requests[0]?.prompt ?? '').length).toBeLessThan(20_000);
    expect(model.requests[0]?.prompt).toContain('(cut: 1,278,003 characters)');
    expect(run.summary).toContain('`data.json` (in 1 line more than 25,000 characters changed');
  });
});
