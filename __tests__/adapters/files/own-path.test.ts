import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { requireOwnPath } from '../../../src/adapters/files/own-path.ts';
import { temporaryFolder } from '../../fakes/temporary-folder.ts';

const root = temporaryFolder();
const outside = temporaryFolder();
mkdirSync(join(root, '.git'));
mkdirSync(join(root, 'real'));
symlinkSync(outside, join(root, 'folder'));
symlinkSync(join(outside, 'not-there-yet'), join(root, 'dangling'));
symlinkSync('.git/config', join(root, 'config'));
symlinkSync('circle', join(root, 'circle'));
symlinkSync('real', join(root, 'inside'));

mkdirSync(join(outside, '.git'));
const alias = join(temporaryFolder(), 'alias');
symlinkSync(root, alias);

const refused = (path: string, from = root) => {
  try {
    requireOwnPath(path, from);
    return false;
  } catch {
    return true;
  }
};

describe('a path to write to', () => {
  it.each(['folder/report.json', 'folder/new/report.json', 'dangling', 'config', '.git/hooks/x', 'circle'])(
    'is refused when the reviewed code leads it elsewhere: %s',
    (path) => {
      expect(refused(path)).toBe(true);
    },
  );

  it.each([
    ['a folder below its root', '../folder/report.json', join(root, 'real')],
    ['a folder elsewhere', join(root, 'folder/report.json'), temporaryFolder()],
    ['a folder with a second name', join(alias, 'folder/report.json'), root],
  ])('is refused as well when it is named from %s', (_, path, from) => {
    expect(refused(path, from)).toBe(true);
  });

  it.each(['report.json', 'new/folder/report.json', 'inside/report.json', join(outside, 'report.json'), '/dev/stdout'])(
    'is taken as it was named: %s',
    (path) => {
      expect(refused(path)).toBe(false);
    },
  );
});
