import type { ObjectStream } from './object-stream.ts';

export type TreeEntry = { readonly mode: string; readonly hash: string };

/** Finds what a path names in a commit by walking its trees, byte for byte: no name can be mistaken for an option or a revision. */
export type TreeWalk = {
  /** `path` is normalised, '' is the root. Null when there is no such entry. */
  find(commit: string, path: string): Promise<TreeEntry | null>;
};

type Tree = ReadonlyMap<string, TreeEntry>;

const cachedTrees = 2_000;

export function treeWalk(objects: ObjectStream): TreeWalk {
  const roots = new Map<string, Promise<string | null>>();
  const trees = new Map<string, Promise<Tree | null>>();

  const rootOf = (commit: string) => cached({ cache: roots, key: commit, make: () => readRoot(objects, commit) });
  const treeOf = (hash: string) => cached({ cache: trees, key: hash, make: () => readTree(objects, hash) });

  return {
    find: async (commit, path) => {
      const root = await rootOf(commit);
      if (root === null) return null;
      let entry: TreeEntry = { mode: directoryMode, hash: root };
      for (const name of path === '' ? [] : path.split('/')) {
        if (entry.mode !== directoryMode) return null;
        const next: TreeEntry | undefined = (await treeOf(entry.hash))?.get(name);
        if (next === undefined) return null;
        entry = next;
      }
      return entry;
    },
  };
}

const directoryMode = '40000';

function cached<T>(entry: { cache: Map<string, Promise<T>>; key: string; make: () => Promise<T> }): Promise<T> {
  const { cache, key, make } = entry;
  const known = cache.get(key);
  if (known !== undefined) return known;
  if (cache.size >= cachedTrees) cache.clear();
  const value = make();
  cache.set(key, value);
  // A failure is not remembered: the next call may find a restarted git.
  value.catch(() => cache.delete(key));
  return value;
}

async function readRoot(objects: ObjectStream, commit: string): Promise<string | null> {
  const answer = await objects.request(commit);
  if (answer?.type !== 'commit' || answer.content === null) return null;
  const header = answer.content.toString('latin1', 0, 'tree '.length + 64);
  return /^tree ([0-9a-f]+)\n?/.exec(header)?.[1] ?? null;
}

/** A tree is a sequence of `<mode> <name>\0<hash as bytes>`. */
async function readTree(objects: ObjectStream, hash: string): Promise<Tree | null> {
  const answer = await objects.request(hash);
  if (answer?.type !== 'tree' || answer.content === null) return null;
  const { content } = answer;
  const hashBytes = hash.length / 2;
  const tree = new Map<string, TreeEntry>();
  for (let start = 0; start < content.length; ) {
    const space = content.indexOf(0x20, start);
    const nameEnd = content.indexOf(0, space);
    if (space === -1 || nameEnd === -1) return tree;
    const end = nameEnd + 1 + hashBytes;
    tree.set(content.toString('utf8', space + 1, nameEnd), {
      mode: content.toString('latin1', start, space),
      hash: content.toString('hex', nameEnd + 1, end),
    });
    start = end;
  }
  return tree;
}
