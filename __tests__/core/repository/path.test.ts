import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkPath } from '../../../src/core/repository/path.ts';

describe('checkPath', () => {
  it.each([
    ['src/a.ts', 'src/a.ts'],
    ['./src//a.ts', 'src/a.ts'],
    ['src/./core/', 'src/core'],
    ['', ''],
    ['.', ''],
    ['.github/workflows/ci.yml', '.github/workflows/ci.yml'],
    ['.gitignore', '.gitignore'],
    ['a..b/...', 'a..b/...'],
    ['with space/日本.md', 'with space/日本.md'],
  ])('accepts %j as %j', (given, path) => {
    expect(checkPath(given)).toEqual({ ok: true, path });
  });

  it.each([
    ['/etc/passwd', 'leave out the first slash'],
    ['//etc/passwd', 'leave out the first slash'],
    ['../secret', 'stay inside'],
    ['src/../../secret', 'stay inside'],
    ['a\0b', 'NUL'],
    ['src\\a.ts', 'forward slashes'],
    ['C:/Windows', 'drive'],
    ['./C:/Windows', 'drive'],
    ['.git/config', "git's own folder"],
    ['sub/.GIT/hooks', "git's own folder"],
    ['.git. /config', "git's own folder"],
    ['git~1/config', "git's own folder"],
    ['.g\u200cit/config', "git's own folder"],
    ['.git:stream', "git's own folder"],
    ['a'.repeat(4097), '4096 characters'],
  ])('refuses %j and says why', (path, reason) => {
    expect(checkPath(path)).toEqual({ ok: false, reason: expect.stringContaining(reason) });
  });

  it('never accepts a path that leaves the tree or names .git', () => {
    const part = fc.oneof(
      fc.constantFrom('..', '.', '', '.git', '.GIT', 'src', 'C:', 'git~1', '\\', '.git '),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const checked = checkPath(parts.join('/'));
        if (!checked.ok) return;
        const names = checked.path.split('/');
        expect(checked.path).not.toMatch(/^\/|\\|\0|^[A-Za-z]:/);
        expect(names.filter((name) => ['..', '.', '.git'].includes(name.toLowerCase()))).toEqual([]);
        expect(checkPath(checked.path)).toEqual(checked);
      }),
    );
  });
});
