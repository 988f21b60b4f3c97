import { createHash } from 'node:crypto';
import { structuredPatch } from 'diff';
import type { ChangedFile, StoredFile } from '../../src/core/pull-request/changed-file.ts';
import { asGitPrints, countLines } from '../../src/core/pull-request/parse-diff.ts';
import { changedFile } from './memory-repository.ts';

/** Path → text. */
export type Tree = Readonly<Record<string, string>>;

/** A full hash for what is named. */
export function hashOf(name: string): string {
  return createHash('sha1').update(name).digest('hex');
}

/** What git tells of two trees: every file of its own, none is taken for a renamed one. */
export function diffOf(before: Tree, after: Tree): readonly ChangedFile[] {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
  return paths.filter((path) => before[path] !== after[path]).map((path) => fileOf(path, before[path], after[path]));
}

function fileOf(path: string, before: string | undefined, after: string | undefined): ChangedFile {
  const { hunks } = structuredPatch(path, path, before ?? '', after ?? '', '', '', { context: 3 });
  const printed = hunks.map((hunk) => asGitPrints(hunk));
  const status = before === undefined ? 'added' : after === undefined ? 'deleted' : 'modified';
  return changedFile(path, {
    ...{ status, hunks: printed, ...countLines(printed) },
    sides: { before: storedAs(before), after: storedAs(after) },
  });
}

function storedAs(text: string | undefined): StoredFile | null {
  return text === undefined ? null : { mode: '100644', blob: blobOf(text) };
}

export function blobOf(text: string): string {
  return hashOf(`blob ${text}`);
}

/** Commits by name, in memory. */
export class MemoryCommits {
  readonly #trees = new Map<string, Tree>();

  /** @returns its hash: the same tree under another name is another commit. */
  commit(name: string, tree: Tree): string {
    this.#trees.set(hashOf(name), tree);
    return hashOf(name);
  }

  forget(name: string): void {
    this.#trees.delete(hashOf(name));
  }

  tree(hash: string): Tree {
    return this.#trees.get(hash) ?? {};
  }

  readonly changesBetween = async (from: string, to: string): Promise<readonly ChangedFile[] | null> => {
    const [before, after] = [this.#trees.get(from), this.#trees.get(to)];
    return before === undefined || after === undefined ? null : diffOf(before, after);
  };
}
