import { tmpdir } from 'node:os';
import { readConfiguration } from './bare-repository.ts';
import { findCheckout } from './find-checkout.ts';
import { type Environment, readingEnvironment } from './git-environment.ts';
import { createGit } from './run-git.ts';

/** Where the repository that a directory lies in was cloned from; null when it does not say. Read from its file: no git runs in it. */
export async function originUrl(directory: string, environment: Environment): Promise<string | null> {
  const checkout = await findCheckout(directory);
  if (checkout === null) return null;
  const outside = tmpdir();
  const signal = new AbortController().signal;
  const git = createGit({ directory: outside, environment: readingEnvironment(environment, outside), signal });
  const settings = new Map(await readConfiguration(git, checkout));
  return settings.get('remote.origin.url') ?? null;
}
