import { cpSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { openFixture } from '../git-fixture.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { writeGitDirectory } from './import-commits.ts';

// By commit: what was written once is copied, which takes no process.
const populated = new Map<string, string>();

/** A work tree at a commit, detached, whose objects stay where they are: all of them are there, and none was fetched. */
export function borrowWorkTree(remote: string, commit: string, config = ''): string {
  const directory = temporaryFolder();
  const inside = join(directory, '.git');
  const origin = `[remote "origin"]\n\turl = ${remote}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n`;
  writeGitDirectory(
    inside,
    `[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n${config || origin}`,
  );
  writeFileSync(join(inside, 'objects', 'info', 'alternates'), `${join(remote, 'objects')}\n`);
  writeFileSync(join(inside, 'HEAD'), `${commit}\n`);
  const known = populated.get(commit);
  if (known === undefined) {
    openFixture(directory).git('reset', '--quiet', '--hard');
    const template = temporaryFolder();
    cpSync(directory, template, { recursive: true, verbatimSymlinks: true });
    populated.set(commit, template);
    return directory;
  }
  const own = ['config', 'alternates'];
  cpSync(known, directory, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (source) => !own.includes(basename(source)) || !source.startsWith(join(known, '.git')),
  });
  return directory;
}
