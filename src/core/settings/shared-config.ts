import { checkPath } from '../repository/path.ts';
import type { FileEntry, Repository } from '../repository/repository.ts';
import { compareText } from '../text.ts';

/** A config file in another repository, which many share. */
export type SharedConfig = {
  readonly owner: string;
  readonly repository: string;
  /** A tag or the full hash of a commit. */
  readonly ref: string;
  /** Path of the file there. */
  readonly path: string;
};

/** Where a repository has its config file. */
export const usualConfig = '.postil/config.yml';
const written = /^([\w.-]{1,100})\/([\w.-]{1,100})@([^\s:@]{1,250})(?::(.+))?$/;

/** What `owner/repository@ref:path` names; null for a path of this repository. Without a path it is `.postil/config.yml` there. */
export function sharedConfigIn(config: string): SharedConfig | null {
  const [, owner, repository, ref, path = usualConfig] = written.exec(config) ?? [];
  if (owner === undefined || repository === undefined || ref === undefined) return null;
  return { owner, repository, ref, path };
}

/** Why a text names no config file, as the end of a sentence; null when it names one. */
export function configProblem([config = '']: readonly string[]): string | null {
  const path = sharedConfigIn(config)?.path ?? config;
  const checked = checkPath(path);
  return checked.ok && checked.path === path
    ? null
    : "a file's path, or `owner/repository@ref:path` with a file's path";
}

/** Path of this repository's own config file. */
export function ownConfigOf(config: string): string {
  return sharedConfigIn(config) === null ? config : usualConfig;
}

/** Where the files beside a shared config file are seen at the base commit, whatever else lies there. */
export const sharedFolder = '.postil/shared/';

/** Where the shared config file itself is seen. */
export function seenAt({ path }: SharedConfig): string {
  return `${sharedFolder}${path.slice(folderOf(path).length)}`;
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}

/**
 * The repository with what lies beside a shared config file below `.postil/shared/` at its base: rules and guidance are read from there.
 * `other` is the repository that it lies in, at the commit that its ref names.
 */
export function withShared(repository: Repository, other: Repository, { path }: SharedConfig): Repository {
  const folder = folderOf(path);
  const isShared = (seen: string) => seen.startsWith(sharedFolder);
  const seen = (entry: FileEntry): readonly FileEntry[] =>
    entry.path.startsWith(folder) ? [{ ...entry, path: `${sharedFolder}${entry.path.slice(folder.length)}` }] : [];
  return {
    readFile: (one, at) =>
      at === 'base' && isShared(one)
        ? other.readFile(`${folder}${one.slice(sharedFolder.length)}`, at)
        : repository.readFile(one, at),
    listFiles: async (at) => {
      const own = await repository.listFiles(at);
      if (at !== 'base') return own;
      const shared = (await other.listFiles(at)).flatMap(seen);
      const all = [...own.filter((entry) => !isShared(entry.path)), ...shared];
      return all.sort((one, another) => compareText(one.path, another.path));
    },
  };
}
