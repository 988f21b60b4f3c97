import { join } from 'node:path';
import type { Checkout } from './find-checkout.ts';
import { configurationEnvironment, type Environment } from './git-environment.ts';
import { createGit } from './run-git.ts';

/** Settings that decide whether a file differs from what is staged. None of them starts a program. */
const comparing =
  '^core\\.(autocrlf|eol|filemode|symlinks|ignorecase|precomposeunicode|trustctime|checkstat|sparsecheckout|sparsecheckoutcone)$';

/**
 * How the person's git reads a work tree: line endings, file modes, and the file of what is ignored everywhere. From the machine's
 * configuration and the repository's, by `git config`, which starts nothing.
 */
export async function personalSettings(options: {
  readonly checkout: Checkout;
  readonly environment: Environment;
  readonly signal: AbortSignal;
}): Promise<readonly (readonly [string, string])[]> {
  const { checkout, environment, signal } = options;
  const directory = checkout.gitDirectory;
  const git = createGit({ directory, environment: configurationEnvironment(environment, directory), signal });
  const ask = async (args: readonly string[]) =>
    (await git.run(['config', '--null', ...args], { accept: [1] })).stdout.toString('utf8').split('\0').slice(0, -1);
  const settings = (await ask(['--get-regexp', comparing])).map((record) => {
    const end = record.indexOf('\n');
    // A key without a value is a true one.
    return end === -1 ? ([record, 'true'] as const) : ([record.slice(0, end), record.slice(end + 1)] as const);
  });
  const ignore = (await ask(['--type=path', '--get', 'core.excludesFile'])).at(-1) ?? usualIgnoreFile(environment);
  return [...settings, ...(ignore === null ? [] : [['core.excludesFile', ignore] as const])];
}

function usualIgnoreFile(environment: Environment): string | null {
  const { XDG_CONFIG_HOME: configuration = '', HOME: home = '' } = environment;
  if (configuration !== '') return join(configuration, 'git', 'ignore');
  return home === '' ? null : join(home, '.config', 'git', 'ignore');
}
