import { mergeOf } from '../fakes/world/create-world.ts';
import { importCommits, type WorldFiles } from '../fakes/world/import-commits.ts';
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
  const { commits, pull, remote } = stage.world;
  const change = { files, ...(rename === undefined ? {} : { rename }) };
  const branch = force ? [change] : [...stage.world.branch, change];
  // Later than everything before; a branch that starts again has a time of its own, too.
  const minute = 100 + stage.world.branch.length * 10 + (force ? 1 : 0);
  const refs = ['refs/heads/feature', `refs/pull/${pull.number}/head`];
  const [head = '', merge = ''] = importCommits(remote.directory, [
    { parent: force ? commits.mergeBase : commits.head, changes: [change], message: 'Push', minute, refs },
    mergeOf({ base: commits.base, head: 0, branch, number: pull.number, minute: minute + 1 }),
  ]);
  await stage.github.moveHead(head);
  const world = {
    github: stage.world.github,
    remote,
    branch,
    // Not read before it is asked for: it is made then.
    get author() {
      return stage.world.author;
    },
    commits: { ...commits, head, merge },
    pull: { ...pull, head: { ...pull.head, sha: head } },
  };
  return { ...stage, world };
}
