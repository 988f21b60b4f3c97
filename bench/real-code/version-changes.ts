import { structuredPatch } from 'diff';
import type { SourceText } from './fetch-package.ts';
import type { Lines } from './oracle.ts';
import { changes, isTest, type SimulatedChange } from './simulate.ts';

const filesAChange = 3;

/** What really changed between two versions of a package, a few neighbouring files at a time as if each were a pull request. */
export function versionChanges(
  before: readonly SourceText[],
  after: readonly SourceText[],
): readonly SimulatedChange[] {
  const old = new Map(before.map((file) => [file.path, file]));
  const changed = after.flatMap(({ path, text }) => {
    const was = old.get(path);
    if (was === undefined || was.text === text || isTest(path)) return [];
    const bodies = addedLines({ path, before: was.text, after: text });
    return bodies.length === 0 ? [] : [{ bodies, before: [was] }];
  });
  const groups: SimulatedChange[] = [];
  for (let at = 0; at < changed.length && groups.length < changes; at += filesAChange) {
    const files = changed.slice(at, at + filesAChange);
    groups.push({ bodies: files.flatMap(({ bodies }) => bodies), before: files.flatMap((file) => file.before) });
  }
  return groups;
}

type Edited = { readonly path: string; readonly before: string; readonly after: string };

function addedLines({ path, before, after }: Edited): readonly Lines[] {
  const { hunks } = structuredPatch(path, path, before, after, '', '', { context: 0 });
  return hunks
    .filter(({ newLines }) => newLines > 0)
    .map(({ newStart, newLines }) => ({ path, start: newStart, end: newStart + newLines - 1 }));
}
