import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRepository } from '../fakes/git-fixture.ts';
import { temporaryFolder, whenFile } from '../fakes/memory-repository.ts';
import { submit } from '../fakes/model-server/script.ts';
import { lacks } from '../fakes/platform.ts';
import { builtFile } from './harness.ts';
import { laptopModel, outputFiles, review } from './review.ts';
import { runNode } from './runner/start.ts';

const head = { 'src/alpha.ts': 'export const alpha = 222;\n' };
const world = { base: { 'src/alpha.ts': 'export const alpha = 1;\n' }, head };
const finding = { path: 'src/alpha.ts', quote: 'export const alpha = 222;', title: 'Alpha is too large' };

/** What a run does for ever, or what ends it, once it has told the process that watches over it something. */
const faults = {
  loop: 'for (;;);',
  pipe: 'openSync(pipe);',
  heap: 'for (const all = []; ; ) all.push(new Array(1e5).fill(Math.random()).map(String));',
  kill: "process.kill(process.pid, 'SIGKILL');",
  error: "queueMicrotask(() => { throw new Error('out of nowhere'); });",
} as const;

type Fault = {
  readonly does: keyof typeof faults;
  /** In what it tells, as JSON; null is before anything. */
  readonly after: RegExp | null;
  /** Time passes for the process that watches, a tick in 2 ms, from then on. */
  readonly passes?: 'then' | 'after a signal';
};

