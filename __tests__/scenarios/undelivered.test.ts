import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { FakeGitHub } from '../fakes/github-server/start-github.ts';
import type { Fault, FaultAnswer } from '../fakes/github-server/store.ts';
import { FakeClock, temporaryFolder } from '../fakes/memory-repository.ts';
import { broken, submit } from '../fakes/model-server/script.ts';
import { play, review, type Scenario, setStage, totalWorld, writesBesideSummary } from './review.ts';

const world = (faults: readonly Fault[]) => ({
  base: { 'src/alpha.ts': 'export const alpha = 1;\n', 'web/beta.ts': 'export const beta = 1;\n' },
  head: { 'src/alpha.ts': 'export const alpha = 222;\n', 'web/beta.ts': 'export const beta = 333;\n' },
  github: { faults },
});
const finding = { path: 'src/alpha.ts', quote: 'export const alpha = 222;', title: 'Alpha is too large' };
const reviews = { method: 'POST', path: /\/pulls\/\d+\/reviews$/ };
const listedReviews = { method: 'GET', path: /\/pulls\/\d+\/reviews$/ };
const pull = { method: 'GET', path: /\/pulls\/\d+$/ };

/** A promise, and what fulfils it. */
function event() {
  let happen = () => {};
  const happened = new Promise<void>((resolve) => {
    happen = resolve;
  });
  return { happened, happen: () => happen() };
}

function checksOf(github: FakeGitHub) {
  return github.checkRuns().map(({ content }) => [content['status'], content['conclusion']]);
}

/** One batch is reviewed, the other's model hangs; `hung` is when both are so. */
function halfReviewed() {
  const hung = event();
  const model = {
    batches: [
      {
        when: ({ prompt }: { prompt: string }) => prompt.includes('beta = 333'),
        answers: () => {
          // The other batch's answer needs a moment to arrive, and the journal a second.
          setTimeout(hung.happen, 1_500);
          return broken('hang');
        },
      },
    ],
    answers: [submit([finding])],
  };
  return { model, hung: hung.happened };
}

/** Plays in a time that passes while the model hangs and nothing else goes on, and afterwards while GitHub is silent. */
async function playPatiently(scenario: Scenario, { otherBatches }: { readonly otherBatches: number }) {
  const folder = temporaryFolder();
  const [progress, report] = [join(folder, 'progress.jsonl'), join(folder, 'report.md')];
  const stage = await setStage(scenario);
  const clock = new FakeClock(Date.now());
  const unanswered = (asked: readonly { readonly status: number | null }[]) =>
    asked.filter(({ status }) => status === null).length;
  let leapsOfModel: number | null = null;
  const isQuiet = () => {
    const events = existsSync(progress) ? readFileSync(progress, 'utf8') : '';
    if (!events.includes('"type":"review-end"')) {
      return unanswered(stage.model.attempts) > 0 && events.split('"type":"batch-end"').length > otherBatches;
    }
    leapsOfModel ??= clock.leaps;
    return clock.isHanging(leapsOfModel + unanswered(stage.github.requests));
  };
  const startedAt = clock.now();
  const inputs = { ...scenario.inputs, 'progress-file': progress, 'report-file': report };
  const run = await play(stage, { ...scenario, inputs, time: { clock, isQuiet } });
  return {
    github: stage.github,
    run,
    report: readFileSync(report, 'utf8'),
    minutes: (clock.now() - startedAt) / 60_000,
  };
}

