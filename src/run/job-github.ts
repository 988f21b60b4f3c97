import type { JobEvent, Target } from '../adapters/actions/event.ts';
import { lastWordsLimits } from '../adapters/github/attempts.ts';
import { createGitHub, type GitHub, type GitHubOptions } from '../adapters/github/client.ts';
import type { PullRequestReference } from '../adapters/github/pull.ts';
import { findPullRequest } from '../adapters/github/pull-request.ts';
import type { Clock } from '../core/agent/agent.ts';
import type { Reporter } from '../core/events.ts';
import { deadlines, type Secrets, type Settings } from '../core/settings/settings.ts';
import { version } from './machine.ts';

/** What a client of GitHub is made of. */
export type GitHubContext = {
  readonly secrets: Pick<Secrets, 'githubToken'>;
  /** The settings as they are without the config file. */
  readonly preview: Settings;
  readonly environment: NodeJS.ProcessEnv;
  readonly report: Reporter;
  /** By the clock. */
  readonly startedAt: number;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** As GitHub asks for when left out; 'none' for a server that does not count. */
  readonly pace?: GitHubOptions['pace'];
  /** Shorter limits of a request than those that follow from the time of the run. */
  readonly limits?: GitHubOptions['limits'];
};

/** Every request ends before the run does, with time left to write what was found. */
export function gitHubOf(context: GitHubContext, changes: Partial<GitHubOptions> = {}): GitHub {
  const { environment, secrets, report, signal, clock, pace = 'github', preview } = context;
  return createGitHub({
    token: secrets.githubToken,
    apiUrl: environment['GITHUB_API_URL'] ?? 'https://api.github.com',
    graphqlUrl: environment['GITHUB_GRAPHQL_URL'] ?? 'https://api.github.com/graphql',
    userAgent: `postil/${version}`,
    onWait: (text) => report({ type: 'note', text }),
    signal,
    clock,
    pace,
    ...changes,
    limits: { ...limitsFor(context, preview.timeoutMinutes), ...changes.limits },
  });
}

/** A short run cannot spend a minute on one silent request. */
export function limitsFor(
  { startedAt, limits }: Pick<GitHubContext, 'startedAt' | 'limits'>,
  timeoutMinutes: number,
): GitHubOptions['limits'] & object {
  const whole = timeoutMinutes * 60_000;
  return {
    attempt: Math.min(30_000, Math.max(5_000, whole / 20)),
    patience: Math.min(60_000, Math.max(10_000, whole / 10)),
    end: deadlines(startedAt, timeoutMinutes).delivery,
    ...limits,
  };
}

/** Writes after the run was cancelled. */
export function lastWordsOf(context: GitHubContext): () => GitHub {
  const late = { signal: new AbortController().signal, pace: 'none' } as const;
  return () => gitHubOf(context, { ...late, limits: lastWordsLimits(context.clock.now()) });
}

export type TargetSearch =
  | { readonly kind: 'found'; readonly reference: PullRequestReference; readonly notes: readonly string[] }
  /** `isEvent`: it was for a push, which may have no pull request. */
  | { readonly kind: 'skip'; readonly why: string; readonly isEvent: boolean };

/** The pull request that the job is about; found by the commit where the event does not name it. */
export async function findReference(
  github: GitHub,
  {
    event,
    environment,
    target,
  }: { event: Pick<JobEvent, 'repository'>; environment: NodeJS.ProcessEnv; target: Exclude<Target, { kind: 'skip' }> },
): Promise<TargetSearch> {
  const serverUrl = environment['GITHUB_SERVER_URL'] ?? 'https://github.com';
  const reference = (number: number) => ({ ...event.repository, serverUrl, number });
  if (target.kind === 'number') return { kind: 'found', reference: reference(target.number), notes: [] };
  const run = await findPullRequest(github, event.repository, target);
  if (!run.found) return { kind: 'skip', why: run.reason, isEvent: target.isPush };
  const others = run.others.map((other) => `#${other}`).join(', ');
  const notes = others === '' ? [] : [`The head of this run also belongs to ${others}; reviewing #${run.number}.`];
  return { kind: 'found', reference: reference(run.number), notes };
}
