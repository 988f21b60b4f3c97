import { createHash } from 'node:crypto';
import type { SourceText } from './fetch-package.ts';
import type { Lines, Oracle } from './oracle.ts';

/** A pull request that writes some functions of a package: before, their bodies were empty. */
export type SimulatedChange = { readonly bodies: readonly Lines[]; readonly before: readonly SourceText[] };

const lines = { least: 4, most: 30 } as const;
const leastUses = 2;
const functionsAChange = 3;
/** Pull requests a package. */
export const changes = 10;

/** The same changes whenever the package is the same: functions in the order of a digest of their place. */
export function simulateChanges(files: readonly SourceText[], oracle: Oracle): readonly SimulatedChange[] {
  const fitting = oracle.bodies
    .filter(({ path, start, end }) => isBetween(end - start + 1) && !isTest(path))
    .toSorted((one, other) => (digest(one) < digest(other) ? -1 : 1));
  const groups: Lines[][] = [];
  for (const body of fitting) {
    if (groups.length >= changes && (groups.at(-1)?.length ?? 0) >= functionsAChange) break;
    const others = oracle.uses(body).map((target) => `${target.path}:${target.line}`);
    if (new Set(others).size < leastUses) continue;
    const last = groups.at(-1);
    if (last === undefined || last.length >= functionsAChange) groups.push([body]);
    else if (!last.some(({ path }) => path === body.path)) last.push(body);
  }
  return groups.map((bodies) => ({ bodies, before: bodies.flatMap((body) => without(body, files)) }));
}

export function isTest(path: string): boolean {
  return /(^|[/_.])tests?([/_.]|$)|_test\.|spec/i.test(path);
}

function isBetween(count: number): boolean {
  return lines.least <= count && count <= lines.most;
}

function digest({ path, start }: Lines): string {
  return createHash('sha256').update(`${path}:${start}`).digest('hex');
}

function without({ path, start, end }: Lines, files: readonly SourceText[]): readonly SourceText[] {
  return files
    .filter((file) => file.path === path)
    .map(({ text }) => {
      const all = text.split('\n');
      return { path, text: [...all.slice(0, start - 1), ...all.slice(end)].join('\n') };
    });
}
