import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { FakeGitHub } from '../fakes/github-server/start-github.ts';
import type { Fault, FaultAnswer } from '../fakes/github-server/world.ts';
import { FakeClock, temporaryFolder } from '../fakes/memory-repository.ts';
import { broken, submit } from '../fakes/model-server/script.ts';
import { lacks } from '../fakes/platform.ts';
import { outputFiles, placesOf, play, review, type Scenario, setStage } from './review.ts';

const world = (faults: readonly Fault[]) => ({
  base: { 'src/alpha.ts': 'export const alpha = 1;\n', 'web/beta.ts': 'export const beta = 1;\n' },
  head: { 'src/alpha.ts': 'export const alpha = 222;\n', 'web/beta.ts': 'export const beta = 333;\n' },
  github: { faults },
});
const finding = { path: 'src/alpha.ts', quote: 'export const alpha = 222;', title: 'Alpha is too large' };
const reviews = { method: 'POST', path: /\/pulls\/\d+\/reviews$/ };
const pull = { method: 'GET', path: /\/pulls\/\d+$/ };

function checksOf(github: FakeGitHub) {
  return github.checkRuns().map(({ content }) => [content['status'], content['conclusion']]);
}

/** One batch is reviewed, the other's model hangs; `hung` is when both are so. */
function halfReviewed() {
  let hang = () => {};
  const hung = new Promise<void>((resolve) => {
    hang = resolve;
  });
  const when = ({ prompt }: { prompt: string }) => prompt.includes('beta = 333');
  const answers = () => {
    // The other batch's answer needs a moment to arrive, and the journal a second.
    setTimeout(hang, 1_500);
    return broken('hang');
  };
  return { model: { batches: [{ when, answers }], answers: [submit([finding])] }, hung };
}

/** Plays in a time that passes while the model hangs and nothing else goes on, and afterwards while GitHub is silent. */
async function playPatiently(scenario: Scenario, { otherBatches }: { readonly otherBatches: number }) {
  const { inputs, text } = outputFiles('progress-file', 'report-file');
  const stage = await setStage(scenario);
  const clock = new FakeClock(Date.now());
  const unanswered = (asked: readonly { readonly status: number | null }[]) =>
    asked.filter(({ status }) => status === null).length;
  let leapsOfModel: number | null = null;
  const isQuiet = () => {
    const events = existsSync(inputs['progress-file'] ?? '') ? text('progress-file') : '';
    if (!events.includes('"type":"review-end"')) {
      return unanswered(stage.model.attempts) > 0 && events.split('"type":"batch-end"').length > otherBatches;
    }
    leapsOfModel ??= clock.leaps;
    return clock.isHanging(leapsOfModel + unanswered(stage.github.requests));
  };
  const startedAt = clock.now();
  const run = await play(stage, { ...scenario, inputs: { ...scenario.inputs, ...inputs }, time: { clock, isQuiet } });
  const minutes = (clock.now() - startedAt) / 60_000;
  return { github: stage.github, run, report: text('report-file'), minutes };
}

describe('a run whose time is over while the model hangs', () => {
  const scenario = { model: halfReviewed().model, inputs: { 'files-per-batch': '1', verify: 'false' } };

  it('posts what was found so far, and names what was not reviewed', async () => {
    const { github, run, minutes } = await playPatiently({ ...scenario, world: world([]) }, { otherBatches: 1 });
    expect(run.outputs).toMatchObject({ outcome: 'partial', posted: '1' });
    expect(placesOf(github)).toEqual(['src/alpha.ts:1']);
    expect(github.conversation()[0]?.body).toContain('web/beta.ts');
    expect([minutes > 10, minutes < 15]).toEqual([true, true]);
  });

  it('has it in summary, annotations and files when GitHub is silent, too', async () => {
    const silent = world([{ match: reviews, times: 99, before: 'hang' }]);
    const { github, run, report, minutes } = await playPatiently({ ...scenario, world: silent }, { otherBatches: 1 });
    expect([run.outputs['outcome'], run.outputs['posted'], github.comments()]).toEqual(['partial', '0', []]);
    expect(run.summary).toContain('Not delivered: pull request review');
    expect([run.summary, report].map((text) => text.includes(finding.title))).toEqual([true, true]);
    expect(run.annotations.some(({ title }) => title?.includes(finding.title))).toBe(true);
    expect(minutes).toBeLessThan(15);
  });
});

