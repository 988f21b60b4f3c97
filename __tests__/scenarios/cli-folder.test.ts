import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { at } from '../fakes/json.ts';
import { temporaryFolder } from '../fakes/temporary-folder.ts';
import { runCli } from './run-cli.ts';

describe('postil init', () => {
  it('writes a workflow, a config file and a rule whose examples hold', async () => {
    const cwd = temporaryFolder();
    const { code, stdout } = await runCli({ args: ['init'], cwd });
    const workflow: unknown = parse(readFileSync(join(cwd, '.github/workflows/postil.yml'), 'utf8'));
    expect([code, stdout.match(/^written: /gm)?.length, at(workflow, 'permissions')]).toEqual([
      0,
      3,
      { contents: 'read', 'pull-requests': 'write', issues: 'read', checks: 'read', statuses: 'read' },
    ]);
    const rules = await runCli({ args: ['rules'], cwd });
    expect([rules.code, rules.stdout]).toEqual([
      0,
      expect.stringMatching(/no-console-log +nitpick +yours +pattern +Debug output is left in[\s\S]*examples hold\.$/m),
    ]);
  });

  it('never touches what is there', async () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, '.postil'));
    writeFileSync(join(cwd, '.postil/config.yml'), 'max-comments: 3\n');
    const { stdout } = await runCli({ args: ['init'], cwd });
    expect([
      stdout.includes('left as it is: .postil/config.yml'),
      readFileSync(join(cwd, '.postil/config.yml'), 'utf8'),
    ]).toEqual([true, 'max-comments: 3\n']);
  });

  it('says where it cannot write', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'file'), '');
    const { code, stderr } = await runCli({ args: ['init', '--directory', join(cwd, 'file')], cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining('could not be written')]);
  });
});

describe('postil rules', () => {
  it('tells which example does not hold', async () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, '.postil/rules'), { recursive: true });
    const rule =
      "---\nid: todo\ntitle: Todo\nseverity: info\ncategory: other\npattern: 'TODO'\n---\nText.\n\n## Good\n\n```\nTODO later\n```\n\n## Bad\n\n```\nTODO\n```\n";
    writeFileSync(join(cwd, '.postil/rules/todo.md'), rule);
    const { code, stdout } = await runCli({ args: ['rules'], cwd });
    expect([code, stdout]).toEqual([
      1,
      expect.stringMatching(/^Problem: In the rule \.postil\/rules\/todo\.md the pattern matches the good example/m),
    ]);
  });

  it('takes the folder alone', async () => {
    const { code, stderr } = await runCli({ args: ['rules', '--model', 'x'], cwd: temporaryFolder() });
    expect([code, stderr.includes("'--model' means nothing to rules")]).toEqual([2, true]);
  });
});
