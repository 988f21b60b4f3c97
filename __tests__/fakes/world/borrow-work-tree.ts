import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openFixture } from '../git-fixture.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { writeGitDirectory } from './import-commits.ts';

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
  openFixture(directory).git('reset', '--quiet', '--hard');
  return directory;
}
