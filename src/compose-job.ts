import { annotationsSink } from './adapters/actions/annotations-sink.ts';
import { type JobEvent, type Target, targetOf } from './adapters/actions/event.ts';
import { createGitHub, type GitHub } from './adapters/github/client.ts';
import { findPullRequest } from './adapters/github/find-pull-request.ts';
import type { PullRequestReference } from './adapters/github/get-pull.ts';
import { gitHubPullRequestSource } from './adapters/github/pull-request-source.ts';
import { reviewSink } from './adapters/github/review-sink.ts';
import { environmentLayer, inputLayer, modelFor, systemClock, version } from './compose.ts';
import { type JobSources, openSources } from './compose-sources.ts';
import type { RenderContext } from './core/report/render-context.ts';
import { renderReviewPost } from './core/report/review-post.ts';
import type { Reporter } from './core/reporter.ts';
import type { Recorder, Sink } from './core/review/sink.ts';
import type { ReviewParts } from './core/review-pull-request.ts';
import { readConfigFile } from './core/settings/config-file.ts';
import type { Layer } from './core/settings/layers.ts';
import { parseSettings, previewSettings } from './core/settings/parse-settings.ts';
import type { Secrets, Settings } from './core/settings/settings.ts';
import { refuseForkCheckout } from './refuse-fork-checkout.ts';

export type JobContext = {
  readonly inputs: Readonly<Record<string, string>>;
  readonly secrets: Secrets;
  readonly event: JobEvent;
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
  const { layer, notes } = inputLayer(context.inputs);
  const trusted = [layer, environmentLayer(context.environment)];
  const preview = previewSettings(trusted);
  const target = targetOf(context.event, preview.pullRequest);
  if (target.kind === 'skip') return { kind: 'skip', why: target.reason };
  const github = gitHubOf(context);
  const found = await findReference(github, { context, target });
  if (found.kind === 'skip') return found;
  const source = gitHubPullRequestSource(github, found.reference);
  const pullRequest = await source.read();
  await refuseForkCheckout({ ...context, event: context.event.name, pullRequest });
  const sources = await openSources({
    ...context,
    ...found,
    github,
    source,
    pullRequest,
    token: context.secrets.githubToken,
  });
  try {
    const { settings, notes: fromSettings } = await readSettings(trusted, { sources, path: preview.config });
    const sinks = sinksFor(settings, {
      context,
      github,
      reference: found.reference,
      head: pullRequest.head.sha,
      source,
    });
    return {
      kind: 'review',
      close: sources.close,
      parts: await partsFor(context, {
        settings,
        sources,
        sinks,
        pullRequest,
        notes: [...notes, ...found.notes, ...fromSettings, ...sources.notes],
      }),
    };
  } catch (error) {
    await sources.close();
    throw error;
  }
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

async function findReference(
  github: GitHub,
  { context, target }: { context: JobContext; target: Exclude<Target, { kind: 'skip' }> },
): Promise<Found> {
  const { event, environment } = context;
  const serverUrl = environment['GITHUB_SERVER_URL'] ?? 'https://github.com';
  const reference = (number: number) => ({ ...event.repository, serverUrl, number });
  if (target.kind === 'number') return { kind: 'found', reference: reference(target.number), notes: [] };
  const run = await findPullRequest(github, event.repository, target);
  if (!run.found) return { kind: 'skip', why: run.reason };
  const others = run.others.map((other) => `#${other}`).join(', ');
  const notes = others === '' ? [] : [`The run's head is also that of ${others}; #${run.number} is reviewed.`];
  return { kind: 'found', reference: reference(run.number), notes };
}

async function readSettings(trusted: readonly Layer[], { sources, path }: { sources: JobSources; path: string }) {
  return parseSettings(trusted, await readConfigFile(sources.repository, path));
}

type SinkOptions = {
  readonly context: JobContext;
  readonly github: GitHub;
  readonly reference: PullRequestReference;
  readonly head: string;
  readonly source: { currentHead(): Promise<string | null> };
};

function sinksFor(settings: Settings, { context, github, reference, head, source }: SinkOptions): readonly Sink[] {
  if (settings.dryRun) return [];
  const comments = reviewSink({
    github,
    reference,
    commit: head,
    render: (review) => renderReviewPost(review, context.render),
    currentHead: () => source.currentHead(),
  });
  return [
    ...(settings.comments ? [comments] : []),
    ...(settings.annotations ? [annotationsSink({ redact: context.render.redact })] : []),
  ];
}

type Gathered = Pick<ReviewParts, 'settings' | 'sinks' | 'pullRequest' | 'notes'> & { readonly sources: JobSources };

async function partsFor(context: JobContext, gathered: Gathered): Promise<ReviewParts> {
  const { settings, pullRequest, sources } = gathered;
  const { report, secrets } = context;
  const subject = `${pullRequest.repository}#${pullRequest.number}`;
  const model = await modelFor(settings, { apiKey: secrets.apiKey, subject, report });
  report({
    type: 'review-start',
    version,
    model: model === null ? null : settings.model,
    profile: settings.profile,
    subject: `${subject} ${pullRequest.title}`,
  });
  for (const text of gathered.notes) report({ type: 'note', text });
  return {
    ...context,
    ...gathered,
    repository: sources.repository,
    search: sources.search,
    history: sources.history,
    changes: sources.changes,
    model,
    clock: systemClock,
    random: Math.random,
  };
}
