import { lastWordsLimits } from '../adapters/github/attempts.ts';
import { createGitHub, type GitHub, type GitHubOptions } from '../adapters/github/client.ts';
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
