import { execFileSync } from 'node:child_process';
import {
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openLines, requireOwnPath, targetOf, writeWhole } from '../../../src/adapters/files/write.ts';
import { temporaryFolder } from '../../fakes/memory-repository.ts';
import { lacks } from '../../fakes/platform.ts';

const link = (target: string, at: string) => lacks.symbolicLinks || symlinkSync(target, at);
const root = temporaryFolder();
const outside = temporaryFolder();
mkdirSync(join(root, '.git'));
mkdirSync(join(root, 'real'));
link(outside, join(root, 'folder'));
link(join(outside, 'not-there-yet'), join(root, 'dangling'));
link('.git/config', join(root, 'config'));
link('circle', join(root, 'circle'));
link('real', join(root, 'inside'));

mkdirSync(join(outside, '.git'));
const alias = join(temporaryFolder(), 'alias');
link(root, alias);

const refused = (path: string, from = root) => {
  try {
    requireOwnPath(path, from);
    return false;
  } catch {
    return true;
  }
};

describe.skipIf(lacks.symbolicLinks)('a path to write to', () => {
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

  it.each(['report.json', 'new/folder/report.json', 'inside/report.json', join(outside, 'report.json')])(
    'is taken as it was named: %s',
    (path) => {
      expect(refused(path)).toBe(false);
    },
  );
});

describe.skipIf(lacks.devices)('what somebody wants written', () => {
  const folder = realpathSync(temporaryFolder());
  const at = (name: string) => join(folder, name);
  const names = () => readdirSync(folder).toSorted();
  const textIn = (name: string) => readFileSync(at(name), 'utf8');
  mkdirSync(at('folder'));
  writeFileSync(at('file'), 'old', { mode: 0o640 });
  writeFileSync(at('named-twice'), 'old');
  linkSync(at('named-twice'), at('second-name'));
  link(at('file'), at('link'));
  if (!lacks.namedPipes) execFileSync('mkfifo', [at('pipe')]);

  it.each([
    ['folder', 'it is a folder'],
    ['folder/', 'it names a folder'],
    ['new/', 'it names a folder'],
    ['file/deep/new.json', `${at('file')} is not a folder`],
    ['pipe', 'it is a pipe or a device, not a file'],
    ['/dev/null', 'it is a pipe or a device, not a file'],
    ['/proc/postil/report.json', 'no file can be kept there'],
    ['/proc/self/comm', 'no file can be kept there'],
    ['/sys/report.json', 'no file can be kept there'],
    ['/dev/stdout', 'no file can be kept there'],
    ['/dev/fd/999', 'no file can be kept there'],
    [`/dev/fd/${openSync(at('file'), 'a')}`, 'no file can be kept there'],
    ['x'.repeat(300), expect.stringContaining('name too long')],
  ])('cannot be at %s, which is known without opening it', (path, problem) => {
    expect(targetOf(resolve(folder, path) + (path.endsWith('/') ? '/' : ''))).toEqual({ kind: 'none', problem });
  });

  it.each([
    ['new.json', { kind: 'file', path: at('new.json'), stats: null }],
    ['not/yet/there.json', { kind: 'file', path: at('not/yet/there.json'), stats: null }],
    ['link', { kind: 'file', path: at('file') }],
  ])('can be at %s', (path, target) => {
    expect(targetOf(resolve(folder, path))).toMatchObject(target);
  });

  it('takes the place of the file that a link leads to, with its permissions, and leaves nothing beside it', async () => {
    const before = names();
    const held = openSync(at('file'), 'r');
    await writeWhole(at('link'), 'new');
    expect([textIn('file'), lstatSync(at('link')).isSymbolicLink(), names()]).toEqual(['new', true, before]);
    expect([statSync(at('file')).mode & 0o777, readFileSync(held, 'utf8')]).toEqual([0o640, 'old']);
  });

  it('is written into a file that has another name, too', async () => {
    await writeWhole(at('named-twice'), 'new');
    expect(textIn('second-name')).toBe('new');
  });

  it.each<[string, (path: string) => unknown]>([
    ['whole', (path) => writeWhole(path, 'new')],
    ['line by line', async (path) => openLines(path, undefined)],
  ])('is not written %s into a named pipe, and nothing waits for its reader', async (_, write) => {
    await expect(write(at('pipe'))).rejects.toThrow('It is a pipe or a device, not a file.');
  });
});
