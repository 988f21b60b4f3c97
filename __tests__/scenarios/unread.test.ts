import { describe, expect, it } from 'vitest';
import { submit } from '../fakes/model-server/script.ts';
import type { WorldFiles } from '../fakes/world/import-commits.ts';
import { push } from './push.ts';
import { play, review, setStage } from './review.ts';

const backdoor = "app.get('/x', (req) => execSync(req.query.cmd));\n";
const rest = 'export const one = 1;\n';
const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, ...new Uint8Array(100)]);

async function reviewOf(head: WorldFiles, inputs: Record<string, string> = {}, base: WorldFiles = {}) {
  const { github, model, run } = await review({
    world: {
      base: { ...base, 'src/a.ts': rest },
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

describe('a backdoor in a change that may be approved', () => {
  const comment = `// ${'x'.repeat(20_000)}\n`;
  const hidden = (number: number) => `app.get('/${number}', (req) => execSync(req.query.cmd${number}));\n`;
  const workflow = (number: number) => `on: push\njobs:\n  x:\n    steps:\n      - run: node -e "${hidden(number)}"\n`;
  const base = {
    'src/old.js': rest,
    'src/.env.js': hidden(99),
    'docs/ci.yml': workflow(10),
  };
  const shown: WorldFiles = {
    'src/long.js': `${comment}${hidden(0)}`,
    'src/old.js': `${rest}${comment}${hidden(1)}`,
    'src/nul.js': `// \0\n${hidden(2)}`,
    'src/utf16.js': Buffer.from(`\ufeff${hidden(3)}`, 'utf16le'),
    'vendor/a.js': hidden(4),
    'src/x.min.js': hidden(5),
    'src/x_pb2.py': hidden(6),
    'src/column.js': `/*${' '.repeat(3_000)}*/${hidden(7)}`,
    'src/marked.js': `// @generated\n${hidden(8)}`,
    'yarn.lock': hidden(9),
    'docs/ci.yml': null,
    '.github/workflows/ci.yml': workflow(10),
  };

  it('is shown to the model, whatever its file looks like', async () => {
    const { told, outputs } = await reviewOf(shown, {}, base);
    const numbers = Array.from({ length: 11 }, (_, number) => number);
    expect(numbers.filter((number) => !told.includes(`req.query.cmd${number})`))).toEqual([]);
    expect([outputs['outcome'], outputs['unread']]).toEqual(['clean', '0']);
  });

  it.each<[string, string, WorldFiles]>([
    ['with a denied name', 'src/x.key', { 'src/x.key': hidden(0) }],
    ['with the denied name of a script', '.env.js', { '.env.js': hidden(0) }],
    ['renamed from a denied name', 'src/a.js', { 'src/.env.js': null, 'src/a.js': hidden(99) }],
    ['behind 3 MB of one line', 'src/a.js', { 'src/a.js': `/*${'x'.repeat(3_000_000)}*/${hidden(0)}` }],
  ])(
    'that the model may not or cannot read (%s) is named, and never approved, after the next push either',
    async (_, path, head) => {
      const world = { base: { ...base, 'src/a.ts': rest }, head, github: { viewer: 'postil-app[bot]' } };
      const scenario = { world, model: () => submit([]), inputs: { 'review-event': 'approve' } };
      const stage = await setStage(scenario);
      const first = await play(stage, scenario);
      const second = await play(await push(stage, { files: { 'src/a.ts': `${rest}${rest}` } }), scenario);
      expect([first, second].map(({ outputs }) => [outputs['outcome'], outputs['unread']])).toEqual([
        ['partial', '1'],
        ['partial', '1'],
      ]);
      expect([first, second].map(({ summary }) => summary.includes(`1 file was not read: ${path}`))).toEqual([
        true,
        true,
      ]);
      expect(stage.github.conversation()[0]?.body).toContain(`1 file was not read: ${path}`);
      expect(stage.github.reviews().filter(({ state }) => state === 'APPROVED')).toEqual([]);
    },
  );
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
