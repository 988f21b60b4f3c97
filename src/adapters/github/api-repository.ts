import { Buffer } from 'node:buffer';
import { pageName } from '../../core/addresses.ts';
import { UserError } from '../../core/errors.ts';
import { contentOfBytes, isPointer, unreadable } from '../../core/repository/file-content.ts';
import type { FileContent, FileEntry, ImageSource, Repository, Revision } from '../../core/repository/repository.ts';
import type { SharedConfig } from '../../core/settings/shared-config.ts';
import { fullHash } from '../../core/text.ts';
import { answerOf } from './answers.ts';
import { explained, type GitHub, gitHubError, inRepository, type RepositoryName } from './client.ts';

/** Beyond it a file is not worth the download: no tool shows more than a part of it. In bytes. */
const largestFile = 10_000_000;

type ApiRepositoryOptions = RepositoryName & {
  readonly commits: { readonly base: string; readonly head: string; readonly mergeBase: string };
  /** Where head lives when it is a fork: asked when the base repository does not know the commit. */
  readonly headRepository?: RepositoryName | null;
  /** Called once per commit when GitHub lists only a part of its files. */
  readonly onNote?: (text: string) => void;
};

/**
 * The pinned commits by GitHub's git database: for runs without git. One request lists a commit, one reads a file;
 * both are remembered. Trees are read rather than contents, which would follow symbolic links.
 *
 * All functions throw a UserError when GitHub refuses or a commit does not exist.
 */
export function apiRepository(github: GitHub, options: ApiRepositoryOptions): Repository & ImageSource {
  const blobs = createBlobs(github);
  const { base, head, mergeBase } = options.commits;
  const commits = { base, head, 'merge-base': mergeBase };
  const treesOf = remember((commit: string) => openCommit(github, { options, commit }));
  const read = async (path: string, { at, maxBytes }: { at: Revision; maxBytes: number }) => {
    const trees = await treesOf(commits[at]);
    const found = await trees.find(path);
    if (found.kind !== 'found') return unreadable(found.kind, null);
    const refusal = refuse(found.entry, maxBytes);
    if (refusal !== null) return refusal;
    const blob = await blobs.read({ ...trees.repository, sha: found.entry.sha });
    if (found.entry.mode === '120000') return { kind: 'symlink', target: blob.toString('utf8') } as const;
    return { kind: 'blob', blob } as const;
  };
  return {
    readFile: async (path, at) => {
      const content = await read(path, { at, maxBytes: largestFile });
      return content.kind === 'blob' ? contentOfBytes(content.blob) : content;
    },
    readBytes: async (path, at, maxBytes) => {
      const content = await read(path, { at, maxBytes });
      if (content.kind !== 'blob') return content;
      // Not every tree tells the size.
      if (content.blob.length > maxBytes) return unreadable('too-large', content.blob.length);
      if (isPointer(content.blob)) return unreadable('lfs-pointer', content.blob.length);
      return { kind: 'bytes', bytes: content.blob };
    },
    listFiles: async (at) => {
      const trees = await treesOf(commits[at]);
      return trees.entries.flatMap(fileEntry).sort((one, other) => (one.path < other.path ? -1 : 1));
    },
  };
}

async function openCommit(github: GitHub, { options, commit }: { options: ApiRepositoryOptions; commit: string }) {
  const { owner, repository, headRepository = null } = options;
  const fork = commit === options.commits.head ? headRepository : null;
  const open = (name: RepositoryName) => createTrees(github, { repository: name, commit });
  const opening = open({ owner, repository }).catch((error: unknown) => {
    if (fork === null || answerOf(error)?.status !== 404) throw error;
    return open(fork);
  });
  const subject = `commit ${commit.slice(0, 12)} in ${owner}/${repository}`;
  const trees = await explained(opening, { subject, permission: 'contents: read' });
  if (trees.truncated) {
    options.onNote?.(`GitHub lists only the first ${trees.entries.length} entries of ${commit.slice(0, 12)}.`);
  }
  return trees;
}

type Unreadable = Extract<FileContent, { readonly kind: 'unreadable' }>;

function refuse(entry: TreeEntry, maxBytes: number): Unreadable | null {
  const bytes = entry.size ?? null;
  if (entry.type === 'tree') return unreadable('directory', null);
  if (entry.type === 'commit') return unreadable('submodule', null);
  return bytes !== null && bytes > maxBytes ? unreadable('too-large', bytes) : null;
}

function fileEntry(entry: TreeEntry): readonly FileEntry[] {
  const { path, size } = entry;
  if (entry.type === 'tree') return [];
  if (entry.type === 'commit') return [{ path, kind: 'submodule', bytes: null }];
  return [{ path, kind: entry.mode === '120000' ? 'symlink' : 'file', bytes: size ?? null }];
}

/** What is kept of blobs that were read, in bytes: the model asks for the same files again and again. */
const keptBytes = 32_000_000;

type BlobName = RepositoryName & { readonly sha: string };

/** Reads blobs of up to 100 MB, GitHub's own limit. The least recently read ones are forgotten first. */
function createBlobs(github: GitHub): { read(name: BlobName): Promise<Buffer> } {
  const kept: Map<string, Buffer> = new Map();
  let size = 0;
  const keep = (sha: string, content: Buffer) => {
    size += content.length - (kept.get(sha)?.length ?? 0);
    kept.delete(sha);
    kept.set(sha, content);
    for (const [oldest, old] of kept) {
      if (size <= keptBytes) return;
      kept.delete(oldest);
      size -= old.length;
    }
  };
  return {
    read: async (name) => {
      const content = kept.get(name.sha) ?? (await download(github, name));
      keep(name.sha, content);
      return content;
    },
  };
}

