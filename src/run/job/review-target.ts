import type { JobEvent } from '../../adapters/actions/event.ts';
import { gitHubPast } from '../../adapters/github/pull-request.ts';
import { type OpenSyntax, openSyntax } from '../../adapters/syntax/syntax.ts';
import { answerRequest } from '../../core/answer-request.ts';
import type { Reporter } from '../../core/events.ts';
import { postReview } from '../../core/handover/post-review.ts';
import type { ReviewFile } from '../../core/handover/review-file.ts';
import { asksForReview } from '../../core/history/asked.ts';
import { inEnglish } from '../../core/messages/languages.ts';
import { verbatim } from '../../core/messages/message.ts';
import { type Destination, isOnPullRequest, publishes, type ReviewRecord } from '../../core/review/sink.ts';
import { type ReviewParts, reviewPullRequest } from '../../core/review-pull-request.ts';
import type { RunTrigger } from '../../core/reviewing/parts.ts';
import { settingsFirst } from '../../core/settings/parse-settings.ts';
import { filesOf } from '../../core/settings/settings.ts';
import { type JobTarget, openGitHubSession, requestLimits } from '../github-session.ts';
import { type OpenPullRequest, openPullRequest } from '../open-pull-request.ts';
import { requireWritable } from '../output-files.ts';
import { announce, modelsFor, readChangesFor, recorded, startParser } from '../parts.ts';
import { tellEnd } from '../watched.ts';
import { acceptReply, answerDestination, authorizeRequest, mentionsCommands } from './comment-request.ts';
import type { Job } from './context.ts';
import { deliverFailure, deliverSkip, type StepResult } from './ending.ts';
import { failureDestinations, gitHubDestinations } from './github-destinations.ts';
import { handOverTo } from './handover.ts';
import { type JobSettings, readJobSettings, type Trigger } from './settings.ts';

/** Opens the pull request that the event is about, reviews it or answers a comment, and delivers what came out. */
export async function reviewTarget(job: Job, event: JobEvent, target: JobTarget): Promise<StepResult> {
  const { inputs, run, output } = job;
  const search = await settingsFirst(inputs.layers, () => openGitHubSession(job, event, target));
  if (search.kind === 'skip') return await deliverSkip(job, { why: verbatim(search.why), isEvent: search.isEvent });
  const { session } = search;
  const heard = target.kind === 'number' ? target.heard : undefined;
  const request = heard === undefined ? null : await authorizeRequest(heard, session, inputs.preview);
  // A comment without a command starts no review, so the reason is the headline.
  if (request !== null && 'why' in request)
    return await deliverSkip(job, { why: verbatim(request.why), isEvent: true, headline: [verbatim(request.why)] });
  const trigger: Trigger = { event, asked: request?.asked, notes: search.notes };
  const opened = new Closers();
  // The more is known, the more places show a failure.
  let failureGoesTo = () => [...failureDestinations(job, session, trigger.asked), ...output.destinations];
  try {
    requireOutputFiles(job);
    const parser = openParser(job, opened);
    const open = await settingsFirst(inputs.layers, () => openPullRequest(job, event, session));
    opened.add(open.code.close);
    const todo = await readJobSettings(job, trigger, open);
    const parts = await gatherParts(job, open, { todo, event, parser });
    failureGoesTo = () => parts.output.destinations.filter((destination) => showsFailure(destination, todo));
    tellEnd(run.startedAt, todo.settings.timeoutMinutes, run.clock);
    const record = await reviewOrPost(keptInJournal(parts, job), todo.handed.file);
    return stepResult(record);
  } catch (error) {
    return await deliverFailure(job, error, failureGoesTo());
  } finally {
    await opened.close();
  }
}

/** What a run closes when it ends, whichever way. */
class Closers {
  readonly #closers: (() => Promise<void>)[] = [];

  add(close: () => Promise<void>): void {
    this.#closers.push(close);
  }

