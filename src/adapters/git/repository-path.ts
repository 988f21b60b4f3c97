/**
 * A path as git stores it: `./src//a.ts/` becomes `src/a.ts`, the root is ''. Null for what never names a file of the
 * repository: absolute paths, `..`, NUL, backslashes and `.git` (FAILURES, Security 1).
 */
export function repositoryPath(path: string): string | null {
  if (path.startsWith('/') || /^[a-z]:/i.test(path) || path.includes('\0') || path.includes('\\')) return null;
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  return parts.some((part) => part === '..' || part.toLowerCase() === '.git') ? null : parts.join('/');
}
