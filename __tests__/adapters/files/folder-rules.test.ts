import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderRules } from '../../../src/adapters/files/folder-rules.ts';
import { loadRules } from '../../../src/core/rules/load-rules.ts';
import { temporaryFolder } from '../../fakes/temporary-folder.ts';

describe('the rules of a working folder', () => {
  it('are named when they lie too deep or end in big letters', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, '.postil/rules/deep/er'), { recursive: true });
    for (const name of ['deep/er/a.md', 'B.MD', 'note.txt']) writeFileSync(join(folder, '.postil/rules', name), 'x');
    const { problems } = await loadRules(folderRules(folder));
    expect(problems.map((problem) => problem.split(' ')[2])).toEqual([
      '.postil/rules/B.MD',
      '.postil/rules/deep/er/a.md',
    ]);
  });

  it('are none where the folder is a link, which may lead to the whole disk', async () => {
    const [folder, elsewhere] = [temporaryFolder(), temporaryFolder()];
    mkdirSync(join(folder, '.postil'));
    writeFileSync(join(elsewhere, 'B.MD'), 'x');
    symlinkSync(elsewhere, join(folder, '.postil/rules'));
    expect((await loadRules(folderRules(folder))).problems).toEqual([]);
  });

  it('are none where the folder is not there', async () => {
    expect((await loadRules(folderRules(temporaryFolder()))).problems).toEqual([]);
  });
});
