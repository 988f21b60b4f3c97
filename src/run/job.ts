import * as core from '@actions/core';
import { readEvent, targetOf } from '../adapters/actions/event.ts';
import { mask, readInputs } from '../adapters/actions/inputs.ts';
import { jobLogReporter } from '../adapters/actions/job-log.ts';
import { jobSummary, stepOutputs } from '../adapters/actions/recorders.ts';
import { Journal } from '../adapters/files/journal.ts';
import { reviewFiles } from '../adapters/files/recorders.ts';
import { pageName } from '../core/addresses.ts';
import { answerRequest } from '../core/answer-request.ts';
import { UserError } from '../core/errors.ts';
import { combineReporters } from '../core/events.ts';
import { postReview } from '../core/handover/post-review.ts';
import type { ReviewFile } from '../core/handover/review-file.ts';
import { stateKeyLines } from '../core/memory/signed-marks.ts';
import { neutralise } from '../core/report/text.ts';
import { deliver } from '../core/review/deliver.ts';
import { emptyReview } from '../core/review/empty-review.ts';
import { failure } from '../core/review/hints.ts';
import type { Review } from '../core/review/review.ts';
import { type Delivery, isOnPullRequest, publishes, type ReviewRecord } from '../core/review/sink.ts';
import { openGate, type Verdict } from '../core/review/verdict.ts';
import { type ReviewParts, reviewPullRequest } from '../core/review-pull-request.ts';
import { createRedactor, type Redactor } from '../core/secrets/redact.ts';
import { secretValues } from '../core/settings/formats.ts';
import { previewSettings, settingsFirst } from '../core/settings/parse-settings.ts';
import { filesOf, handsOver } from '../core/settings/settings.ts';
import { english, sayIn } from '../core/words/say.ts';
import { type catchBroken, journalOfJob } from './job-last-words.ts';
import { systemClock, temporaryFolder } from './machine.ts';
import type { JobContext } from './open-job.ts';
import { reporterFor } from './output-files.ts';
import { takeDownRun } from './parts.ts';
import { environmentLayer, inputLayer } from './setting-layers.ts';
import { tell, tellEnd } from './watched.ts';

export type JobOptions = {
  /** Of the step. Secrets among the inputs are deleted from it. */
  readonly environment: NodeJS.ProcessEnv;
  /** Milliseconds since 1970, by the clock. */
  readonly startedAt: number;
  readonly signal: AbortSignal;
  /** Called before anything can go wrong that nobody catches. */
  readonly onBegin?: ReturnType<typeof catchBroken>;
  /** This machine's when left out. */
  readonly clock?: JobContext['clock'];
} & Pick<JobContext, 'pace' | 'limits' | 'syntax' | 'imageFiles'>;

/** In a job: read the inputs, review, report, and map what came out to the exit of the step. */
export async function runJob({
  environment,
  startedAt,
  onBegin,
  clock = systemClock,
  ...options
}: JobOptions): Promise<void> {
  const {
    'github-token': githubToken = '',
    'api-key': apiKey = '',
    'state-key': written = '',
    ...inputs
  } = readInputs(environment);
  const stateKey = takeStateKey(environment, written);
  const layers = [inputLayer(inputs), environmentLayer(environment)];
  const trusted = layers.map(({ layer }) => layer);
  const notes = layers.flatMap((layer) => layer.notes);
  const preview = previewSettings(trusted);
  mask(secretValues(preview));
  const redact = createRedactor([githubToken, apiKey, ...stateKeyLines(stateKey), ...secretValues(preview)]);
  const runUrl = runUrlOf(environment);
  const taken = takeDownRun(runUrl, () => clock.now());
  let say = sayIn(preview.language) ?? english;
  const render = {
    ...renderContext(environment, redact),
    run: taken.run,
    // The config file, which is read later, may name another language.
    get say() {
      return say;
    },
  };
  const speak = (language: string) => {
    say = sayIn(language) ?? english;
  };
  const log = jobLogReporter({ redact, now: clock.now });
  onBegin?.({ redact, endLog: log.end });
  const folder = await temporaryFolder(environment['RUNNER_TEMP']);
  const path = journalOfJob(environment, { startedAt, folder: folder.path });
  const destinations = [
    ...reviewFiles(filesOf(preview), render),
    jobSummary(render, environment),
    stepOutputs({ redact }),
  ];
  const journal = new Journal({
    context: render,
    path,
    token: githubToken,
    startedAt,
    now: clock.now,
    destinations,
  });
  const all = combineReporters(log.report, taken.report, journal.count);
  const report = reporterFor(all, { path: preview.progressFile, redact });
  options.signal.addEventListener('abort', () => journal.cancel());
  tell({ journal: path, temporary: folder.path });
  tellEnd(startedAt, preview.timeoutMinutes, clock);
  try {
    const run = { ...options, environment, temporaryFolder: folder.path, runUrl, startedAt, clock };
    const secrets = { githubToken, apiKey, stateKey };
    const told = { report, render, speak, destinations, journal, onCheck: journal.setCheck };
    conclude(await reviewTarget({ ...run, ...told, secrets, trusted, preview, notes }), redact);
  } finally {
    log.end();
    await folder.remove();
  }
}

/** The input, or the variable, which is taken out of the environment in any case. */
function takeStateKey(environment: NodeJS.ProcessEnv, written: string): string {
  const inherited = environment['POSTIL_STATE_KEY'] ?? '';
  delete environment['POSTIL_STATE_KEY'];
  mask([inherited]);
  return written || inherited;
}

/** What a run came to. */
type Ended = Pick<Verdict, 'gate' | 'message'>;

type MainContext = JobContext & { readonly journal: Journal };

