import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import manifest from '../../package.json' with { type: 'json' };
import type { Clock } from '../core/agent/agent.ts';

export const version: string = manifest.version;

/**
 * The clock of this machine as it was when the process began, and the time since: whoever sets it meanwhile moves no deadline. Waiting ends early,
 * without an error, when the run is aborted.
 */
export const systemClock: Clock = {
  now: () => Math.round(performance.timeOrigin + performance.now()),
  wait: async (milliseconds, signal) => {
    await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
  },
};

/** When a run began, what time it is for it, and what ends it early. */
export type RunClock = {
  readonly clock: Clock;
  /** Milliseconds since 1970, by the clock: the timeout counts from here. */
  readonly startedAt: number;
  /** Aborted when the job or the person cancels. */
  readonly signal: AbortSignal;
};

/** A temporary folder of this run; `remove` deletes it and never throws. */
export async function temporaryFolder(
  parent: string | undefined,
): Promise<{ path: string; remove: () => Promise<void> }> {
  const inSystem = () => mkdtemp(join(tmpdir(), 'postil-'));
  // A parent that cannot be written to must not end the run before it can report it.
  const path = await (parent === undefined || parent === ''
    ? inSystem()
    : mkdtemp(join(parent, 'postil-')).catch(inSystem));
  const remove = () => rm(path, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  return { path, remove };
}

/** The person's own, each for other servers, as GitHub's command line has them; empty where there is none. */
export type Tokens = { readonly gitHub: string; readonly enterprise: string };

export const noTokens: Tokens = { gitHub: '', enterprise: '' };

/** Taken out of the environment, where children and crash reports would see them. */
export function takeTokens(environment: NodeJS.ProcessEnv): Tokens {
  const take = (...names: readonly string[]) => {
    const values = names.map((name) => environment[name]?.trim() ?? '');
    for (const name of names) delete environment[name];
    return values.find((value) => value !== '') ?? '';
  };
  return {
    gitHub: take('GITHUB_TOKEN', 'GH_TOKEN'),
    enterprise: take('GITHUB_ENTERPRISE_TOKEN', 'GH_ENTERPRISE_TOKEN'),
  };
}
