import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const file = 'sources.sha256';

/** What `dist/` is built from, as one number: the code of `src/` and `eval/` with its paths, the version and the packages. */
export function sourcesDigest(root: string): string {
  const { version, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const hash = createHash('sha256').update(JSON.stringify({ version, devDependencies }));
  for (const path of sourcesOf(root)) hash.update(`\0${path}\0`).update(readFileSync(join(root, path)));
  return `${hash.digest('hex')}\n`;
}

/** The code that is built, from the root on. */
export function sourcesOf(root: string): readonly string[] {
  return ['src', 'eval']
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .sort();
}

/** Where the build leaves the digest, in its output folder. */
export function digestFile(output: string): string {
  return join(output, file);
}

/** What is wrong with `dist/`, in a line; null when it was built from the sources as they stand. */
export function distProblem(root: string): string | null {
  const built = digestFile(join(root, 'dist'));
  if (existsSync(built) && readFileSync(built, 'utf8') === sourcesDigest(root)) return null;
  return 'dist/ was not built from the code as it stands: run `npm run build`.';
}
