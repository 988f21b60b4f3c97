import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRepository } from '../fakes/git-fixture.ts';
import { temporaryFolder } from '../fakes/memory-repository.ts';
import { runCli } from './harness.ts';

const before = 'export function total() {\n  return 0;\n}\n';
const after = 'export function total() {\n  debugger;\n  return 0;\n}\n';

/** Two commits, the second of which leaves a debugger behind. */
function history() {
  const fixture = createRepository();
  fixture.commit({ files: { 'src/total.ts': before } });
  fixture.commit({ files: { 'src/total.ts': after } });
  return fixture;
}

describe('a review of named paths is about', () => {
  it.each([
    ['a file', '.', ['src/total.ts'], ['src/total.ts:2']],
    ['a folder', '.', ['app'], ['app/[id]/*.ts:1']],
    ['a file whose name looks like a glob', '.', ['app/[id]/*.ts'], ['app/[id]/*.ts:1']],
    ['a glob', '.', ['**/t*.ts'], ['src/total.ts:2']],
    ['a glob of names', 'src', ['*.ts'], ['src/deep/far.ts:1', 'src/total.ts:2']],
    ['files as seen from a folder', 'src', ['total.ts', '../app/[id]'], ['app/[id]/*.ts:1', 'src/total.ts:2']],
    ['all from the root', 'src', ['..'], ['app/[id]/*.ts:1', 'src/deep/far.ts:1', 'src/total.ts:2']],
    ['a file that did not change', '.', ['README.md'], []],
  ])('%s of it alone', async (_, folder, paths, places) => {
    const { directory, commit } = history();
    commit({ files: { 'README.md': 'Read me.\n' } });
    writeFileSync(join(directory, 'src/total.ts'), before.replace('  return', '  debugger; // here\n  return'));
    for (const path of ['app/[id]/*.ts', 'src/deep/far.ts']) {
      mkdirSync(join(directory, dirname(path)), { recursive: true });
      writeFileSync(join(directory, path), 'debugger; // new\n');
    }
    const { stdout } = await runCli({ args: ['review', ...paths], cwd: join(directory, folder) });
    const found = [...stdout.matchAll(/^ {2}(\S+:\d+) ·/gm)].map(([, place = '']) => place);
    expect(found.sort()).toEqual(places);
  });

  it('a file that is gone from the work tree, where the change has it', async () => {
    const { directory, git } = history();
    git('rm', '--quiet', 'src/total.ts');
    const run = await runCli({ args: ['review', '--commit', 'HEAD', 'src/total.ts'], cwd: directory });
    expect([run.code, run.stdout.includes('src/total.ts:2')]).toEqual([0, true]);
  });

  it.each([
    ['src/totel.ts', "Did you mean 'src/total.ts'?"],
    ['HEAD~1', 'Name files, folders or globs. A commit or branch belongs to a flag, such as --base HEAD~1.'],
    [
      '../../far/away.ts',
      'Name files, folders or globs. A commit or branch belongs to a flag, such as --base ../../far/away.ts.',
    ],
  ])('nothing for %s, which names no file', async (path, hint) => {
    const { code, stdout, stderr } = await runCli({
      args: ['review', '--commit', 'HEAD', path],
      cwd: history().directory,
    });
    const last = stderr.trimEnd().split('\n').at(-1);
    const problem = `'${path}' is neither in the work tree nor in the change. ${hint}`;
    expect([code, stdout, last]).toEqual([2, '', problem]);
  });
});

describe('configuration and rules of the work tree', () => {
  const rule =
    "---\nid: no-return\ntitle: It returns\nseverity: info\ncategory: other\npaths: [src/**]\npattern: 'return 0'\n---\nDo not.\n\n## Good\n\n```\na\n```\n\n## Bad\n\n```\nreturn 0\n```\n";
  const notUsed = (what: string) => `Not used: ${what} at the base commit. --trust-config uses yours.`;

  /** A change with a debugger, and what else lies in the work tree. */
  function changed(atBase: Readonly<Record<string, string>>, inWorkTree: Readonly<Record<string, string>>): string {
    const { directory, commit } = createRepository();
    commit({ files: { 'src/total.ts': 'export const a = 1;\n', ...atBase } });
    for (const [path, text] of Object.entries({ 'src/total.ts': after, ...inWorkTree })) {
      mkdirSync(join(directory, dirname(path)), { recursive: true });
      writeFileSync(join(directory, path), text);
    }
    return directory;
  }

  async function reviewed(cwd: string, ...flags: readonly string[]) {
    const { code, stdout, stderr } = await runCli({ args: ['review', ...flags], cwd });
    const found = [...stdout.matchAll(/· rule (\S+)/g)].map(([, id]) => id);
    return { code, found: found.sort(), said: stderr.match(/^(?:Not used|Used).*/gm) };
  }

  it.each([
    [
      'a new config file',
      {},
      { '.postil/config.yml': "exclude: ['src/**']\n" },
      '.postil/config.yml of the work tree, which differs from the one',
      [],
    ],
    [
      'a changed config file',
      { '.postil/config.yml': '\n' },
      { '.postil/config.yml': 'min-severity: critical' },
      '.postil/config.yml of the work tree, which differs from the one',
      [],
    ],
    [
      'a new rule',
      {},
      { '.postil/rules/no-return.md': rule },
      '.postil/rules/ of the work tree, which differ from those',
      ['debugger-statement', 'no-return'],
    ],
    [
      'both',
      {},
      { '.postil/rules/no-return.md': rule, '.postil/config.yml': 'min-severity: warning' },
      '.postil/config.yml and .postil/rules/ of the work tree, which differ from those',
      ['debugger-statement'],
    ],
  ])('%s counts with --trust-config, and is named without it', async (_, atBase, inWorkTree, what, trusted) => {
    const cwd = changed(atBase, inWorkTree);
    expect(await reviewed(cwd)).toEqual({ code: 0, found: ['debugger-statement'], said: [notUsed(what)] });
    expect(await reviewed(cwd, '--trust-config')).toEqual({
      ...{ code: 0, found: trusted, said: [`Used (--trust-config): ${what} at the base commit.`] },
    });
  });

  it('are not named where they are the same, be it with other line ends', async () => {
    const config = "exclude:\n  - 'docs/**'\n";
    const cwd = changed({ '.postil/config.yml': config }, { '.postil/config.yml': config.replaceAll('\n', '\r\n') });
    expect((await reviewed(cwd)).said).toBe(null);
  });

  it('keep to what a file of the repository may say', async () => {
    const cwd = changed({}, { '.postil/config.yml': 'report-file: report.json\n' });
    const { code, stderr } = await runCli({ args: ['review', '--trust-config'], cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining("'report-file' may be set by an input, a flag or the")]);
  });

  it('are not looked for behind a link, which may have no end', async () => {
    const cwd = changed({}, {});
    mkdirSync(join(cwd, '.postil'));
    symlinkSync('/dev/zero', join(cwd, '.postil/config.yml'));
    expect(await reviewed(cwd, '--trust-config')).toEqual({ code: 0, found: ['debugger-statement'], said: null });
  });

  it('need a work tree to be trusted', async () => {
    const bare = join(temporaryFolder(), 'bare.git');
    execFileSync('git', ['clone', '--quiet', '--bare', history().directory, bare]);
    const { code, stderr } = await runCli({ args: ['review', '--commit', 'HEAD', '--trust-config'], cwd: bare });
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('There is no configuration to trust: . is in no work tree.'),
    ]);
  });
});
