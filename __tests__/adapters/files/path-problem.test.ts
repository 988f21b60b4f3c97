import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { pathProblem } from '../../../src/adapters/files/own-path.ts';
import { temporaryFolder } from '../../fakes/temporary-folder.ts';

it('a path that can never hold a file is told from one that may', () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'reports'));
  writeFileSync(join(folder, 'file'), '');
  const paths = ['new.json', 'not/yet/there/new.json', 'file', 'reports', 'file/new.json', 'file/deep/new.json'];
  expect(paths.map((path) => pathProblem(join(folder, path))?.replace(folder, '') ?? null)).toEqual([
    null,
    null,
    null,
    'it is a folder',
    '/file is not a folder',
    '/file is not a folder',
  ]);
});
