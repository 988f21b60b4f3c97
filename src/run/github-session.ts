import type { JobEvent, Target } from '../adapters/actions/event.ts';
import { lastWordsLimits } from '../adapters/github/attempts.ts';
import { createGitHub, type GitHub, type GitHubOptions } from '../adapters/github/client.ts';
import type { GitHubSession, PullRequestReference } from '../adapters/github/pull.ts';
import { findPullRequest } from '../adapters/github/pull-request.ts';
import type { Reporter } from '../core/events.ts';
import { deadlines } from '../core/settings/settings.ts';
import { gitHubOptions } from './github-connection.ts';
import type { Job, JobOverrides } from './job/context.ts';
import type { RunClock } from './machine.ts';

/** What a client is created from. */
export type GitHubAccess = {
  readonly token: string;
  /** Names the API of a GitHub Enterprise Server. */
  readonly environment: NodeJS.ProcessEnv;
  readonly run: RunClock;
  readonly timeoutMinutes: number;
  readonly report: Reporter;
  readonly overrides: JobOverrides;
};

export type SessionSearch =
  | { readonly kind: 'found'; readonly session: GitHubSession; readonly notes: readonly string[] }
  /** `isEvent`: the run was for a push, which may have no pull request. */
  | { readonly kind: 'skip'; readonly why: string; readonly isEvent: boolean };

/** A target that names a pull request, or a commit by which it is found. */
export type JobTarget = Exclude<Target, { kind: 'skip' }>;

/** Finds the pull request that the event is about. */
export async function openGitHubSession(job: Job, event: JobEvent, target: JobTarget): Promise<SessionSearch> {
  const { environment, run, inputs, output, overrides } = job;
  const access: GitHubAccess = {
    token: inputs.secrets.githubToken,
    environment,
    run,
    timeoutMinutes: inputs.preview.timeoutMinutes,
    report: output.report,
    overrides,
  };
  const github = createClient(access);
  const serverUrl = environment['GITHUB_SERVER_URL'] ?? 'https://github.com';
  const sessionFor = (number: number) => openSession(access, { ...event.repository, number, serverUrl }, github);
  if (target.kind === 'number') return { kind: 'found', session: sessionFor(target.number), notes: [] };
  const found = await findPullRequest(github, event.repository, target);
  if (!found.found) return { kind: 'skip', why: found.reason, isEvent: target.isPush };
  const others = found.others.map((other) => `#${other}`).join(', ');
  const notes = others === '' ? [] : [`The head of this run also belongs to ${others}; reviewing #${found.number}.`];
  return { kind: 'found', session: sessionFor(found.number), notes };
}

export function openSession(
  access: GitHubAccess,
  reference: PullRequestReference,
  github = createClient(access),
): GitHubSession {
  return { github, lastWords: () => createLastWordsClient(access), reference };
}

/** Creates a client whose requests end before the run does, with time left to write what was found. */
function createClient(access: GitHubAccess): GitHub {
  const { run, overrides, timeoutMinutes } = access;
  return createGitHub({
    ...connectionOf(access),
    signal: run.signal,
    pace: overrides.pace ?? 'github',
    limits: requestLimits(run.startedAt, timeoutMinutes, overrides),
  });
}

/** Creates a client that ignores the cancelled run: its few requests are sent at once, or not at all. */
function createLastWordsClient(access: GitHubAccess): GitHub {
  const { run, overrides, timeoutMinutes } = access;
  const usual = requestLimits(run.startedAt, timeoutMinutes, overrides);
  return createGitHub({
    ...connectionOf(access),
    signal: new AbortController().signal,
    pace: 'none',
    limits: { ...usual, ...lastWordsLimits(run.clock.now()) },
  });
}

function connectionOf({ token, environment, run, report }: GitHubAccess): GitHubOptions {
  return gitHubOptions({ token, environment, clock: run.clock, onWait: (text) => report({ type: 'note', text }) });
}

/** Limits of one request: a short run cannot spend a minute on one that gets no answer. */
export function requestLimits(
  startedAt: number,
  timeoutMinutes: number,
  overrides: JobOverrides,
): GitHubOptions['limits'] & object {
  const whole = timeoutMinutes * 60_000;
  return {
    attempt: Math.min(30_000, Math.max(5_000, whole / 20)),
    patience: Math.min(60_000, Math.max(10_000, whole / 10)),
    end: deadlines(startedAt, timeoutMinutes).delivery,
    ...overrides.limits,
  };
}
