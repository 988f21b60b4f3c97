import { describe, expect, it } from 'vitest';
import { createRepository } from '../fakes/git-fixture.ts';
import { call, submit } from '../fakes/model-server/script.ts';
import { startModel } from '../fakes/model-server/start-model.ts';
import { runCli } from './run-cli.ts';
import { totalWorld, wrongLine, wrongLineFinding, wrongLineNumber } from './total-world.ts';

function repository(head: Readonly<Record<string, string>> = totalWorld.head): string {
  const fixture = createRepository();
  fixture.commit({ files: totalWorld.base, message: 'Start' });
  fixture.commit({ files: head, message: 'Change it' });
  return fixture.directory;
}

describe('the command line', () => {
  it('reviews offline straight after a clone, and says how to add a model', async () => {
    const cwd = repository({ 'src/total.ts': 'export function total() {\n  debugger;\n}\n' });
    const run = await runCli({ args: ['review', '--base', 'HEAD~1'], cwd });
    expect(run.stdout).toContain('src/total.ts:2');
    expect(`${run.stdout}${run.stderr}`).toContain('OPENAI_API_KEY');
    expect(run.code).toBe(0);
  });

  it('reviews with a model when there is a key', async () => {
    const model = await startModel((request, turn) => {
      if (turn === 0) return call('read_file', { path: 'src/total.ts' });
      return submit(request.lastResult('read_file').includes(wrongLine.trim()) ? [wrongLineFinding] : []);
    });
    const env = { POSTIL_API_KEY: model.apiKey, POSTIL_BASE_URL: model.url };
    const run = await runCli({ args: ['review', '--base', 'HEAD~1', '--fail-on', 'warning'], cwd: repository(), env });
    await model.close();
    expect(run.stdout).toContain(`src/total.ts:${wrongLineNumber}`);
    expect([run.code, model.complaints]).toEqual([1, []]);
  });

  it('runs on the Node of this machine as well, be it older than the action’s', async () => {
    const node = process.env['npm_node_execpath'] ?? process.execPath;
    const run = await runCli({ args: ['review', '--base', 'HEAD~1'], cwd: repository(), node });
    expect([run.code, run.stderr.includes('SyntaxError')]).toEqual([0, false]);
  });

  it.each([
    ['a folder that is no repository', ['review', '--base', 'HEAD~1'], false],
    ['a revision that does not exist', ['review', '--base', 'no-such-branch'], true],
    ['an unknown flag', ['review', '--bsae', 'HEAD~1'], true],
    ['an impossible setting', ['review', '--base', 'HEAD~1', '--fail-on', 'sometimes'], true],
  ])('ends with 2 and one clear message for %s', async (_, args, inRepository) => {
    const cwd = inRepository ? repository() : '/tmp';
    const run = await runCli({ args, cwd });
    expect([run.code, run.stderr.includes('    at ')]).toEqual([2, false]);
    expect(run.stderr.trim()).not.toBe('');
  });
});
