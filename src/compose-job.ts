import { annotationsSink } from './adapters/actions/annotations-sink.ts';
import type { JobEvent, Target } from './adapters/actions/event.ts';
import { createGitHub, type GitHub } from './adapters/github/client.ts';
import { findPullRequest } from './adapters/github/find-pull-request.ts';
import type { PullRequestReference } from './adapters/github/get-pull.ts';
import { gitHubPullRequestSource } from './adapters/github/pull-request-source.ts';
import { reviewSink } from './adapters/github/review-sink.ts';
import { announce, modelFor, systemClock, version } from './compose.ts';
import { type JobSources, openSources } from './compose-sources.ts';
import type { PullRequest } from './core/pull-request/pull-request.ts';
import type { PullRequestSource } from './core/pull-request/source.ts';
import type { RenderContext } from './core/report/render-context.ts';
import { renderReviewPost } from './core/report/review-post.ts';
import type { Reporter } from './core/reporter.ts';
import type { Recorder, Sink } from './core/review/sink.ts';
import type { ReviewParts } from './core/review-pull-request.ts';
import { readConfigFile } from './core/settings/config-file.ts';
import type { Layer } from './core/settings/layers.ts';
import { parseSettings, settingsFirst } from './core/settings/parse-settings.ts';
import type { Secrets, Settings } from './core/settings/settings.ts';
import { refuseForkCheckout } from './refuse-fork-checkout.ts';

export type JobContext = {
  readonly secrets: Secrets;
  readonly event: JobEvent;
  readonly target: Exclude<Target, { kind: 'skip' }>;
  /** Inputs and environment. */
  readonly trusted: readonly Layer[];
  /** The settings as they are without the config file. */
  readonly preview: Settings;
  readonly notes: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  readonly report: Reporter;
  readonly render: RenderContext;
  readonly recorders: readonly Recorder[];
  readonly temporaryFolder: string;
  readonly startedAt: number;
  readonly signal: AbortSignal;
};

/** What a job is about: a pull request with everything its review needs, or nothing, with the reason. */
export type Job =
  | { readonly kind: 'review'; readonly parts: ReviewParts; readonly close: () => Promise<void> }
  | { readonly kind: 'skip'; readonly why: string };

/** @throws UserError with what to change in the workflow. */
export async function openJob(context: JobContext): Promise<Job> {
  const opened = await settingsFirst(context.trusted, () => openPullRequest(context));
  if (opened.kind === 'skip') return opened;
  const { sources, pullRequest } = opened;
  try {
    const file = await readConfigFile(sources.repository, context.preview.config);
    const { settings, notes } = parseSettings(context.trusted, file);
    const sinks = sinksFor(settings, { context, opened });
    const allNotes = [...context.notes, ...opened.notes, ...notes, ...sources.notes];
    const parts = await partsFor(context, { settings, sources, sinks, pullRequest, notes: allNotes });
    return { kind: 'review', close: sources.close, parts };
  } catch (error) {
    await sources.close();
    throw error;
  }
}

type Opened = {
  readonly kind: 'opened';
  readonly github: GitHub;
  readonly reference: PullRequestReference;
  readonly source: PullRequestSource;
  readonly pullRequest: PullRequest;
  readonly sources: JobSources;
  readonly notes: readonly string[];
};

async function openPullRequest(context: JobContext): Promise<Opened | Extract<Job, { kind: 'skip' }>> {
  const github = gitHubOf(context);
  const found = await findReference(github, context);
  if (found.kind === 'skip') return found;
  const { reference, notes } = found;
  const source = gitHubPullRequestSource(github, reference);
  const pullRequest = await source.read();
  await refuseForkCheckout({ ...context, pullRequest });
  const token = context.secrets.githubToken;
  const sources = await openSources({ ...context, github, reference, source, pullRequest, token });
  return { kind: 'opened', github, reference, source, pullRequest, sources, notes };
}

function gitHubOf({ environment, secrets, report, signal }: JobContext): GitHub {
  return createGitHub({
    token: secrets.githubToken,
    apiUrl: environment['GITHUB_API_URL'] ?? 'https://api.github.com',
    graphqlUrl: environment['GITHUB_GRAPHQL_URL'] ?? 'https://api.github.com/graphql',
    userAgent: `postil/${version}`,
    onWait: (text) => report({ type: 'note', text }),
    signal,
  });
}

type Found =
  | { readonly kind: 'found'; readonly reference: PullRequestReference; readonly notes: readonly string[] }
  | { readonly kind: 'skip'; readonly why: string };

async function findReference(github: GitHub, { event, environment, target }: JobContext): Promise<Found> {
  const serverUrl = environment['GITHUB_SERVER_URL'] ?? 'https://github.com';
  const reference = (number: number) => ({ ...event.repository, serverUrl, number });
  if (target.kind === 'number') return { kind: 'found', reference: reference(target.number), notes: [] };
  const run = await findPullRequest(github, event.repository, target);
  if (!run.found) return { kind: 'skip', why: run.reason };
  const others = run.others.map((other) => `#${other}`).join(', ');
  const notes = others === '' ? [] : [`The run's head is also that of ${others}; #${run.number} is reviewed.`];
  return { kind: 'found', reference: reference(run.number), notes };
}

function sinksFor(
  settings: Settings,
  { context, opened }: { readonly context: JobContext; readonly opened: Opened },
): readonly Sink[] {
  if (settings.dryRun) return [];
  const { github, reference, source, pullRequest } = opened;
  const comments = reviewSink({
    github,
    reference,
    commit: pullRequest.head.sha,
    render: (review) => renderReviewPost(review, context.render),
    currentHead: () => source.currentHead(),
  });
  return [
    ...(settings.comments ? [comments] : []),
    ...(settings.annotations ? [annotationsSink({ redact: context.render.redact })] : []),
  ];
}

type Gathered = Pick<ReviewParts, 'settings' | 'sinks' | 'pullRequest' | 'notes'> & { readonly sources: JobSources };

/** Named one by one: secrets and the environment end here. */
async function partsFor(context: JobContext, gathered: Gathered): Promise<ReviewParts> {
  const { settings, sinks, pullRequest, notes, sources } = gathered;
  const { report, recorders, startedAt, signal, secrets } = context;
  const subject = `${pullRequest.repository}#${pullRequest.number}`;
  const model = await modelFor(settings, { apiKey: secrets.apiKey, subject, report });
  announce(report, { settings, model, notes, subject: `${subject} ${pullRequest.title}` });
  const { repository, search, history, changes } = sources;
  const told = { report, sinks, recorders, notes };
  const clocks = { clock: systemClock, random: Math.random, startedAt, signal };
  return { settings, pullRequest, repository, search, history, changes, model, ...told, ...clocks };
}
