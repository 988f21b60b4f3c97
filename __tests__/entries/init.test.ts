import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readArguments } from '../../src/cli/arguments.ts';
import { initialise, listRules } from '../../src/cli/folder.ts';
import { commands } from '../../src/cli.ts';
import { actionReference, referenceComment } from '../../src/core/addresses.ts';
import { ownRelease } from '../../src/core/release.ts';
import { temporaryFolder } from '../fakes/memory-repository.ts';

const workflow = '.github/workflows/postil.yml';

function folders({ repository }: { readonly repository: boolean }) {
  const root = realpathSync(temporaryFolder());
  const deep = join(root, 'src', 'deep');
  mkdirSync(deep, { recursive: true });
  if (repository) mkdirSync(join(root, '.git'));
  return { root, deep };
}

const initialised = (directory: string, print: (text: string) => void) => initialise({ directory }, print);

async function printed(work: (directory: string, print: (text: string) => void) => Promise<number>, folder: string) {
  const texts: string[] = [];
  const code = await work(folder, (text) => texts.push(text));
  return { code, text: texts.join('') };
}

describe('postil init in a subfolder', () => {
  it('writes to the root of the repository, where GitHub looks for workflows, and says where', async () => {
    const { root, deep } = folders({ repository: true });
    const { code, text } = await printed(initialised, deep);
    expect([code, existsSync(join(root, workflow)), existsSync(join(deep, workflow))]).toEqual([0, true, false]);
    expect([text.startsWith(`In ${root}:\nwritten: ${workflow}\n`), text.includes('git init')]).toEqual([true, false]);
  });

  it('takes a file `.git` for a root too, as a work tree has it', async () => {
    const { root, deep } = folders({ repository: false });
    writeFileSync(join(root, 'src', '.git'), 'gitdir: elsewhere\n');
    await printed(initialised, deep);
    expect(existsSync(join(root, 'src', workflow))).toBe(true);
  });

  it('keeps to the folder where no repository is yet, and says that one is needed', async () => {
    const { deep } = folders({ repository: false });
    const { text } = await printed(initialised, deep);
    expect([existsSync(join(deep, workflow)), text.startsWith(`In ${deep}:`)]).toEqual([true, true]);
    expect(text).toContain('make this folder the root of a repository (git init)');
  });
});

describe('postil init', () => {
  const copy = `acme/reviewer@${'0a'.repeat(20)}`;
  const uses = (root: string) => /- uses: (.*)/.exec(readFileSync(join(root, workflow), 'utf8'))?.[1];

  async function initialisedWith(action: string | null, root = folders({ repository: true }).root) {
    const { text } = await printed((directory, print) => initialise({ directory, action }, print), root);
    return { root, last: text.trimEnd().split('\n').at(-1) };
  }

  it.each([copy, `acme/tools/.github/actions/postil@${'0a'.repeat(32)}`])(
    'writes %s into the workflow',
    async (action) => {
      expect(readArguments(commands, ['init', '--action', action])).toMatchObject({
        asked: { directory: '.', action },
      });
      const { root, last } = await initialisedWith(action);
      expect([uses(root), last?.startsWith('Next: ')]).toEqual([action, true]);
    },
  );

  it('writes the reference of the release without one, and says at the end what to put there while there is none', async () => {
    const { root, last } = await initialisedWith(null);
    expect(uses(root)).toBe(`${actionReference()} # ${referenceComment()}`);
    expect(last?.includes('`git rev-parse HEAD`')).toBe(!ownRelease.published);
  });

  it('leaves a workflow as it is, and says what to put there', async () => {
    const { root } = await initialisedWith(copy);
    const other = copy.replace('acme', 'octo');
    const { last } = await initialisedWith(other, root);
    const problem = `${workflow} was there before: put ${other} into it yourself.`;
    expect([uses(root), last]).toEqual([copy, problem]);
  });

  it.each([
    ['a tag', 'acme/reviewer@v1'],
    ['a branch', 'acme/reviewer@main'],
    ['a short hash', 'acme/reviewer@0a0a0a0'],
    ['no hash', 'acme/reviewer'],
    ['no owner', `reviewer@${'0a'.repeat(20)}`],
    ['an address', `https://github.com/${copy}`],
    ['a way out of the repository', `acme/reviewer/../other@${'0a'.repeat(20)}`],
    ['a placeholder', '<owner>/postil@<commit>'],
    ['another line', `${copy}\n        run: make`],
    ['a comment', `${copy} # v1`],
  ])('refuses %s, and says how to get a full hash', (_, action) => {
    const needs = 'OWNER/REPO@SHA with a full commit hash, which `git rev-parse HEAD` prints in your clone of Postil';
    expect(readArguments(commands, ['init', `--action=${action}`])).toEqual({
      kind: 'usage',
      problems: [`'--action' needs ${needs}.`],
    });
  });
});

describe('postil rules in a subfolder', () => {
  it.each([
    ['of the repository that it lies in', true],
    ['of no other folder where there is no repository', false],
  ])('lists the rules %s', async (_, repository) => {
    const { root, deep } = folders({ repository });
    await printed(initialised, root);
    const { code, text } = await printed(listRules, deep);
    const heading = `Built-in rules, and those of ${repository ? root : deep}:`;
    expect([code, text.includes('no-console-log'), text.split('\n')[0]]).toEqual([0, repository, heading]);
  });
});
