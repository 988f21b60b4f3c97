import { UserError } from '../../core/errors.ts';
import type { ChangedFile } from '../../core/pull-request/changed-file.ts';
import type { Changes } from '../../core/pull-request/pull-request.ts';
import type { History, ImageSource, Repository, Revision, TextSearch } from '../../core/repository/repository.ts';
import { type BareRepository, createBareRepository, isPartial, objectFormatOf } from './bare-repository.ts';
import { changesBetween, type MarkedPaths, markedPaths, readChanges } from './changes.ts';
import { findCheckout } from './checkout.ts';
import type { Environment, Remote } from './environment.ts';
import { deepenHistory, fetchCommits, missingCommits } from './fetch.ts';
import { GitError } from './git.ts';
import { readHistory } from './history.ts';
import { type ObjectStream, openObjectStream, type TreeEntry } from './objects.ts';
import { type PinnedCommits, readRepository } from './read-repository.ts';
import { searchText } from './search.ts';

export type RepositoryOptions = {
  /** A directory that may lie in a repository with the commits, whoever owns it; it is never written to. */
  readonly checkout: string | null;
  /** A further folder with objects, borrowed with those of the checkout. */
  readonly moreObjects?: string | null;
  /** Where missing commits come from. `authorization` is the header's value, such as `basic …`. */
  readonly remote: Remote | null;
  /** Full hashes. */
  readonly commits: PinnedCommits;
  readonly pullRequestNumber: number | null;
  readonly temporaryFolder: string;
  /** The environment to choose from: PATH, proxies and the like; secrets in it reach no child. */
  readonly environment: Environment;
  readonly signal: AbortSignal;
  /** Milliseconds that fetching the commits may take; ten minutes at most. */
  readonly fetchMilliseconds?: number;
};

export type GitRepository = {
  readonly repository: Repository;
  readonly images: ImageSource;
  readonly search: TextSearch;
  readonly history: History;
  /** False where nothing came before the change, here or where more could be fetched: then history has nothing to tell. */
  readonly hasPast: boolean;
  /** The diff merge-base..head. */
  changes(): Promise<Changes>;
  /** The diff from one commit to another, fetched when it must be; null when one of them cannot be had. */
  changesBetween(from: string, to: string): Promise<readonly ChangedFile[] | null>;
  /** The full id of what is stored at each path; null where no file is. */
  blobs(paths: readonly string[], at: Revision): Promise<readonly (string | null)[]>;
  /** The paths among `paths` that the base commit's attributes mark as generated or vendored. */
  markedPaths(paths: readonly string[]): Promise<MarkedPaths>;
  /** Ends the children and removes the temporary repository. */
  close(): Promise<void>;
};

/**
 * Opens a bare repository of Postil's own that has the three commits, borrowed from the checkout or fetched at depth 1.
 *
 * @throws UserError when a commit is neither here nor can be fetched.
 */
export async function openRepository(options: RepositoryOptions): Promise<GitRepository> {
  const first = await openOnce(options);
  if (options.checkout === null || options.remote === null) return first;
  return mendable(first, { ...options, checkout: null, moreObjects: null });
}

async function openOnce(options: RepositoryOptions): Promise<GitRepository> {
  const { temporaryFolder, environment, signal, commits } = options;
  const objectFormat = objectFormatOf(commits.head);
  const bare = await createBareRepository({ temporaryFolder, objectFormat, environment, signal });
  const objects = openObjectStream(bare.git);
  try {
    await gatherCommits(bare, { ...options, objects });
    const hasPast = options.remote !== null || (await hasParent(bare, options.commits.mergeBase));
    return { ...repositoryOver(bare, { ...options, objects }), hasPast };
  } catch (error) {
    objects.close();
    await bare.remove();
    throw error instanceof GitError && !signal.aborted ? notOpened(error) : error;
  }
}

/**
 * The checkout may lack a file of a commit that it has, or hold it damaged. The first read that meets one fetches all commits into a repository
 * that borrows nothing, and everything is read there from then on. What the server does not give stays as it is.
 */
