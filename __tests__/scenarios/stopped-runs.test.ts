import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder, whenFile } from '../fakes/memory-repository.ts';
import { broken, submit } from '../fakes/model-server/script.ts';
import { openShop, play, review, reviewOf, shopWorld, titlesOf } from './review.ts';
import { parseCommands } from './runner/commands.ts';
import { readableLog } from './runner/readable-log.ts';
import { inputVariables, parseCommandFile, runNode } from './runner/start.ts';

const world = {
  base: { 'src/alpha.ts': 'export const alpha = 1;\n', 'web/beta.ts': 'export const beta = 1;\n' },
  head: { 'src/alpha.ts': 'export const alpha = 222;\n', 'web/beta.ts': 'export const beta = 333;\n' },
};

it('a cancelled run ends as partial, with what was found and nothing posted', async () => {
  const progress = join(temporaryFolder(), 'progress.jsonl');
  const { github, run } = await review({
    world,
    inputs: { 'files-per-batch': '1', 'progress-file': progress },
    model: {
      batches: [{ when: ({ prompt }) => prompt.includes('beta = 333'), answers: () => broken('hang') }],
      answers: [submit([{ path: 'src/alpha.ts', quote: 'export const alpha = 222;', title: 'Alpha is too large' }])],
    },
    // By then the other batch has found what it finds.
    signalAfter: { signal: 'SIGINT', when: whenFile(progress, '"type":"batch-end"') },
    start: 'bundle',
  });
  expect([run.signal, run.outputs['outcome'], github.writes()]).toEqual([null, 'partial', []]);
  expect(run.summary).toContain('Alpha is too large');
});

describe('two runs at once', () => {
  it('say everything once: the later one takes back what it said twice and points to the other', async () => {
    const { scenario, stage, say } = await openShop(3);
    say(reviewOf([0, 1, 2]));
    const both = await Promise.all(
      ['111', '222'].map((id) => play(stage, { ...scenario, environment: { GITHUB_RUN_ID: id }, start: 'bundle' })),
    );
    expect(titlesOf(stage.github).toSorted()).toEqual(['price0 reads', 'price1 reads', 'price2 reads']);
    expect(stage.github.conversation()).toHaveLength(1);
    expect(both.map(({ outputs }) => [outputs['outcome'], outputs['findings']])).toEqual([
      ['findings', '3'],
      ['findings', '3'],
    ]);
  });

  it('of two reviewers with names of their own do not touch each other', async () => {
    const { scenario, stage, say } = await openShop(1);
    say(reviewOf([0]));
    for (const name of ['One', 'Two', 'One']) await play(stage, { ...scenario, inputs: { name } });
    expect(titlesOf(stage.github)).toEqual(['price0 reads', 'price0 reads']);
    expect(stage.github.conversation().map(({ body }) => body.slice(0, 7))).toEqual(['### One', '### Two']);
  });
});

describe('`check-run: true`', () => {
  const inputs = { 'check-run': 'true', name: 'Careful review', verify: 'false' };

  it('makes a check with all annotations, in pages of 50, and none by commands', async () => {
    const { github, run } = await review({
      world: shopWorld(51),
      model: [reviewOf(Array.from({ length: 51 }, (_, index) => index))],
      inputs: { ...inputs, 'max-comments': '100', 'files-per-batch': '100' },
    });
    const [check] = github.checkRuns();
    expect(check?.content).toMatchObject({ name: 'Careful review', status: 'completed', conclusion: 'success' });
    expect([check?.annotations.length, run.annotations]).toEqual([51, []]);
    const pages = github.writes().filter(({ method, path }) => method === 'PATCH' && path.includes('/check-runs/'));
    expect(pages.length).toBeGreaterThanOrEqual(3);
  });

  it('concludes as the review does, also when that fails', async () => {
    const { scenario, stage, say } = await openShop(1);
    say(reviewOf([0]));
    for (const more of [
      { 'fail-on': 'warning' },
      { 'fail-on': 'critical' },
      { 'max-total-tokens': '1000' },
      { 'api-key': 'another-key-that-is-wrong' },
    ]) {
      await play(stage, { ...scenario, inputs: { ...inputs, incremental: 'false', ...more } });
    }
    expect(stage.github.checkRuns().map(({ content }) => [content['status'], content['conclusion']])).toEqual([
      ['completed', 'failure'],
      ['completed', 'success'],
      ['completed', 'neutral'],
      ['completed', 'failure'],
    ]);
  });

  it('falls back to workflow commands without `checks: write`, and says so once', async () => {
    const permissions = { contents: 'read', 'pull-requests': 'write', issues: 'write', checks: 'read' } as const;
    const world = { ...shopWorld(1), github: { permissions } };
    const { github, run } = await review({ world, model: [reviewOf([0])], inputs });
    expect([github.checkRuns(), run.annotations.length, run.outputs['posted']]).toEqual([[], 1, '1']);
    expect([run.log.includes('`checks: write`'), run.code]).toEqual([true, 0]);
  });
});