describe('a run whose time is over while the model hangs', () => {
  const alpha = 'Alpha is too large';

  it('posts what was found so far, and names what was not reviewed', async () => {
    const scenario = {
      world: world([]),
      model: halfReviewed().model,
      inputs: { 'files-per-batch': '1', verify: 'false' },
    };
    const { github, run, minutes } = await playPatiently(scenario, { otherBatches: 1 });
    const { outcome, posted } = run.outputs;
    expect({ outcome, posted, comments: github.comments().map(({ path }) => path) }).toEqual({
      outcome: 'partial',
      posted: '1',
      comments: ['src/alpha.ts'],
    });
    expect(github.conversation()[0]?.body).toMatch(/Not reviewed[\s\S]*web\/beta\.ts/);
    expect([minutes > 10, minutes < 15]).toEqual([true, true]);
  });

  it('says what could not be delivered when GitHub is silent, too, and has it in summary, annotations and files', async () => {
    const scenario = {
      world: world([{ match: reviews, times: 99, before: 'hang' }]),
      model: halfReviewed().model,
      inputs: { 'files-per-batch': '1', verify: 'false' },
    };
    const { github, run, report, minutes } = await playPatiently(scenario, { otherBatches: 1 });
    expect([run.outputs['outcome'], run.outputs['posted'], github.comments()]).toEqual(['partial', '0', []]);
    expect(run.summary).toContain('1 of 2 batches were not reviewed. Not delivered: pull request review.');
    expect([run.summary, report].map((text) => text.includes(alpha))).toEqual([true, true]);
    expect(run.annotations.some(({ title }) => title?.includes(alpha))).toBe(true);
    expect(minutes).toBeLessThan(15);
  });

  it('is no review that found nothing, when the model never answered', async () => {
    const scenario = { world: totalWorld, model: () => broken('hang') };
    const { github, run } = await playPatiently(scenario, { otherBatches: 0 });
    const { outcome, approved } = run.outputs;
    expect({ outcome, approved, written: writesBesideSummary(github) }).toEqual({
      outcome: 'partial',
      approved: 'false',
      written: [],
    });
    expect(github.conversation()[0]?.body).toContain('Not reviewed');
    expect(run.summary).toContain('src/total.ts');
  });
});

