import type { FileContent, FileEntry, Repository, Revision } from '../../src/core/repository/repository.ts';

type Files = { readonly [path: string]: string | FileContent };

/** A repository that holds these files at each revision; texts by their content, anything else as what a read answers. */
export class MemoryRepository implements Repository {
  readonly #at: { readonly [revision in Revision]: Files };
  readonly reads: string[] = [];

  constructor(head: Files, other: { readonly base?: Files; readonly mergeBase?: Files } = {}) {
    this.#at = { head, base: other.base ?? head, 'merge-base': other.mergeBase ?? head };
  }

  async readFile(path: string, at: Revision): Promise<FileContent> {
    this.reads.push(`${at}:${path}`);
    const found = new Map(Object.entries(this.#at[at])).get(path);
    if (typeof found === 'string') return { kind: 'text', text: found, bytes: found.length };
    if (found !== undefined) return found;
    const isDirectory = Object.keys(this.#at[at]).some((other) => path === '' || other.startsWith(`${path}/`));
    return { kind: 'unreadable', reason: isDirectory ? 'directory' : 'missing', bytes: null };
  }

  async listFiles(at: Revision): Promise<readonly FileEntry[]> {
    const entries = Object.entries(this.#at[at]).map(([path, content]) => ({
      path,
      kind: kindOf(content),
      bytes: null,
    }));
    return entries.sort((one, other) => (one.path < other.path ? -1 : 1));
  }
}

function kindOf(content: string | FileContent): FileEntry['kind'] {
  if (typeof content === 'string') return 'file';
  if (content.kind === 'symlink') return 'symlink';
  return content.kind === 'unreadable' && content.reason === 'submodule' ? 'submodule' : 'file';
}