describe('the runner of the scenarios', () => {
  it('reads commands at the start of a line, and old ones anywhere', () => {
    const log = [
      'see ::error::not a command',
      '  ::error file=a%2Cb.ts,line=3,endLine=2,title=Oh%3A::two%0Alines',
      'text ##[warning]forged',
      '::unknown::nothing',
    ].join('\n');
    expect(parseCommands(log).annotations).toEqual([
      { level: 'error', message: 'two\nlines', title: 'Oh:', file: 'a,b.ts', line: null, endLine: null },
      { level: 'warning', message: 'forged', title: null, file: null, line: null, endLine: null },
    ]);
  });

  it('keeps ten annotations a level', () => {
    const { annotations, droppedAnnotations } = parseCommands(`${'::error::e\n'.repeat(12)}::notice::n`);
    expect([annotations.length, droppedAnnotations]).toEqual([11, 2]);
  });

  it('obeys stop-commands until its token', () => {
    const { all } = parseCommands('::stop-commands::t\n::error::no\n::t::\n::error::yes');
    expect(all.map(({ data }) => data)).toEqual(['t', 'yes']);
  });

  it('reads outputs in both forms, and refuses a heredoc without an end', () => {
    expect(parseCommandFile('a=1=2\nb<<E\nx\n\ny=z\nE\n')).toEqual({ a: '1=2', b: 'x\n\ny=z' });
    expect(() => parseCommandFile('b<<E\nx\n')).toThrow('Matching delimiter not found');
  });

  it('gives a step its inputs with the defaults of action.yml', async () => {
    const inputs = await inputVariables({ profile: 'quick' }, { token: 'the-token', workflow: 'Review' });
    expect(inputs).toMatchObject({ 'INPUT_GITHUB-TOKEN': 'the-token', INPUT_PROFILE: 'quick', 'INPUT_FAIL-ON': '' });
    await expect(inputVariables({ profil: 'quick' }, { token: '', workflow: '' })).rejects.toThrow('no input profil');
  });

  it('starts a child with nothing inherited, and sends the signal when it is time', async () => {
    const directory = temporaryFolder();
    const script = `process.on("SIGINT", () => { console.log(Object.keys(process.env).filter((name) => name !== "NODE_COMPILE_CACHE").join()); process.exit(7); });
      setInterval(() => {}, 50);
      require("node:fs").writeFileSync("ready", "ready");`;
    const run = await runNode({
      node: process.execPath,
      args: ['-e', script],
      directory,
      environment: { ONLY: 'this' },
      timeout: 100_000,
      signalAfter: { signal: 'SIGINT', when: whenFile(join(directory, 'ready'), 'ready') },
    });
    expect([run.code, run.log]).toEqual([7, 'ONLY']);
  });

  it('makes a log readable', () => {
    const log = `::add-mask::x\nread a.ts in 12 ms at ${'a'.repeat(40)}\nhttp://127.0.0.1:4711/v1 /tmp/postil-test-Ab1/out 1.5 s`;
    expect(readableLog({ log })).toBe('read a.ts in <time> at <sha>\nhttp://127.0.0.1:<port>/v1 <folder>/out <time>');
  });
});
