import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { isInRoom, root } from './fault.ts';

/** They start everything, so they reach every room: too many and too slow to be the tests of one. */
const wholeRuns = /^__tests__\/(?:delivery|growth|model-matrix|pages|scenarios|workflows)\//;

/** The test files of a room: those in its folder, and those that import a source of it. Whole runs count where there are no others. */
export function testsOf(room: string, folder = root): readonly string[] {
  const tests = readdirSync(join(folder, '__tests__'), { recursive: true, encoding: 'utf8' })
    .map((path) => `__tests__/${path.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.test.ts') && !path.includes('/node_modules/'));
  const near = tests.toSorted().filter((path) => {
    const text = readFileSync(join(folder, path), 'utf8');
    return isInRoom(path, `__tests__/${room}`) || importsIn(path, text).some((one) => isInRoom(one, room));
  });
  const own = near.filter((path) => !wholeRuns.test(path));
  return own.length > 0 ? own : near;
}

/** What a file imports of ours, types and `import()` included. */
function importsIn(path: string, text: string): readonly string[] {
  const { importedFiles } = ts.preProcessFile(text, true, true);
  const ours = importedFiles.filter(({ fileName }) => fileName.startsWith('.'));
  return ours.map(({ fileName }) => join(dirname(path), fileName).replaceAll('\\', '/'));
}
