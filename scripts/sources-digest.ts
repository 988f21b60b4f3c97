import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const file = 'sources.sha256';

/** What `dist/` is built from, as one number: `src/` with its paths, the version and the packages. */
export function sourcesDigest(root: string): string {
  const { version, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const hash = createHash('sha256').update(JSON.stringify({ version, devDependencies }));
  const paths = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .sort();
  for (const path of paths) hash.update(`\0${path}\0`).update(readFileSync(join(root, path)));
  return `${hash.digest('hex')}\n`;
}

/** Where the build leaves the digest, in its output folder. */
export function digestFile(output: string): string {
  return join(output, file);
}

/** What is wrong with `dist/`, in a line; null when it was built from the sources as they stand. */
export function distProblem(root: string): string | null {
  const built = digestFile(join(root, 'dist'));
  if (existsSync(built) && readFileSync(built, 'utf8') === sourcesDigest(root)) return null;
  return 'dist/ was not built from src/ as it stands: run `npm run build`.';
}