/** Faults of the run alone, by a module that Node loads before any of ours. */
function faulty({ does, after, passes = 'then' }: Fault) {
  const folder = temporaryFolder();
  const [mark, pipe, ticked] = [join(folder, 'mark'), join(folder, 'pipe'), join(folder, 'ticked')];
  execFileSync('mkfifo', [pipe]);
  const isTime = passes === 'then' ? 'existsSync(mark)' : 'signals > 0';
  const fail = `{ writeFileSync(mark, 'now'); ${faults[does]} }`;
  const hook = `import { existsSync, openSync, writeFileSync } from 'node:fs';
    const [mark, pipe, ticked] = ${JSON.stringify([mark, pipe, ticked])};
    const role = JSON.parse(process.env.POSTIL_WATCHED ?? 'null');
    let [signals, ticks, isOver] = [0, 0, false];
    if (role === null) {
      for (const name of ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM']) process.on(name, () => { signals += 1; });
      const { setInterval } = globalThis;
      const { kill } = process;
      // How long the end takes is not counted.
      process.kill = (...given) => { isOver = true; return kill.call(process, ...given); };
      globalThis.setInterval = (tick) => setInterval(() => {
        if (!(${isTime})) return;
        if (!isOver) writeFileSync(ticked, String((ticks += 1)));
        tick();
      }, 2);
    } else if (role.words === undefined) {
      const { send } = process;
      process.send = (news, ...rest) => {
        const sent = send.call(process, news, ...rest);
        if (${after ?? '/^$/'}.test(JSON.stringify(news))) ${fail}
        return sent;
      };
      ${after === null ? fail : ''}
    }`;
  const heap = does === 'heap' ? ' --max-old-space-size=150' : '';
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(hook)}${heap}`;
  return { mark, ticks: () => Number(readFileSync(ticked, 'utf8')), environment: { NODE_OPTIONS } };
}

const inputs = { 'timeout-minutes': '5', verify: 'false' };

async function job(fault: Fault, signal: NodeJS.Signals | null = null) {
  const { mark, environment } = faulty(fault);
  const signalAfter = signal === null ? {} : { signalAfter: { signal, when: whenFile(mark, 'now') } };
  const scenario = { world, model: [submit([finding])], inputs, environment, ...signalAfter } as const;
  const { github, run } = await review({ ...scenario, inputs: { ...inputs, 'check-run': 'true' }, start: 'bundle' });
  const errors = run.annotations.filter(({ level }) => level === 'error').map(({ message }) => message);
  return { github, run, errors };
}

describe.skipIf(lacks.signals)('a job whose run goes on for ever', () => {
  const found = /"step":".*\+ (?:critical|warning|info|nitpick): /;

  it.each<[string, RegExp | null, string, boolean]>([
    ['before it has told anything', null, 'and was stopped.', false],
    ['once the pull request is known', /"step":".* reviews /, 'reviews', false],
    ['once the files are chosen', /"step":"1 file to review/, '1 file to review', false],
    ['once the model found something', found, 'Alpha is too large', true],
    ['once the review is posted', /"step":"pull request review/, 'pull request review', true],
  ])('%s delivers summary and outputs, names the last step and fails', async (_, after, step, isFound) => {
    const { run, errors } = await job({ does: 'loop', after });
    expect([run.code, run.signal, run.outputs['stop-reason']]).toEqual([1, null, 'failed']);
    expect(errors).toEqual([expect.stringMatching(/^The run did not end within `timeout-minutes` and was stopped\./)]);
    expect(errors[0]).toContain(step);
    expect([run.summary.includes('did not end within'), run.summary.includes(finding.title)]).toEqual([true, isFound]);
  });

  it('ends by the `timeout-minutes` of the config file, and says how long it took and what was asked', async () => {
    const config = { '.postil/config.yml': 'timeout-minutes: 2\n' };
    const { ticks, environment } = faulty({ does: 'loop', after: found });
    const { run } = await review({
      start: 'bundle',
      world: { base: { ...world.base, ...config }, head },
      model: [submit([finding])],
      environment,
      inputs: { verify: 'false' },
    });
    expect([run.code, ticks() > 60, ticks() <= 2 * 60 + 10]).toEqual([1, true, true]);
    expect(run.summary).toContain('1 model call');
  });

  it('after everything is done ends as it said', async () => {
    const { run, errors } = await job({ does: 'loop', after: /"end":/ });
    expect([run.code, run.outputs['outcome'], errors]).toEqual([0, 'findings', []]);
    expect(run.summary.match(/^## /gm)).toHaveLength(1);
  });

  it.each<[string, Fault['does'], RegExp, Fault['passes']?]>([
    ['waits for a pipe that nobody writes to', 'pipe', /^The run did not end within/, 'then'],
    ['fills its heap', 'heap', /^The run ended early: out of memory/],
    ['is killed', 'kill', /^The run ended early: killed \(SIGKILL\)/],
    ['meets an error that nobody caught', 'error', /^out of nowhere\. This is a defect of Postil/],
  ])(
    'or %s delivers what was found, and the post step closes the check',
    async (_, does, words, passes = 'after a signal') => {
      const { github, run, errors } = await job({ does, after: found, passes });
      expect([run.code, run.outputs['outcome'], run.outputs['findings']]).toEqual([1, 'failed', '1']);
      expect([run.summary.includes(finding.title), errors]).toEqual([true, [expect.stringMatching(words)]]);
      const post = await run.afterwards();
      expect([post.summary, github.checkRuns().map(({ content }) => content['conclusion'])]).toEqual(['', ['failure']]);
    },
  );

  it.each<NodeJS.Signals>(['SIGINT', 'SIGTERM'])('hears %s anyway', async (signal) => {
    const { github, run, errors } = await job({ does: 'loop', after: found, passes: 'after a signal' }, signal);
    expect([run.code, run.signal, run.outputs['outcome']]).toEqual([1, null, 'partial']);
    expect([run.outputs['stop-reason'], run.summary.includes(finding.title)]).toEqual(['cancelled', true]);
    expect(errors).toEqual([expect.stringMatching(/^The run was cancelled, and did not end by itself\./)]);
    await run.afterwards();
    expect(github.checkRuns().map(({ content }) => content['conclusion'])).toEqual(['cancelled']);
  });
});

it.skipIf(lacks.signals)(
  'a run in an endless loop ends with the process that watches over it, and the post step delivers what was found',
  async () => {
    const after = /"step":".*\+ (?:critical|warning|info|nitpick): /;
    // The output of both must be closed for this to end.
    const { run } = await job({ does: 'loop', after, passes: 'after a signal' }, 'SIGKILL');
    const post = await run.afterwards();
    expect([run.signal, run.outputs, post.outputs['findings']]).toEqual(['SIGKILL', {}, '1']);
    expect(post.summary).toContain(finding.title);
  },
);

describe.skipIf(lacks.signals)('a review on a laptop that goes on for ever', () => {
  async function laptop(fault: Fault, signal: NodeJS.Signals | null = null) {
    const fixture = createRepository();
    fixture.commit({ files: world.base });
    fixture.commit({ files: head });
    const { mark, environment } = faulty(fault);
    const { env } = await laptopModel([submit([finding])]);
    const files = outputFiles('report-file', 'report-html', 'sarif-file');
    const flags = Object.entries({ ...inputs, ...files.inputs }).flatMap(([name, value]) => [`--${name}`, value]);
    const temporary = temporaryFolder();
    const run = await runNode({
      node: process.execPath,
      args: [builtFile('dist/cli/index.js'), 'review', '--base', 'HEAD~1', ...flags],
      directory: fixture.directory,
      environment: {
        ...{ PATH: process.env['PATH'] ?? '', HOME: temporaryFolder(), TMPDIR: temporary },
        ...env,
        ...environment,
      },
      timeout: 100_000,
      ...(signal === null ? {} : { signalAfter: { signal, when: whenFile(mark, 'now') } }),
    });
    return { run, files, temporary };
  }
  const found = /"step":".*\+ (?:critical|warning|info|nitpick): /;

  it('prints and writes what was found in every format, leaves no folder behind and ends with 3', async () => {
    const { run, files, temporary } = await laptop({ does: 'loop', after: found });
    expect([run.code, run.stdout.includes(finding.title)]).toEqual([3, true]);
    expect(run.stderr).toMatch(/The run did not end within `timeout-minutes` and was stopped\. Its last step: /);
    const written = [files.text('report-file'), files.text('report-html'), files.text('sarif-file')];
    expect(written.map((text) => text.includes(finding.title))).toEqual([true, true, true]);
    expect(files.json('report-file')).toMatchObject({ outcome: 'failed', stop_reason: 'failed' });
    const left = readdirSync(temporary, { recursive: true, encoding: 'utf8' });
    expect(left.filter((path) => path.includes('journal'))).toEqual([]);
  });

  it.each<[NodeJS.Signals, number]>([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGQUIT', 131],
  ])('hears %s and ends with %i', async (signal, code) => {
    const { run } = await laptop({ does: 'loop', after: found, passes: 'after a signal' }, signal);
    expect([run.code, run.stdout.includes(finding.title)]).toEqual([code, true]);
  });

  it('ends with 3 when its settings were never read', async () => {
    const { run } = await laptop({ does: 'loop', after: null });
    expect([run.code, run.stdout, run.stderr]).toEqual([3, '', expect.stringContaining('was stopped.')]);
  });

  it('ends with 3 and one sentence when an error comes from nowhere', async () => {
    const { run } = await laptop({ does: 'error', after: found });
    expect([run.code, run.stderr.match(/^out of nowhere\.$/m)?.length]).toEqual([3, 1]);
    expect(run.stderr.split('\n').filter((line) => line.length > 500)).toEqual([]);
  });
});
