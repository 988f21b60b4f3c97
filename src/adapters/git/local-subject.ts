import { UserError } from '../../core/errors.ts';
import { plural } from '../../core/report/wording.ts';
import type { BareRepository } from './bare-repository.ts';
import { type Checkout, findWorkTree } from './find-checkout.ts';
import type { Environment } from './git-environment.ts';
import type { Revisions } from './resolve-revision.ts';
import { emptyCommit, type Snapshot, takeSnapshot } from './take-snapshot.ts';

/** What a person wants reviewed of their own repository. Revisions are as people write them: `HEAD~1`, `main`, a hash. */
export type LocalSubject =
  /** What is about to be committed or pushed: files as they lie, and the branch's commits. */
  | { readonly kind: 'changes' }
  | { readonly kind: 'staged' }
  /** One commit alone. */
  | { readonly kind: 'commit'; readonly revision: string }
  /** The commits of `head` that `base` lacks. Without a base it is the upstream or the default branch. */
  | { readonly kind: 'range'; readonly base: string | null; readonly head: string };

export type NamedCommit = { readonly ref: string; readonly sha: string };

export type LocalEnds = {
  readonly base: NamedCommit;
  readonly head: NamedCommit;
  /** The newest commit that a person made; the head, unless that is a snapshot. */
  readonly committed: string;
  /** Where the diff starts; null for where head left base. */
  readonly mergeBase: string | null;
  readonly snapshot: Snapshot | null;
  /** What the snapshot does not hold, a sentence for each reason. */
  readonly leftOut: readonly string[];
};

export type SubjectOptions = {
  readonly subject: LocalSubject;
  readonly directory: string;
  readonly checkout: Checkout;
  readonly revisions: Revisions;
  /** Takes the snapshot; it borrows the objects of the checkout. */
  readonly bare: BareRepository;
  readonly temporaryFolder: string;
  readonly environment: Environment;
  readonly signal: AbortSignal;
};

/** Finds the two commits to compare, and makes them where there are none. @throws UserError */
export async function findEnds(options: SubjectOptions): Promise<LocalEnds> {
  const { subject, revisions, bare } = options;
  const none = { mergeBase: null, snapshot: null, leftOut: [] };
  switch (subject.kind) {
    case 'changes':
      return uncommitted(options, { stagedOnly: false });
    case 'staged':
      return uncommitted(options, { stagedOnly: true });
    case 'commit': {
      const sha = await revisions.resolve(subject.revision);
      const parent = await firstParent(sha, options);
      const mergeBase = parent ?? (await emptyCommit(bare.git));
      const base = { ref: parent === null ? 'nothing, as the first commit' : 'its parent', sha: mergeBase };
      return { ...none, base, head: { ref: subject.revision, sha }, committed: sha, mergeBase };
    }
    case 'range': {
      const sha = await revisions.resolve(subject.head);
      const base =
        subject.base === null
          ? await chosenBase(revisions, subject.head)
          : { ref: subject.base, sha: await revisions.resolve(subject.base) };
      if (base === null) throw noBase(subject.head);
      return { ...none, base, head: { ref: subject.head, sha }, committed: sha };
    }
  }
}

async function uncommitted(options: SubjectOptions, { stagedOnly }: { stagedOnly: boolean }): Promise<LocalEnds> {
  const { revisions, bare, directory } = options;
  const committed = await revisions.find('HEAD');
  const parent = committed ?? (await emptyCommit(bare.git));
  const current = { ref: committed === null ? 'no commit yet' : 'HEAD', sha: parent };
  const base = (stagedOnly || committed === null ? null : await chosenBase(revisions, 'HEAD')) ?? current;
  const workTree = await findWorkTree(directory);
  if (workTree === null && stagedOnly) {
    throw new UserError(`${directory} is a bare repository, where nothing is staged.`, {
      hint: 'Name commits instead: --commit REV or --range A..B.',
    });
  }
  const taken =
    workTree === null
      ? { snapshot: null, leftOut: [] }
      : await takeSnapshot({ ...options, workTree, stagedOnly, parent });
  return {
    base,
    head: { ref: 'HEAD', sha: taken.snapshot?.commit ?? parent },
    committed: parent,
    mergeBase: null,
    ...taken,
  };
}

const defaultBranches = [
  ...['refs/remotes/origin/HEAD', 'refs/remotes/origin/main', 'refs/remotes/origin/master'],
  ...['refs/heads/main', 'refs/heads/master'],
];

/** Where a branch goes: its upstream, else the default branch. */
async function chosenBase(revisions: Revisions, head: string): Promise<NamedCommit | null> {
  for (const ref of [`${head}@{upstream}`, ...defaultBranches]) {
    const sha = await revisions.find(ref);
    if (sha !== null) return { ref: (await revisions.nameOf(ref)) ?? ref, sha };
  }
  return null;
}

// Read from the raw commit: at the border of a shallow clone git shows none.
async function firstParent(sha: string, { bare, revisions }: SubjectOptions): Promise<string | null> {
  const raw = (await bare.git.run(['cat-file', 'commit', sha])).stdout.toString('utf8');
  const [header = ''] = raw.split('\n\n');
  // Resolved, so that a parent that was not fetched is told with what to do about it.
  return /^parent [0-9a-f]+$/m.test(header) ? await revisions.resolve(`${sha}^1`) : null;
}

function noBase(head: string): UserError {
  return new UserError(`${head} has no upstream, and there is no default branch (origin/HEAD, main, master).`, {
    hint: 'Name the commit to compare with: --base REV.',
  });
}

/** What is reviewed, in a line. */
export function reviewingLine(
  subject: LocalSubject,
  { ends, mergeBase, commits }: { readonly ends: LocalEnds; readonly mergeBase: string; readonly commits: number },
): string {
  const { base, head, snapshot } = ends;
  const against = `against ${base.ref}${base.ref === 'no commit yet' ? '' : ` (${mergeBase.slice(0, 7)})`}`;
  switch (subject.kind) {
    case 'changes':
      if (snapshot === null && commits === 0) return nothing(base.ref);
      return `Reviewing ${[
        ...(commits > 0 ? [plural(commits, 'commit')] : []),
        ...(snapshot === null ? [] : [`uncommitted changes in ${plural(snapshot.files, 'file')}`]),
      ].join(' and ')} ${against}.`;
    case 'staged':
      if (snapshot === null) return 'Nothing to review: nothing is staged.';
      return `Reviewing staged changes in ${plural(snapshot.files, 'file')} ${against}.`;
    case 'commit':
      return `Reviewing commit ${head.sha.slice(0, 7)} ${against}.`;
    case 'range':
      return `Reviewing ${plural(commits, 'commit')} of ${head.ref} ${against}. Uncommitted changes are not part of it.`;
  }
}

function nothing(ref: string): string {
  const committed = ref === 'HEAD' || ref === 'no commit yet' ? '' : `, and no commits that ${ref} lacks`;
  return `Nothing to review: no uncommitted changes${committed}.`;
}
