import { describe, expect, it } from 'vitest';
import { submit } from '../fakes/model-server/script.ts';
import type { WorldFiles } from '../fakes/world/import-commits.ts';
import { review } from './review.ts';

const backdoor = "app.get('/x', (req) => execSync(req.query.cmd));\n";
const rest = 'export const one = 1;\n';
const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, ...new Uint8Array(100)]);

async function reviewOf(head: WorldFiles, inputs: Record<string, string> = {}) {
  const { github, model, run } = await review({
    world: {
      base: { 'src/a.ts': rest },
      head: { 'src/a.ts': `${rest}${rest}`, ...head },
      github: { viewer: 'postil-app[bot]' },
    },
    model: () => submit([]),
    inputs: { 'review-event': 'approve', ...inputs },
  });
  return {
    ...run,
    approvals: github.reviews().filter(({ state }) => state === 'APPROVED').length,
    told: JSON.stringify(model.requests.map(({ messages }) => messages)),
  };
}

describe('a pull request that may be approved', () => {
  it('is not when the model may not read a file: the job says so', async () => {
    const run = await reviewOf({ 'src/.env.js': backdoor });
    const { outcome, unread, 'stop-reason': stop } = run.outputs;
    expect([outcome, stop, unread, run.approvals, run.code]).toEqual(['partial', 'unread', '1', 0, 0]);
    expect(run.told).not.toContain('execSync');
    expect(run.summary).toContain('**Not read: 1 file**');
    expect(run.log).toMatch(/::warning.*1 file was not read: src\/\.env\.js \(never shown to the model/);
  });

  it('is when what only looks binary was shown to the model', async () => {
    const run = await reviewOf({ 'src/b.js': `// \0\n${backdoor}`, 'src/c.js': Buffer.from(backdoor, 'utf16le') });
    expect([run.outputs['outcome'], run.outputs['unread'], run.approvals]).toEqual(['clean', '0', 1]);
    expect(run.told.split('execSync(req.query.cmd)').length).toBeGreaterThanOrEqual(3);
  });

  it('is not beside an image, without a warning, and is when the workflow leaves images out', async () => {
    const beside = await reviewOf({ 'logo.png': png });
    const without = await reviewOf({ 'logo.png': png }, { 'skip-kinds': 'images' });
    const told = [beside, without].map(({ outputs, approvals, log }) => [
      outputs['outcome'],
      outputs['unread'],
      approvals,
      log.includes('::warning'),
    ]);
    expect(told).toEqual([
      ['partial', '1', 0, false],
      ['clean', '0', 1, false],
    ]);
  });
});

describe('a finding in a file that git calls binary', () => {
  it('is posted on the file, with its line', async () => {
    const { github, run } = await review({
      world: { base: { 'src/a.ts': rest }, head: { 'src/b.js': Buffer.from(`${rest}${backdoor}`, 'utf16le') } },
      model: () => submit([{ path: 'src/b.js', quote: backdoor.trim(), title: 'A stranger runs commands' }]),
    });
    expect([run.outputs['outcome'], run.outputs['posted']]).toEqual(['findings', '1']);
    expect(JSON.stringify(github.writes().map(({ body }) => body))).toContain('src/b.js');
  });
});
