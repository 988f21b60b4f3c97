import { openShared } from '../adapters/github/api-repository.ts';
import type { GitHub } from '../adapters/github/client.ts';
import type { Repository } from '../core/repository/repository.ts';
import type { Layer } from '../core/settings/parse-settings.ts';
import type { Settings } from '../core/settings/settings.ts';
import { sharedConfigIn, withShared } from '../core/settings/shared-config.ts';

/** What comes with a config file of another repository; nothing without one. */
export type SharedSettings = {
  /** `config` with the commit in place of its tag: another commit is another review. */
  readonly layers: readonly Layer[];
  readonly notes: readonly string[];
  /** The repository with the shared files in it. */
  readonly seenIn: (repository: Repository) => Repository;
};

/** @throws UserError when the other repository cannot be read. */
export async function readShared(github: GitHub, { config }: Pick<Settings, 'config'>): Promise<SharedSettings> {
  const shared = sharedConfigIn(config);
  if (shared === null) return { layers: [], notes: [], seenIn: (repository) => repository };
  const { owner, repository: name, ref, path } = shared;
  const { files, commit } = await openShared(github, shared);
  const pinned = `${owner}/${name}@${commit}:${path}`;
  return {
    layers: [{ where: 'input', trusted: true, values: { config: pinned } }],
    notes: [
      `Shared configuration: ${path} of ${owner}/${name} at ${ref}${ref === commit ? '' : ` (${commit.slice(0, 12)})`}.`,
    ],
    seenIn: (repository) => withShared(repository, files, shared),
  };
}