async function download(github: GitHub, { sha, ...name }: BlobName): Promise<Buffer> {
  const asking = github.rest.git.getBlob({ ...inRepository(name), file_sha: sha });
  const subject = `blob ${sha.slice(0, 12)} in ${name.owner}/${name.repository}`;
  const answer = await explained(asking, { subject, permission: 'contents: read' });
  // Base64 arrives as it was stored; the raw media type is announced, and decoded, as UTF-8.
  return Buffer.from(answer.data.content, 'base64');
}

/** Asks once for each key. What failed is forgotten, and asked again. */
export function remember<Key, Value>(ask: (key: Key) => Promise<Value>): (key: Key) => Promise<Value> {
  const answers: Map<Key, Promise<Value>> = new Map();
  return (key) => {
    const known = answers.get(key);
    if (known !== undefined) return known;
    const answer = ask(key).catch((error: unknown) => {
      answers.delete(key);
      throw error;
    });
    answers.set(key, answer);
    return answer;
  };
}

type Tree = Awaited<ReturnType<GitHub['rest']['git']['getTree']>>['data'];
type TreeEntry = Tree['tree'][number];

type TreeSearch =
  | { readonly kind: 'found'; readonly entry: TreeEntry }
  | { readonly kind: 'missing' | 'not-fetched' | 'directory' };

/**
 * The files of one commit. GitHub lists at most 100,000 entries or 7 MB at once, directories included; what is not among
 * them is found directory by directory.
 *
 * Throws what Octokit throws when the commit cannot be listed, afterwards a UserError.
 */
async function createTrees(github: GitHub, { repository, commit }: { repository: RepositoryName; commit: string }) {
  const get = async (sha: string, options: { recursive?: string }): Promise<Tree> => {
    const answer = await github.rest.git.getTree({ ...inRepository(repository), tree_sha: sha, ...options });
    return answer.data;
  };
  const all = await get(commit, { recursive: '1' });
  const byPath = new Map(all.tree.map((entry) => [entry.path, entry]));
  const directory = remember((sha: string): Promise<Tree> => {
    const subject = `directory ${sha.slice(0, 12)} in ${repository.owner}/${repository.repository}`;
    return explained(get(sha, {}), { subject, permission: 'contents: read' });
  });
  return {
    repository,
    entries: all.tree,
    truncated: all.truncated,
    find: async (path: string): Promise<TreeSearch> => {
      if (path === '') return { kind: 'directory' };
      const entry = byPath.get(path);
      if (entry !== undefined) return { kind: 'found', entry };
      return all.truncated ? await walk({ commit, path, directory }) : { kind: 'missing' };
    },
  };
}

async function walk(start: {
  commit: string;
  path: string;
  directory: (sha: string) => Promise<Tree>;
}): Promise<TreeSearch> {
  const names = start.path.split('/');
  let sha = start.commit;
  for (const [index, name] of names.entries()) {
    const tree = await start.directory(sha);
    const entry = tree.tree.find((one) => one.path === name);
    if (entry === undefined) return { kind: tree.truncated ? 'not-fetched' : 'missing' };
    if (index === names.length - 1) return { kind: 'found', entry };
    if (entry.type !== 'tree') return { kind: 'missing' };
    sha = entry.sha;
  }
  return { kind: 'missing' };
}

type SharedRepository = {
  /** At the commit, whatever revision is asked for. */
  readonly files: Repository;
  /** Full hash that the ref names now. */
  readonly commit: string;
};

/**
 * The repository of a shared config file, at the commit that its tag or hash names. A branch is none: whoever may push to it could change
 * every review from one minute to the next.
 *
 * @throws UserError when the ref does not exist, or the token may not read the repository.
 */
export async function openShared(github: GitHub, shared: SharedConfig): Promise<SharedRepository> {
  const { owner, repository, ref } = shared;
  try {
    const commit = fullHash.test(ref) ? ref : await commitOfTag(github, shared);
    const commits = { base: commit, head: commit, mergeBase: commit };
    const files = apiRepository(github, { owner, repository, commits, onNote: refuseList });
    await files.listFiles('base');
    return { files, commit };
  } catch (error) {
    const status = answerOf(error instanceof UserError ? error.cause : error)?.status;
    // 422 is a commit that GitHub does not know, 409 a repository without one.
    if (status !== 404 && status !== 409 && status !== 422)
      throw gitHubError(error, { subject: `${ref} in ${owner}/${repository}`, permission: 'contents: read' });
    throw new UserError(`${owner}/${repository} has no tag or full commit hash ${ref}, or the token may not read it.`, {
      hint: `'config' takes no branch. For a private repository give 'github-token' the token of a GitHub App: ${pageName('recipes.md')}`,
      cause: error,
    });
  }
}

/** A review without some of the rules that a company wants would look like one with them. */
function refuseList(why: string): never {
  throw new UserError(why, { hint: "Keep the configuration that 'config' names in a smaller repository." });
}

/** An annotated tag names another object, which may be a tag again. */
const mostTags = 3;

async function commitOfTag(github: GitHub, { owner, repository, ref }: SharedConfig): Promise<string> {
  const named = inRepository({ owner, repository });
  let { object } = (await github.rest.git.getRef({ ...named, ref: `tags/${ref}` })).data;
  for (let tags = 0; object.type === 'tag' && tags < mostTags; tags += 1) {
    object = (await github.rest.git.getTag({ ...named, tag_sha: object.sha })).data.object;
  }
  if (object.type === 'commit') return object.sha;
  throw new UserError(`The tag ${ref} of ${owner}/${repository} names no commit.`, { hint: "Correct it in 'config'." });
}
