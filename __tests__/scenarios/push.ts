import type { WorldFiles } from '../fakes/world/create-world.ts';
import type { Stage } from './review.ts';

export type PushOptions = {
  /** Path → new content; null deletes. */
  readonly files: WorldFiles;
  /** Rewrites the branch: the change starts again from where it left main. */
  readonly force?: boolean;
  /** A rename that git is to see as one: old path → new path, before `files` are written. */
  readonly rename?: readonly [string, string];
};

/** Pushes a commit to the pull request's branch, as its author would; the stage that comes back stands on it. */
export async function push<S extends Stage>(stage: S, { files, force = false, rename }: PushOptions): Promise<S> {
  const { author, commits, pull } = stage.world;
  author.git('checkout', '--quiet', '--force', '-B', 'feature', force ? commits.mergeBase : commits.head);
  if (rename !== undefined) author.git('mv', ...rename);
  const head = author.commit({ files, message: 'Push' });
  author.git('checkout', '--quiet', '--detach', commits.base);
  author.git('merge', '--quiet', '--no-ff', '--strategy-option=theirs', '-m', 'Merge', head);
  const merge = author.git('rev-parse', 'HEAD');
  const refs = [
    `${head}:refs/heads/feature`,
    `${head}:refs/pull/${pull.number}/head`,
    `${merge}:refs/pull/${pull.number}/merge`,
  ];
  author.git('push', '--quiet', '--force', 'origin', ...refs);
  await stage.github.moveHead(head);
  const world = {
    ...stage.world,
    commits: { ...commits, head, merge },
    pull: { ...pull, head: { ...pull.head, sha: head } },
  };
  return { ...stage, world };
}