function mendable(first: GitRepository, whole: RepositoryOptions): GitRepository {
  let opening: Promise<GitRepository | null> | null = null;
  const current = async () => (await opening) ?? first;
  const ask = async <Answer>(
    question: (git: GitRepository) => Promise<Answer>,
    isLacking: (answer: Answer) => boolean = () => false,
  ): Promise<Answer> => {
    const asked = await current();
    const answering = question(asked);
    const isBroken = await answering.then(isLacking, () => !whole.signal.aborted);
    if (!isBroken || asked !== first) return await answering;
    opening ??= openOnce(whole).catch(() => null);
    const anew = await current();
    return anew === first ? await answering : await question(anew);
  };
  const isNotHere = (content: { kind: string; reason?: string }) => content.reason === 'not-fetched';
  return {
    repository: {
      readFile: (path, at) => ask(({ repository }) => repository.readFile(path, at), isNotHere),
      listFiles: (at) => ask(({ repository }) => repository.listFiles(at)),
    },
    images: { readBytes: (path, at, maxBytes) => ask(({ images }) => images.readBytes(path, at, maxBytes), isNotHere) },
    // What fails here may be the pattern of a model: it fetches nothing.
    search: { search: async (query) => (await current()).search.search(query) },
    hasPast: first.hasPast,
    history: {
      blame: async (path, start, end) => (await current()).history.blame(path, start, end),
      log: async (path, count) => (await current()).history.log(path, count),
    },
    changes: () => ask((git) => git.changes()),
    changesBetween: async (from, to) => (await current()).changesBetween(from, to),
    blobs: async (paths, at) => (await current()).blobs(paths, at),
    markedPaths: async (paths) => (await current()).markedPaths(paths),
    close: async () => {
      await Promise.all([first.close(), opening?.then((git) => git?.close())]);
    },
  };
}

function notOpened(cause: GitError): UserError {
  return new UserError('git could not read the repository.', { hint: 'Check the checkout with git fsck.', cause });
}

type Opening = RepositoryOptions & { readonly objects: ObjectStream };

async function hasParent({ git }: BareRepository, commit: string): Promise<boolean> {
  const { stdout } = await git.run(['rev-list', '--count', '--max-count=2', commit]);
  return stdout.toString('utf8').trim() === '2';
}

async function gatherCommits(bare: BareRepository, options: Opening): Promise<void> {
  const fetching = { ...options, git: bare.git };
  const checkout = options.checkout === null ? null : await findCheckout(options.checkout);
  if (checkout === null) return fetchCommits(fetching);
  if (!(await isPartial(bare.git, checkout))) {
    await bare.borrowFrom(checkout, options.moreObjects);
    return fetchCommits(fetching);
  }
  try {
    // Without borrowing, or git would believe that the commits are here with all their files.
    await fetchCommits(fetching);
  } catch (error) {
    // A commit that was never pushed can only come from the partial clone itself, which has its new files.
    await bare.borrowFrom(checkout, options.moreObjects);
    // A child that runs already looks nowhere else.
    options.objects.close();
    if ((await missingCommits(options.objects, options.commits)).length > 0) throw error;
  }
}

function repositoryOver(bare: BareRepository, options: Opening): Omit<GitRepository, 'hasPast'> {
  const { git } = bare;
  const { commits, objects, remote, environment } = options;
  const repository = readRepository(git, objects, commits);
  return {
    repository: { readFile: repository.readFile, listFiles: repository.listFiles },
    images: { readBytes: repository.readBytes },
    search: searchText({ git, head: commits.head, repository }),
    history: readHistory({
      bare,
      head: commits.head,
      isFile: async (path) => fileModes.includes((await repository.find(path, 'head'))?.mode ?? ''),
      deepen: remote === null ? null : () => deepenHistory({ git, commit: commits.head, remote, environment }),
    }),
    changes: () => readChanges(git, commits, repository),
    changesBetween: changesBetween({ ...options, git }),
    blobs: (paths, at) => Promise.all(paths.map(async (path) => blobOf(await repository.find(path, at)))),
    markedPaths: (paths) => markedPaths(git, commits.base, paths),
    close: async () => {
      repository.close();
      await bare.remove();
    },
  };
}

function blobOf(entry: TreeEntry | null): string | null {
  return entry !== null && fileModes.includes(entry.mode) ? entry.hash : null;
}

const fileModes: readonly string[] = ['100644', '100755', '100664', '120000'];
