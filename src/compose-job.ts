import type { JobEvent, Target } from './adapters/actions/event.ts';
import { createGitHub, type GitHub } from './adapters/github/client.ts';
import { findPullRequest } from './adapters/github/find-pull-request.ts';
import type { PullRequestReference } from './adapters/github/get-pull.ts';
import { gitHubPast } from './adapters/github/past.ts';
import { gitHubPullRequestSource } from './adapters/github/pull-request-source.ts';
import { announce, modelFor, systemClock, version } from './compose.ts';
import { deliveriesOf } from './compose-delivery.ts';
import { type JobSources, openSources } from './compose-sources.ts';
import type { RunIdentity } from './core/memory/run-identity.ts';
import { settingsDigest } from './core/memory/settings-digest.ts';
import type { PullRequest } from './core/pull-request/pull-request.ts';
import type { PullRequestSource } from './core/pull-request/source.ts';
import type { RenderContext } from './core/report/render-context.ts';
import type { Reporter } from './core/reporter.ts';
import type { Recorder } from './core/review/sink.ts';
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
  const { sources } = opened;
  try {
    const file = await readConfigFile(sources.repository, context.preview.config);
    const { settings, notes } = parseSettings(context.trusted, file);
    const allNotes = [...context.notes, ...opened.notes, ...notes, ...sources.notes];
    const parts = await partsFor(context, { opened, settings, notes: allNotes });
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

/** Named one by one: secrets and the environment end here. */
async function partsFor(
  context: JobContext,
  {
    opened,
    settings,
    notes,
  }: { readonly opened: Opened; readonly settings: Settings; readonly notes: readonly string[] },
): Promise<ReviewParts> {
  const { startedAt, signal, secrets, render } = context;
  const { github, reference, source, pullRequest, sources } = opened;
  const subject = `${pullRequest.repository}#${pullRequest.number}`;
  const identity = identityOf(settings, context);
  const to = { settings, github, reference, source, pullRequest, identity, render, report: context.report };
  const { report, sinks, recorders } = deliveriesOf({ ...to, runUrl: runUrlOf(context) });
  const model = await modelFor(settings, { apiKey: secrets.apiKey, subject, report });
  announce(report, { settings, model, notes, subject: `${subject} ${pullRequest.title}` });
  const { repository, search, history, changes, changesBetween } = sources;
  const past = gitHubPast(github, { reference, head: pullRequest.head.sha, diff: changesBetween });
  const told = {
    report,
    sinks,
    recorders: [...recorders, ...context.recorders],
    notes,
    handOver: null,
  };
  const clocks = { clock: systemClock, random: Math.random, startedAt, signal };
  const read = { pullRequest, repository, search, history, changes, past };
  return { settings, identity, ...read, model, ...told, ...clocks };
}

function identityOf(settings: Settings, { environment, secrets }: JobContext): RunIdentity {
  const withModel = secrets.apiKey !== '' && settings.profile !== 'offline';
  return {
    name: settings.name || environment['GITHUB_WORKFLOW'] || 'Postil',
    run: `${environment['GITHUB_RUN_ID'] ?? '0'}-${environment['GITHUB_RUN_ATTEMPT'] ?? '1'}`,
    settings: settingsDigest(settings, { withModel }),
  };
}

function runUrlOf({ environment, event }: JobContext): string | null {
  const { GITHUB_SERVER_URL: server, GITHUB_RUN_ID: run } = environment;
  if (server === undefined || run === undefined) return null;
  return `${server}/${event.repository.owner}/${event.repository.repository}/actions/runs/${run}`;
}
