import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cleanGitEnvironment } from '../../fakes/git-fixture.ts';
import { temporaryFolder } from '../../fakes/temporary-folder.ts';
import { clone, merging, review, staged, write } from './local-review.ts';

describe('what the snapshot cannot hold is named', () => {
  it('a folder of many files that no ignore file names', async () => {
    const fixture = clone();
    mkdirSync(join(fixture.directory, 'node_modules', 'x'), { recursive: true });
    for (let index = 0; index <= 1_000; index += 1)
      writeFileSync(join(fixture.directory, `node_modules/x/${index}`), '');
    write(fixture, 'new.ts', 'new\n');
    const { paths, missing } = await review(fixture.directory);
    expect([paths, missing]).toEqual([
      ['added new.ts'],
      [
        'Uncommitted changes of node_modules/ are not part of the review: not tracked, 1,001 files. Ignore it, or stage what counts.',
      ],
    ]);
  });

  it('a file that cannot be read, and a name that is not text, without losing the others', async () => {
    const fixture = clone();
    for (const path of ['a.ts', 'b.ts', 'c.ts', 'd.ts']) write(fixture, path, 'changed\n');
    // A device stands for what may not be read: whoever runs the tests may be allowed to read all files.
    rmSync(join(fixture.directory, 'b.ts'));
    execFileSync('mkfifo', [join(fixture.directory, 'b.ts')]);
    writeFileSync(Buffer.concat([Buffer.from(`${fixture.directory}/`), Buffer.from([0xff])]), 'odd\n');
    const { paths, missing } = await review(fixture.directory);
    expect([paths, missing]).toEqual([
      ['modified a.ts', 'modified c.ts', 'added d.ts'],
      [
        'Uncommitted changes of \ufffd are not part of the review: its name is not UTF-8.',
        'Uncommitted changes of b.ts are not part of the review: git cannot read it.',
      ],
    ]);
  });

  it('a file that a filter encrypts: its text stays out of the review', async () => {
    const fixture = clone({ '.gitattributes': '*.key filter=git-crypt\n', 'a.key': 'ciphertext\n' });
    write(fixture, 'a.key', 'plain text\n');
    const { paths, missing, text } = await review(fixture.directory);
    expect([paths, missing, await text('a.key')]).toEqual([
      [],
      ['Uncommitted changes of a.key are not part of the review: the git filter git-crypt is not run.'],
      'ciphertext\n',
    ]);
  });

  it('a staged file in conflict', async () => {
    const { directory } = merging();
    const { paths, missing } = await review(directory, { subject: staged });
    expect([paths, missing]).toEqual([
      ['added theirs.ts'],
      ['Uncommitted changes of a.ts are not part of the review: in conflict.'],
    ]);
  });
});

describe('a hostile repository', () => {
  it('starts no filter, hook, file system monitor or helper of its configuration', async () => {
    const fixture = clone({ 'a.ts': 'a\n', '.gitattributes': '*.ts filter=evil diff=evil merge=evil text\n' });
    const marker = join(temporaryFolder(), 'marker');
    const program = `sh -c "touch ${marker}; cat"`;
    const settings = ['filter.evil.clean', 'filter.evil.smudge', 'filter.evil.process', 'diff.evil.textconv'];
    const more = [
      'diff.evil.command',
      'merge.evil.driver',
      'core.fsmonitor',
      'core.pager',
      'core.editor',
      'gpg.program',
    ];
    for (const key of [...settings, ...more, 'core.sshCommand', 'alias.ls-files']) fixture.git('config', key, program);
    fixture.git('config', 'commit.gpgSign', 'true');
    fixture.git('config', 'core.worktree', '/');
    for (const name of ['pre-commit', 'post-index-change', 'reference-transaction', 'fsmonitor-watchman']) {
      writeFileSync(join(fixture.directory, '.git', 'hooks', name), `#!/bin/sh\ntouch ${marker}\n`, { mode: 0o755 });
    }
    // As long as before: git has to read it, through the filter, to see that it differs.
    write(fixture, 'a.ts', 'b\n');
    write(fixture, 'new.js', 'new\n');
    const { paths } = await review(fixture.directory);
    expect([paths, existsSync(marker)]).toEqual([['added new.js'], false]);
    // The trap is one: git itself steps into it.
    fixture.git('config', '--unset', 'core.worktree');
    execFileSync('git', ['add', '-A'], { cwd: fixture.directory, env: cleanGitEnvironment, stdio: 'ignore' });
    expect(existsSync(marker)).toBe(true);
  });

  it('is believed about Git LFS no more than its pointers say', async () => {
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 6\n`;
    const fixture = clone({ '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n' });
    write(fixture, 'a.bin', 'large\n');
    write(fixture, 'never-followed.bin', pointer);
    const { git, paths } = await review(fixture.directory);
    expect(paths).toEqual(['added a.bin', 'added never-followed.bin']);
    expect(await git.repository.readFile('a.bin', 'head')).toMatchObject({ reason: 'lfs-pointer' });
    const files = (await git.repository.listFiles('head')).filter(({ path }) => path.endsWith('.bin'));
    expect(files.map(({ bytes }) => bytes)).toEqual([pointer.length, pointer.length]);
  });
});
