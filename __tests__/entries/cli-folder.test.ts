import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { initialise, listRules } from '../../src/cli-folder.ts';
import { temporaryFolder } from '../fakes/temporary-folder.ts';

const workflow = '.github/workflows/postil.yml';

function folders({ repository }: { readonly repository: boolean }) {
  const root = realpathSync(temporaryFolder());
  const deep = join(root, 'src', 'deep');
  mkdirSync(deep, { recursive: true });
  if (repository) mkdirSync(join(root, '.git'));
  return { root, deep };
}

async function printed(work: (directory: string, print: (text: string) => void) => Promise<number>, folder: string) {
  const texts: string[] = [];
  const code = await work(folder, (text) => texts.push(text));
  return { code, text: texts.join('') };
}

describe('postil init in a subfolder', () => {
  it('writes to the root of the repository, where GitHub looks for workflows, and says where', async () => {
    const { root, deep } = folders({ repository: true });
    const { code, text } = await printed(initialise, deep);
    expect([code, existsSync(join(root, workflow)), existsSync(join(deep, workflow))]).toEqual([0, true, false]);
    expect(text.split('\n').slice(0, 2)).toEqual([`In ${root}:`, `written: ${workflow}`]);
    expect(text).not.toContain('git init');
  });

  it('takes a file `.git` for a root too, as a work tree has it', async () => {
    const { root, deep } = folders({ repository: false });
    writeFileSync(join(root, 'src', '.git'), 'gitdir: elsewhere\n');
    await printed(initialise, deep);
    expect(existsSync(join(root, 'src', workflow))).toBe(true);
  });

  it('keeps to the folder where no repository is yet, and says that one is needed', async () => {
    const { deep } = folders({ repository: false });
    const { text } = await printed(initialise, deep);
    expect([existsSync(join(deep, workflow)), text.startsWith(`In ${deep}:`)]).toEqual([true, true]);
    expect(text).toContain('make this folder the root of a repository (git init)');
  });
});

describe('postil rules in a subfolder', () => {
  it.each([
    ['of the repository that it lies in', true],
    ['of no other folder where there is no repository', false],
  ])('lists the rules %s', async (_, repository) => {
    const { root, deep } = folders({ repository });
    await printed(initialise, root);
    const { code, text } = await printed(listRules, deep);
    expect([code, text.includes('no-console-log'), text.split('\n')[0]]).toEqual([
      0,
      repository,
      `Built-in rules, and those of ${repository ? root : deep}:`,
    ]);
  });
});