/** Whatever goes wrong is a review that failed: it is recorded like any other, so that no output and no summary lacks. */
async function reviewTarget(context: Omit<MainContext, 'event' | 'target'>): Promise<Ended> {
  try {
    const event = readEvent(context.environment);
    const target = await settingsFirst(context.trusted, async () => targetOf(event, context.preview));
    if (target.kind === 'skip')
      return await record({ reason: 'skipped', why: target.reason }, context, { isEvent: true });
    if (target.kind === 'number' && target.heard !== undefined) refuseGate(event.name, context.preview);
    return await reviewJob({ ...context, event, target });
  } catch (error) {
    return recordFailure(error, context);
  }
}

/**
 * A run that comments on lines start has a check at the head of the pull request, and what it says of somebody's words would stand for a review.
 *
 * @throws UserError
 */
function refuseGate(event: string, { failOn, requireComplete }: JobContext['preview']): void {
  if (!event.startsWith('pull_request_review') || (failOn === 'never' && !requireComplete)) return;
  throw new UserError(
    `A job with 'fail-on' or 'require-complete' cannot answer comments on lines (${event}): its check would pass for a review.`,
    {
      hint: `Answer them in a job of its own: ${pageName('commands.md')}`,
    },
  );
}

function recordFailure(error: unknown, context: Omit<MainContext, 'event' | 'target'>): Promise<Ended> {
  if (error instanceof Error && error.stack !== undefined) core.debug(neutralise(context.render.redact(error.stack)));
  return record(context.signal.aborted ? { reason: 'cancelled' } : failure(error), context);
}

async function reviewJob(context: MainContext): Promise<Ended> {
  // Loaded when there is something to review: GitHub's client takes a quarter of the start.
  const { openJob } = await import(/* webpackMode: "eager" */ './open-job.ts');
  const job = await openJob(context);
  // Of a comment that asks for nothing there is no review to speak of.
  const { heard } = context.target.kind === 'number' ? context.target : {};
  const said = job.kind === 'skip' && heard !== undefined ? { headline: job.why } : {};
  if (job.kind === 'skip')
    return record({ reason: 'skipped', why: job.why }, context, { ...said, isEvent: job.isEvent });
  if (job.kind === 'failed') return recordFailure(job.error, { ...context, destinations: job.destinations });
  try {
    const { parts, file } = job;
    tellEnd(context.startedAt, parts.settings.timeoutMinutes, context.clock);
    const { journal } = context;
    const kept = { ...parts, destinations: journal.noting(parts.destinations), onFinding: journal.addFinding };
    const reviewed = await reviewOf(kept, file);
    const { review, deliveries, verdict } = reviewed;
    const awaited = ['plan-file', 'review-file', 'answer'];
    const unhanded = deliveries.find(({ sink, status }) => awaited.includes(sink) && status === 'failed');
    return unhanded === undefined ? verdict : { gate: 'failed', message: unhanded.reason ?? review.headline };
  } catch (error) {
    // Those that write to GitHub are reported too: a check of ours must not stay in progress. What somebody asked leaves the reviews alone.
    const isLeft = job.parts.asked === undefined ? publishes : isOnPullRequest;
    const destinations = job.parts.destinations.filter((one) => !isLeft(one));
    return await recordFailure(error, { ...context, destinations });
  } finally {
    await job.close();
  }
}

function reviewOf(parts: ReviewParts, file: ReviewFile | null): Promise<ReviewRecord> {
  if (file !== null) return postReview(parts, file);
  return parts.asked === undefined ? reviewPullRequest(parts) : answerRequest(parts, parts.asked);
}

type Reporting = Pick<MainContext, 'journal' | 'destinations' | 'report' | 'clock' | 'startedAt' | 'preview'>;

async function record(
  stop: Parameters<typeof emptyReview>[0],
  { journal, destinations, report, clock, startedAt, preview }: Reporting,
  { isEvent = false, headline }: { isEvent?: boolean; headline?: string } = {},
): Promise<Ended> {
  const milliseconds = clock.now() - startedAt;
  // An event for no pull request has none; every other end may have come before its comments were read.
  const earlier = isEvent ? 'known' : 'unknown';
  const empty = emptyReview(stop, { pullRequest: null, milliseconds, isEvent, earlier });
  const review: Review = headline === undefined ? empty : { ...empty, headline };
  report({ type: 'review-end', outcome: review.outcome, headline: review.headline, milliseconds });
  const onDelivery = (delivery: Delivery) => report({ type: 'delivery-end', delivery });
  const gate = handsOver(preview) ? openGate : preview;
  return (await deliver(review, { destinations: journal.noting(destinations), gate }, onDelivery)).verdict;
}

/** The last line of the log: what the run came to. */
function conclude({ gate, message: said }: Ended, redact: (text: string) => string): void {
  const message = neutralise(redact(said));
  if (gate === 'fine') core.info(message);
  else if (gate === 'warn') core.warning(message, { title: 'Postil' });
  else core.setFailed(message);
}

/** Of this workflow run; null outside of a job. */
function runUrlOf(environment: NodeJS.ProcessEnv): string | null {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name, GITHUB_RUN_ID: run } = environment;
  const isJob = server !== undefined && name !== undefined && run !== undefined;
  return isJob ? `${server}/${name}/actions/runs/${run}` : null;
}

function renderContext(environment: NodeJS.ProcessEnv, redact: Redactor): JobContext['render'] {
  return {
    serverUrl: environment['GITHUB_SERVER_URL'] ?? 'https://github.com',
    repository: environment['GITHUB_REPOSITORY'] ?? null,
    redact,
    name: 'Postil',
  };
}