  async close(): Promise<void> {
    await Promise.all(this.#closers.map((close) => close()));
  }
}

/** The pull request chose none of these files, and must not keep itself from being reviewed: a file that cannot be written is a warning. */
function requireOutputFiles({ inputs, output }: Job): void {
  requireWritable(filesOf(inputs.preview), { onProblem: (text) => output.report({ type: 'warning', text }) });
}

/** Starts the parser at once: it takes as long as git and all the rest. */
function openParser({ inputs, output, overrides }: Job, opened: Closers): OpenSyntax {
  const onProblem = (text: string) => output.report({ type: 'warning', text });
  const parser = overrides.syntax ?? openSyntax({ onProblem });
  opened.add(() => parser.close());
  startParser(parser, inputs.secrets.apiKey, inputs.preview);
  return parser;
}

type Gathering = { readonly todo: JobSettings; readonly event: JobEvent; readonly parser: OpenSyntax };

/** Names the parts one by one: secrets and the environment end here. */
export async function gatherParts(job: Job, open: OpenPullRequest, gathering: Gathering): Promise<ReviewParts> {
  const { inputs, run, output, overrides } = job;
  const { todo, event, parser } = gathering;
  const { session, pullRequest, keys, code } = open;
  const { settings, identity, handed, asked } = todo;
  const { github, reference } = session;
  github.limitTo(requestLimits(run.startedAt, settings.timeoutMinutes, overrides));
  output.configure({ language: settings.language, hears: hearsCommands(job, open, todo) });
  const places = gitHubDestinations(open, todo, output);
  const { images, ...models } = await askedModels(job, open, { todo, report: places.report });
  const answers = asked === undefined || settings.dryRun ? [] : [answerDestination(job, open, { ...todo, asked })];
  const parts: ReviewParts = {
    settings,
    identity,
    pullRequest,
    code: {
      ...{ repository: code.repository, search: code.search, history: code.history, syntax: parser, images },
      changes: readChangesFor(models.model === null ? null : parser, code.changes),
    },
    past: gitHubPast(github, { reference, keys, git: code }),
    models,
    run: { clock: run.clock, random: Math.random, startedAt: run.startedAt, signal: run.signal },
    output: {
      report: places.report,
      destinations: [...places.destinations, ...answers, ...output.destinations],
      signs: keys.signs,
      handOver: handOverTo(settings, { identity, context: output.render, keys, handed }),
      onAccept: asked === undefined || settings.dryRun ? undefined : () => acceptReply(session, asked),
    },
    trigger: startedBy(job, event, todo),
  };
  return recorded(parts, inputs.redact);
}

/** The models that the settings name, after the log has said what begins. */
async function askedModels(
  { inputs, overrides }: Job,
  { pullRequest, code }: OpenPullRequest,
  { todo, report }: { todo: JobSettings; report: Reporter },
) {
  const { settings, notes, asked, handed } = todo;
  const subject = `${pullRequest.repository}#${pullRequest.number}`;
  const models = await modelsFor(settings, {
    ...{ apiKey: inputs.secrets.apiKey, subject, report, images: code.images },
    imageFiles: overrides.imageFiles,
  });
  announce(report, {
    ...{ settings, notes, model: models.model },
    subject: `${subject} “${pullRequest.title}”`,
    made: handed.file?.draft.limits ?? null,
    answering: asked !== undefined && !asksForReview(asked),
  });
  return models;
}

function startedBy({ inputs }: Job, event: JobEvent, { notes, asked, handed }: JobSettings): RunTrigger {
  return {
    notes: notes.map(verbatim),
    asked,
    // The workflow alone says by which name a comment calls.
    called: inputs.preview.name,
    isByHand: event.name === 'workflow_dispatch',
    shard: handed.shard ?? undefined,
  };
}

function hearsCommands({ inputs }: Job, { pullRequest }: OpenPullRequest, { settings }: JobSettings): boolean {
  return settings.commands !== 'off' && mentionsCommands(inputs.layers, pullRequest);
}

/** Files show a failure, and so does a check of ours, which must not stay in progress. What publishes findings stays as it is. */
function showsFailure(destination: Destination, { asked }: JobSettings): boolean {
  // What somebody asked leaves the reviews alone.
  return asked === undefined ? !publishes(destination) : !isOnPullRequest(destination);
}

/** Lets the journal know every finding and every delivery. */
function keptInJournal(parts: ReviewParts, { output: { journal } }: Job): ReviewParts {
  const destinations = journal.noting(parts.output.destinations);
  return { ...parts, output: { ...parts.output, destinations, onFinding: journal.addFinding } };
}

function reviewOrPost(parts: ReviewParts, file: ReviewFile | null): Promise<ReviewRecord> {
  if (file !== null) return postReview(parts, file);
  return parts.trigger.asked === undefined ? reviewPullRequest(parts) : answerRequest(parts, parts.trigger.asked);
}

/** The step also fails when a file for another job, or an answer, could not be written. */
function stepResult({ review, deliveries, verdict }: ReviewRecord): StepResult {
  const awaited = ['plan-file', 'review-file', 'answer'];
  const lost = deliveries.find(({ sink, status }) => awaited.includes(sink) && status === 'failed');
  return lost === undefined
    ? verdict
    : { gate: 'failed', message: inEnglish.sentences(lost.reason.length > 0 ? lost.reason : review.headline) };
}