describe('a run that GitHub or the runner breaks', () => {
  it('says everything in the summary when GitHub accepts the review and stays silent, and warns that it is not posted', async () => {
    const silent: Fault = { match: reviews, times: 9, before: 'hang' };
    const scenario = { world: world([silent]), inputs: { verify: 'false' }, model: [submit([finding]), submit([])] };
    const { run } = await playPatiently(scenario, { otherBatches: 0 });
    expect([run.code, run.outputs['outcome'], run.outputs['posted']]).toEqual([0, 'findings', '0']);
    expect(run.summary).toContain('Not delivered: pull request review');
    expect(run.summary).toContain('Alpha is too large');
    expect(run.annotations.map(({ level, title }) => [level, title])).toContainEqual(['warning', 'Postil']);
  });

  it('posts nothing twice when the answer is cut and so is the look-up, and prints nothing of itself', async () => {
    const faults: readonly Fault[] = [
      { match: reviews, times: 1, after: 'cut' },
      { match: listedReviews, times: 99, before: 'empty' },
    ];
    const { github, run } = await review({
      start: 'bundle',
      world: world(faults),
      inputs: { verify: 'false' },
      model: [submit([finding]), submit([])],
    });
    expect([github.reviews().length, github.comments().length, run.outputs['outcome']]).toEqual([1, 1, 'findings']);
    expect(run.log.split('\n').filter((line) => line.length > 2_000)).toEqual([]);
  });

  it.each<[string, FaultAnswer]>([
    ['while a request to GitHub hangs', 'hang'],
    ['while it waits out a rate limit', 'rate limit of a minute'],
  ])('ends as cancelled, with summary and outputs, %s', async (_name, before) => {
    const scenario = { world: world([{ match: pull, times: 9, before }]), model: null };
    const stage = await setStage(scenario);
    const asked = vi.waitFor(() => expect(stage.github.requests).not.toEqual([]), { timeout: 20_000 });
    const run = await play(stage, { ...scenario, signalAfter: { signal: 'SIGINT', when: asked }, start: 'bundle' });
    expect([run.signal, run.outputs['outcome'], run.outputs['stop-reason']]).toEqual([null, 'partial', 'cancelled']);
    expect(run.summary).toContain('The run was cancelled');
  });

  it('tells an error that nobody caught in the summary and the outputs, and not by a page of its own source', async () => {
    const { model } = halfReviewed();
    const breaks = 'setTimeout(() => { throw new Error("out of nowhere"); }, 3000)';
    const { run } = await review({
      start: 'bundle',
      world: world([]),
      model,
      environment: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(breaks)}` },
    });
    expect([run.code, run.outputs['outcome']]).toEqual([1, 'failed']);
    expect(run.summary).toMatch(/^## Postil · The review failed: out of nowhere/);
    expect(run.annotations.map(({ level, message }) => [level, message])).toContainEqual([
      'error',
      'out of nowhere. This is a defect of Postil. Run the job again with debug logging and report it with the log.',
    ]);
    expect(run.log.split('\n').filter((line) => line.length > 2_000)).toEqual([]);
  });

  it('has its check concluded by the post step after it was cancelled, and then nothing is left to do', async () => {
    const { model, hung } = halfReviewed();
    const { github, run } = await review({
      start: 'bundle',
      world: world([]),
      inputs: { 'files-per-batch': '1', 'check-run': 'true' },
      model,
      signalAfter: { signal: 'SIGTERM', when: hung },
    });
    const before = checksOf(github);
    const post = await run.afterwards();
    expect([before, checksOf(github)]).toEqual([[['in_progress', undefined]], [['completed', 'cancelled']]]);
    expect([post.code, post.summary, post.outputs]).toEqual([0, '', {}]);
    const writes = github.writes().length;
    const again = await run.afterwards();
    expect([again.code, again.summary, again.outputs, github.writes().length]).toEqual([0, '', {}, writes]);
  });

  it('is not reviewed by the post step when it was killed before it began', async () => {
    const now = Promise.resolve();
    const { github, run } = await review({
      world: world([]),
      model: [submit([finding]), submit([])],
      signalAfter: { signal: 'SIGKILL', when: now },
      start: 'bundle',
    });
    const post = await run.afterwards();
    expect([post.code, post.outputs, github.requests.length]).toEqual([0, {}, 0]);
  });

  it('is delivered by the post step to its end, when that is cancelled as well', async () => {
    const { model, hung } = halfReviewed();
    const silent: Fault = { match: { method: 'PATCH', path: /\/check-runs\/\d+$/ }, times: 99, before: 'hang' };
    const { github, run } = await review({
      start: 'bundle',
      world: world([silent]),
      inputs: { 'files-per-batch': '1', 'check-run': 'true' },
      model,
      signalAfter: { signal: 'SIGKILL', when: hung },
    });
    const asked = vi.waitUntil(() => github.requests.some(({ method }) => method === 'PATCH'), { timeout: 60_000 });
    const post = await run.afterwards({ signalAfter: { signal: 'SIGTERM', when: asked } });
    expect([post.code, post.signal, post.outputs['outcome']]).toEqual([0, null, 'failed']);
    expect(post.summary).toContain('The step ended early');
    expect(post.log).toContain('The check run could not be concluded.');
  });

  it('is delivered by the post step when it was killed: summary, outputs and the conclusion of its check', async () => {
    const { model, hung } = halfReviewed();
    const { github, run } = await review({
      start: 'bundle',
      world: world([]),
      inputs: { 'files-per-batch': '1', 'check-run': 'true' },
      model,
      signalAfter: { signal: 'SIGKILL', when: hung },
    });
    expect([run.summary, run.outputs]).toEqual(['', {}]);
    const post = await run.afterwards();
    expect(post.summary).toContain('The step ended early');
    expect(post.outputs).toMatchObject({ outcome: 'failed', findings: '1' });
    expect(checksOf(github)).toEqual([['completed', 'failure']]);
  });
});