describe('a run that GitHub or the runner breaks', () => {
  it.skipIf(lacks.signals).each<[string, FaultAnswer, NodeJS.Signals]>([
    ['while a request to GitHub hangs', 'hang', 'SIGTERM'],
    ['while it waits out a rate limit', 'rate limit of a minute', 'SIGINT'],
  ])('ends as cancelled, with summary and outputs, and opens no gate, %s', async (_name, before, signal) => {
    const inputs = { 'fail-on': 'critical' };
    const scenario = { world: world([{ match: pull, times: 9, before }]), model: null, inputs };
    const stage = await setStage(scenario);
    const asked = vi.waitFor(() => expect(stage.github.requests).not.toEqual([]), { timeout: 20_000 });
    const run = await play(stage, { ...scenario, signalAfter: { signal, when: asked }, start: 'bundle' });
    expect([run.code, run.signal, run.outputs['outcome'], run.outputs['stop-reason']]).toEqual([
      ...[1, null, 'partial', 'cancelled'],
    ]);
    expect(run.summary).toContain('cancelled');
  });

  it('tells an error that nobody caught in the summary and the outputs, and not by a page of its own source', async () => {
    const { model } = halfReviewed();
    const progress = join(temporaryFolder(), 'progress.jsonl');
    const breaks = `import { existsSync, readFileSync } from 'node:fs';
      setInterval(() => {
        const text = existsSync(${JSON.stringify(progress)}) ? readFileSync(${JSON.stringify(progress)}, 'utf8') : '';
        if (text.includes('"type":"batch-end"')) throw new Error('out of nowhere');
      }, 20);`;
    const { run } = await review({
      start: 'bundle',
      world: world([]),
      model,
      inputs: { 'files-per-batch': '1', 'progress-file': progress },
      environment: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(breaks)}` },
    });
    expect([run.code, run.outputs['outcome'], run.summary.includes('out of nowhere')]).toEqual([1, 'failed', true]);
    expect(run.annotations.filter(({ level }) => level === 'error').map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/^out of nowhere. This is a defect of Postil/),
    );
    expect(run.log.split('\n').filter((line) => line.length > 2_000)).toEqual([]);
  });
});

describe('the post step', () => {
  const hanging = (signal: NodeJS.Signals, faults: readonly Fault[] = []) => {
    const { model, hung } = halfReviewed();
    return review({
      start: 'bundle',
      world: world(faults),
      inputs: { 'files-per-batch': '1', 'check-run': 'true' },
      model,
      signalAfter: { signal, when: hung },
    });
  };

  it.skipIf(lacks.signals)(
    'concludes the check of a cancelled run, which ended as partial with what was found, and then has nothing to do',
    async () => {
      const { github, run } = await hanging('SIGTERM');
      expect([run.signal, run.outputs['outcome'], github.comments()]).toEqual([null, 'partial', []]);
      expect(run.summary).toContain(finding.title);
      const before = checksOf(github);
      const post = await run.afterwards();
      expect([before, checksOf(github)]).toEqual([[['in_progress', undefined]], [['completed', 'cancelled']]]);
      const writes = github.writes().length;
      const again = await run.afterwards();
      expect([post, again].map(({ code, summary, outputs }) => [code, summary, outputs])).toEqual([
        [0, '', {}],
        [0, '', {}],
      ]);
      expect(github.writes().length).toBe(writes);
    },
  );

  it('does not review in place of a run that was killed before it began', async () => {
    const { github, run } = await review({
      world: world([]),
      model: [submit([finding])],
      signalAfter: { signal: 'SIGKILL', when: Promise.resolve() },
      start: 'bundle',
    });
    const post = await run.afterwards();
    expect([post.code, post.outputs, github.requests.length]).toEqual([0, {}, 0]);
  });

  it.skipIf(lacks.signals)('delivers a killed run to its end, when it is cancelled as well', async () => {
    const silent: Fault = { match: { method: 'PATCH', path: /\/check-runs\/\d+$/ }, times: 99, before: 'hang' };
    const { github, run } = await hanging('SIGKILL', [silent]);
    const asked = vi.waitUntil(() => github.requests.some(({ method }) => method === 'PATCH'), { timeout: 60_000 });
    const post = await run.afterwards({ signalAfter: { signal: 'SIGTERM', when: asked } });
    expect([post.code, post.signal, post.outputs['outcome']]).toEqual([0, null, 'failed']);
    expect(post.summary).toContain('The step ended early');
    expect(post.log).toContain('The check run could not be concluded.');
  });

  it('delivers a killed run: summary, outputs and the conclusion of its check', async () => {
    const { github, run } = await hanging('SIGKILL');
    expect([run.summary, run.outputs]).toEqual(['', {}]);
    const post = await run.afterwards();
    expect(post.summary).toContain('The step ended early');
    expect(post.outputs).toMatchObject({ outcome: 'failed', findings: '1' });
    expect(checksOf(github)).toEqual([['completed', 'failure']]);
  });
});
