import { dirname, resolve } from 'node:path';
import { readConfiguration } from './bare-repository.ts';
import type { Checkout } from './find-checkout.ts';
import type { Git } from './run-git.ts';

/** Where a partial clone gets its missing objects from: the machine's own credentials apply. Null when it does not say. */
export async function promisorRemote(
  git: Git,
  checkout: Checkout,
): Promise<{ readonly url: string; readonly authorization: null } | null> {
  const settings = new Map(await readConfiguration(git, checkout));
  const named = [...settings].find(([key, value]) => /^remote\..*\.promisor$/s.test(key) && value === 'true')?.[0];
  const remote =
    named?.slice('remote.'.length, -'.promisor'.length) ?? settings.get('extensions.partialclone') ?? 'origin';
  const url = settings.get(`remote.${remote}.url`);
  if (url === undefined) return null;
  return { url: isRelativePath(url) ? resolve(dirname(checkout.commonDirectory), url) : url, authorization: null };
}

function isRelativePath(url: string): boolean {
  return url.startsWith('./') || url.startsWith('../');
}
