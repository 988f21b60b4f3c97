import type { Message } from '../messages/message.ts';
import type { FileMedia } from '../repository/repository.ts';
import { type ChangedFile, isOpaque } from './changed-file.ts';
import { isLockPath } from './lock-file.ts';

/** Kinds of files that nobody reads line by line: what `skip-kinds` may name. */
export const fileKinds = ['lock-files', 'images', 'fonts', 'media', 'archives', 'generated', 'vendored'] as const;
export type FileKindName = (typeof fileKinds)[number];

export function isFileKind(name: string): name is FileKindName {
  return fileKinds.some((kind) => kind === name);
}

/** Why a file is not read: it is none of code, and the workflow may leave it out by this name. */
type Unreviewable = { readonly kind: FileKindName; readonly reason: Message };

/**
 * Why a file needs no reviewer; null when it may be code. Decided by what the base says and by content: a pull request must not hide its
 * files by a name, a folder or a word of its own.
 */
export function unreviewable(file: ChangedFile): Unreviewable | null {
  if (isOpaque(file)) return byContent(file) ?? byBase(file);
  if (isPointer(file)) return byName(file.path);
  return file.lock === true ? { kind: 'lock-files', reason: { code: 'file.lock' } } : byBase(file);
}

/** True for a change that leaves a Git LFS pointer: what it points to is not in the repository, and nobody can read it here. */
export function isPointer({ hunks }: ChangedFile): boolean {
  if (hunks.length !== 1) return false;
  const lines = hunks.flatMap((hunk) => hunk.lines).filter((line) => line.startsWith('+') || line.startsWith(' '));
  // Nothing else may stand in it, or a script could pass for one.
  return lines.every((line) => pointerLine.test(line)) && lines.some((line) => line.startsWith('+oid '));
}

const pointerLine = /^[ +](?:version https?:\/\/\S+|ext-\d+-\S+ \S+|oid sha256:[0-9a-f]{64}|size \d+)\r?$/;

/** What the content would have to say, the name says for a pointer. */
function byName(path: string): Unreviewable | null {
  const found = [archive, ...Object.values(others)].find(({ names }) => names.test(path));
  return found === undefined ? null : { kind: found.kind, reason: { code: 'file.in-lfs', why: found.reason } };
}

function byBase(file: ChangedFile): Unreviewable | null {
  if (file.generated) return { kind: 'generated', reason: { code: 'file.generated-attribute' } };
  if (file.vendored === true) return { kind: 'vendored', reason: { code: 'file.vendored-attribute' } };
  const existed = file.status === 'modified' || file.status === 'deleted' || file.status === 'type-changed';
  // What a layer below added is as new as if this change did.
  return existed && file.stackBase !== null ? (unreviewableName(file.path) ?? byMarker(file)) : null;
}

/** What the first bytes say counts only under a name that agrees: a script may begin like a picture. */
function byContent({ media, path }: ChangedFile): Unreviewable | null {
  if (media === null || media === undefined) return null;
  const { kind, reason, names } = media === 'archive' ? archive : others[media];
  return names.test(path) ? { kind, reason } : null;
}

type Named = Unreviewable & { readonly names: RegExp };

const archive: Named = {
  kind: 'archives',
  reason: { code: 'file.archive' },
  names: /\.(?:zip|tar|gz|tgz|bz2|tbz2?|xz|txz|zst|7z|rar)$/i,
};
const others: { readonly [media in Exclude<FileMedia, 'archive'>]: Named } = {
  image: {
    kind: 'images',
    reason: { code: 'file.image' },
    names: /\.(?:png|apng|jpe?g|jfif|gif|webp|bmp|tiff?|ico|cur|avif|hei[cf]|psd)$/i,
  },
  font: { kind: 'fonts', reason: { code: 'file.font' }, names: /\.(?:woff2?|ttf|otf|ttc|eot)$/i },
  media: {
    kind: 'media',
    reason: { code: 'file.media' },
    names: /\.(?:mp[34]|m4[av]|mov|avi|mkv|webm|og[gvax]|opus|flac|wav|aac|3gp)$/i,
  },
};

const vendoredFolders = new Set([
  'node_modules',
  'vendor',
  'vendored',
  'third_party',
  'third-party',
  'bower_components',
]);

const generatedName =
  /\.(pb\.go|pb\.cc|pb\.h|pb\.swift|g\.dart|freezed\.dart|designer\.cs|generated\.[a-z]+)$|_pb2(_grpc)?\.pyi?$|(^|\/)\.pnp\.c?js$/i;
const minifiedName = /[.-]min\.(js|mjs|cjs|css)$|\.(js|css|mjs)\.map$/i;
const snapshotName = /\.snap$|(^|\/)__snapshots__\//i;

/** What a path looks like; null when it looks like code. It decides only about a path that existed at the base. */
export function unreviewableName(path: string): Unreviewable | null {
  const folder = path
    .split('/')
    .slice(0, -1)
    .find((part) => vendoredFolders.has(part.toLowerCase()));
  if (folder !== undefined) return { kind: 'vendored', reason: { code: 'file.vendored-folder', folder } };
  if (minifiedName.test(path)) return { kind: 'generated', reason: { code: 'file.minified' } };
  if (generatedName.test(path)) return { kind: 'generated', reason: { code: 'file.generated-name' } };
  return snapshotName.test(path) ? { kind: 'generated', reason: { code: 'file.snapshot' } } : null;
}

/** The kind that a path looks like, by which nobody may have read what stood there; null when it looks like code. */
export function kindByName(path: string): FileKindName | null {
  if (isLockPath(path)) return 'lock-files';
  return (unreviewableName(path) ?? byName(path))?.kind ?? null;
}

/** Built output repeats its source. */
export const built = /(^|\/)dist\//;

/** True for a path or a glob that names what no person writes or keeps here: a lock file, or something built, generated or vendored. */
export function isMachineMade(path: string): boolean {
  return kindByName(path) !== null || built.test(path);
}

/** A marker that generators write near the top of a file. Weak words alone ("generated") would hide code from the review. */
const generatedMarker =
  /@generated\b|\bCode generated .{1,80} DO NOT EDIT\b|<auto-generated\b|\bThis file (was|is) (automatically |auto-?)generated\b/i;

/** The marker counts only where it stood before. */
function byMarker({ hunks, stackBase }: ChangedFile): Unreviewable | null {
  const first = hunks[0];
  if (first === undefined || first.oldStart > 1) return null;
  const oldTop = first.lines.slice(0, 20).filter((line) => !line.startsWith('+'));
  const isMerged = typeof stackBase !== 'string' || holdMarker(stackBase.split('\n', 20));
  return isMerged && holdMarker(oldTop) ? { kind: 'generated', reason: { code: 'file.generated-marker' } } : null;
}

function holdMarker(lines: readonly string[]): boolean {
  return lines.some((line) => generatedMarker.test(line.slice(0, 400)));
}

const longLine = 5_000;

/** True for a file that looks generated, vendored or minified and is reviewed anyway: after those that do not. */
export function isReadLast(file: ChangedFile): boolean {
  return (
    (file.status === 'added' && holdMarker(file.hunks[0]?.lines.slice(0, 5) ?? [])) ||
    unreviewableName(file.path) !== null ||
    file.hunks.some(({ lines }) => lines.some(({ length }) => length > longLine))
  );
}

/** Names of guidance where nobody chose any. */
export const defaultGuidance: readonly string[] = ['AGENTS.md', 'REVIEW.md'];
