export type CheckedPath =
  | { readonly ok: true; readonly path: string }
  /** The reason is written for a model: it says what a path looks like. */
  | { readonly ok: false; readonly reason: string };

const maxCharacters = 4096;

/**
 * A path as git knows it: relative to the root, forward slashes, no `.` or empty parts; '' is the root itself.
 * Refuses whatever could name something outside the tree or inside `.git` (FAILURES, Security 1).
 */
export function checkPath(path: string): CheckedPath {
  if (path.length > maxCharacters) return refused(`a path has at most ${maxCharacters} characters`);
  if (path.includes('\0')) return refused('a path holds no NUL character');
  if (path.includes('\\')) return refused('write paths with forward slashes');
  if (path.startsWith('/'))
    return refused('paths are relative to the root of the repository: leave out the first slash');
  if (/^[A-Za-z]:/.test(path)) return refused('paths are relative to the root of the repository: leave out the drive');
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) return refused('paths stay inside the repository: `..` is not allowed');
  if (parts.some(namesGitFolder)) return refused("git's own folder cannot be read");
  // Removing `./` may bring a drive letter to the front.
  if (/^[A-Za-z]:/.test(parts[0] ?? '')) return refused('paths are relative to the root: leave out the drive');
  return { ok: true, path: parts.join('/') };
}

function refused(reason: string): CheckedPath {
  return { ok: false, reason };
}

/** `.git` as any file system understands it: without regard to case, trailing dots and spaces, 8.3 names, streams. */
function namesGitFolder(part: string): boolean {
  const plain = part
    .toLowerCase()
    .split(':')[0]
    ?.replace(/[\p{Cf}]/gu, '');
  let end = plain?.length ?? 0;
  while (end > 0 && ' .'.includes(plain?.charAt(end - 1) ?? '')) end--;
  const name = plain?.slice(0, end);
  return name === '.git' || name === 'git~1';
}
