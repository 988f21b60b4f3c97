import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UserError } from '../../core/errors.ts';
import { plural } from '../../core/text.ts';
import type { BareRepository, ObjectFormat } from './bare-repository.ts';
import { type Checkout, findWorkTree, parentsOf } from './checkout.ts';
import { type Environment, readingEnvironment } from './environment.ts';
import { createGit, type Git, GitError, lineOf } from './git.ts';
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

type NamedCommit = { readonly ref: string; readonly sha: string };

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

type SubjectOptions = {
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
      const ref = subject.base;
      const asked =
        ref === null ? chosenBase(revisions, subject.head) : revisions.resolve(ref).then((sha) => ({ ref, sha }));
      // Of two that do not exist the error names the head.
      asked.catch(() => undefined);
      const sha = await revisions.resolve(subject.head);
      const base = await asked;
      if (base === null) throw noBase(subject.head);
      return { ...none, base, head: { ref: subject.head, sha }, committed: sha };
    }
  }
}

async function uncommitted(options: SubjectOptions, { stagedOnly }: { stagedOnly: boolean }): Promise<LocalEnds> {
  const { revisions, bare, directory } = options;
  const [committed, chosen, workTree] = await Promise.all([
    revisions.head(),
    stagedOnly ? null : chosenBase(revisions, 'HEAD'),
    findWorkTree(directory),
  ]);
  const parent = committed ?? (await emptyCommit(bare.git));
  const current = { ref: committed === null ? 'no commit yet' : 'HEAD', sha: parent };
  const base = (committed === null ? null : chosen) ?? current;
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

async function firstParent(sha: string, { bare, revisions }: SubjectOptions): Promise<string | null> {
  const parents = await parentsOf(bare.git, sha);
  // Resolved, so that the error about a parent that was not fetched says what to do.
  return parents.length === 0 ? null : await revisions.resolve(`${sha}^1`);
}

function noBase(head: string): UserError {
  return new UserError(`${head} has no upstream, and there is no default branch (origin/HEAD, main, master).`, {
    hint: 'Name the commit to compare with: --base REV.',
  });
}

/** What is reviewed, in a line. */
export function reviewingLine(
  subject: LocalSubject,
  { ends, mergeBase, commits }: { ends: LocalEnds; mergeBase: string; commits: number },
): string {
  const { base, head, snapshot } = ends;
  const against = `against ${base.ref}${base.ref === 'no commit yet' ? '' : ` (${mergeBase.slice(0, 7)})`}`;
  switch (subject.kind) {
    case 'changes':
      return `Reviewing ${[
        ...(commits > 0 ? [plural(commits, 'commit')] : []),
        ...(snapshot === null ? [] : [`uncommitted changes in ${plural(snapshot.files, 'file')}`]),
      ].join(' and ')} ${against}.`;
    case 'staged':
      return `Reviewing staged changes in ${plural(snapshot?.files ?? 0, 'file')} ${against}.`;
    case 'commit':
      return `Reviewing commit ${head.sha.slice(0, 7)} ${against}.`;
    case 'range':
      return `Reviewing ${plural(commits, 'commit')} of ${head.ref} ${against}. Uncommitted changes are not part of it.`;
  }
}

/** Why there is nothing to review, in a sentence; null where there is something. */
export function whyNothing(
  { kind }: LocalSubject,
  { ends, commits }: { ends: LocalEnds; commits: number },
): string | null {
  const { base, head, snapshot, leftOut } = ends;
  if (snapshot !== null || leftOut.length > 0) return null;
  if (kind === 'staged') return 'Nothing is staged.';
  if (kind === 'commit' || commits > 0) return null;
  if (kind === 'range')
    return `${head.ref} has no commits that ${base.ref} lacks. Uncommitted changes are not part of it.`;
  const committed =
    base.ref === 'HEAD' || base.ref === 'no commit yet' ? '' : `, and no commits that ${base.ref} lacks`;
  return `No uncommitted changes${committed}.`;
}

/** The refs of a person's own repository. Nothing but `rev-parse` runs there: no hook, filter or program can start. */
type Revisions = {
  /** The full hash of the commit that a revision such as `HEAD~1` or `origin/main` names. @throws UserError */
  resolve(revision: string): Promise<string>;
  /** The same, null when there is none. */
  find(revision: string): Promise<string | null>;
  /** The commit of HEAD; null before the first one. @throws UserError where HEAD is damaged or git fails */
  head(): Promise<string | null>;
  /** A short name of a ref, such as `origin/main` for `@{upstream}`; null when it names none. */
  nameOf(ref: string): Promise<string | null>;
  objectFormat(): Promise<ObjectFormat>;
};

export function revisionsOf(options: { checkout: Checkout; environment: Environment; signal: AbortSignal }): Revisions {
  const { gitDirectory } = options.checkout;
  const git = createGit({
    directory: gitDirectory,
    environment: readingEnvironment(options.environment, gitDirectory),
    signal: options.signal,
  });
  return {
    resolve: async (revision) => {
      if (revision === '' || revision.startsWith('-')) {
        throw new UserError(`${JSON.stringify(revision)} is not a revision.`, { hint: revisionHint });
      }
      const hash = await commitOf(git, revision);
      if (typeof hash === 'string') return hash;
      throw await unknownRevision({ git, checkout: options.checkout, revision, cause: hash });
    },
    find: async (revision) => {
      const hash = await commitOf(git, revision);
      return typeof hash === 'string' ? hash : null;
    },
    head: async () => {
      const hash = await commitOf(git, 'HEAD');
      if (typeof hash === 'string') return hash;
      if (await isUnborn(options.checkout)) return null;
      throw unreadableHead(hash);
    },
    nameOf: async (ref) => {
      const name = await revParse(git, ref, '--abbrev-ref');
      return typeof name === 'string' && name !== '' ? name : null;
    },
    objectFormat: async () => {
      // Most never mention it, and need no child to say so.
      const written = await readFile(join(options.checkout.commonDirectory, 'config'), 'utf8').catch(() => '');
      if (!/objectformat/i.test(written)) return 'sha1';
      return (await lineOf(git, ['rev-parse', '--show-object-format'])) === 'sha256' ? 'sha256' : 'sha1';
    },
  };
}

export const shallowHint =
  'The clone is shallow: fetch more history (git fetch --unshallow, or fetch-depth: 0 for actions/checkout).';
const revisionHint = 'Name a commit, a branch, a tag, or something like HEAD~1.';

/** Whether HEAD names a branch that nobody has committed to; where there is such a ref, or no name, something is broken. */
async function isUnborn({ gitDirectory, commonDirectory }: Checkout): Promise<boolean> {
  const written = await readFile(join(gitDirectory, 'HEAD'), 'utf8').catch(() => '');
  const ref = /^ref: (refs\/\S+)/.exec(written)?.[1];
  if (ref === undefined) return false;
  const packed = await readFile(join(commonDirectory, 'packed-refs'), 'utf8').catch(() => '');
  return !packed.includes(` ${ref}\n`) && (await lstat(join(commonDirectory, ref)).catch(() => null)) === null;
}

function unreadableHead(cause: GitError | null): UserError {
  const hint = 'Run git status there, and repair what it names.';
  return new UserError('HEAD of this repository cannot be read.', { hint, cause: cause ?? undefined });
}

/** The hash of one commit; null for what git understands and is none, such as `^HEAD`, and its error for what it does not. */
async function commitOf(git: Git, revision: string): Promise<string | GitError | null> {
  const found = await revParse(git, `${revision}^{commit}`);
  return typeof found !== 'string' || /^[0-9a-f]{40,64}$/.test(found) ? found : null;
}

/** For people who wrote something else than one commit. */
function meantHint(revision: string): string | null {
  if (revision.startsWith('^')) return `Its parent is ${revision.slice(1)}^.`;
  return revision.includes('..') ? `Two revisions belong to --range: --range ${revision}.` : null;
}

async function revParse(git: Git, revision: string, ...options: readonly string[]): Promise<string | GitError> {
  try {
    return await lineOf(git, ['rev-parse', '--verify', '--quiet', ...options, revision]);
  } catch (error) {
    // Without an exit code git was cancelled: that is no matter of the revision.
    if (error instanceof GitError && error.exitCode !== null) return error;
    throw error;
  }
}

async function unknownRevision(problem: {
  git: Git;
  checkout: Checkout;
  revision: string;
  cause: GitError | null;
}): Promise<UserError> {
  const { git, checkout, revision } = problem;
  // With 1 git says only that there is none.
  const cause = problem.cause === null || problem.cause.exitCode === 1 ? undefined : problem.cause;
  const message = `There is no commit ${JSON.stringify(revision)} in this repository.`;
  const meant = meantHint(revision);
  if (meant !== null) return new UserError(message, { hint: meant });
  const shallow = await readFile(join(checkout.commonDirectory, 'shallow'), 'utf8').catch(() => '');
  if (shallow !== '') return new UserError(message, { hint: shallowHint, cause });
  const head = await revParse(git, 'HEAD^{commit}');
  const noCommit = 'Commit something first: HEAD has no commit.';
  if (typeof head !== 'string') {
    return (await isUnborn(checkout)) ? new UserError(message, { hint: noCommit, cause }) : unreadableHead(head);
  }
  if (!/[~^]\d*$/.test(revision)) return new UserError(message, { hint: revisionHint, cause });
  const count = await lineOf(git, ['rev-list', '--count', '--first-parent', head]);
  const hint = `HEAD has ${count} ${count === '1' ? 'commit' : 'commits'} in its history, and the first has nothing before it.`;
  return new UserError(message, { hint, cause });
}
