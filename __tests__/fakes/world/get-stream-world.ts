import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { WorldOptions } from './create-world.ts';
import type { WorldFiles } from './import-commits.ts';

/**
 * A real change of a real project: get-stream 8.0.0 to 8.0.1, on a history that begins with 7.0.1, as they were published. Six files change, and they
 * import each other. What a team adds for its reviewer comes on top.
 */
export function getStreamWorld({
  base = {},
  head = {},
  ...options
}: Partial<WorldOptions> & { readonly base?: WorldFiles; readonly head?: WorldFiles } = {}): WorldOptions {
  const [first, before, after] = [filesOf('7.0.1'), filesOf('8.0.0'), filesOf('8.0.1')];
  return {
    history: [first],
    base: { ...removed(first, before), ...before, ...base },
    head: { ...changed(before, after), ...head },
    pullRequest: { title: 'Fix ArrayBuffer and truncated contents' },
    ...options,
  };
}

function filesOf(version: string): { readonly [path: string]: string } {
  const folder = fileURLToPath(new URL(`../../../node_modules/get-stream-${version}`, import.meta.url));
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(paths.map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]));
}

function removed(before: WorldFiles, after: WorldFiles): WorldFiles {
  const gone = Object.keys(before).filter((path) => !Object.hasOwn(after, path));
  return Object.fromEntries(gone.map((path) => [path, null]));
}

function changed(before: WorldFiles, after: WorldFiles): WorldFiles {
  return Object.fromEntries(Object.entries(after).filter(([path, text]) => before[path] !== text));
}
