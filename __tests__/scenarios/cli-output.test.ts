import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRepository } from '../fakes/git-fixture.ts';
import { temporaryFolder } from '../fakes/memory-repository.ts';
import { fault } from '../fakes/model-server/script.ts';
import { runCli } from './harness.ts';
import { laptopModel, outputFiles, reader } from './review.ts';

function repository(line = 'debugger;'): string {
  const { directory, commit } = createRepository();
  commit({ files: { 'src/total.ts': 'export const total = 0;\n' } });
  commit({ files: { 'src/total.ts': `export const total = 0;\n${line}\n` } });
  return directory;
}

const offline = ['review', '--base', 'HEAD~1', '--profile', 'offline'];

describe('--quiet', () => {
  it('prints the findings and nothing else', async () => {
    const { code, stdout, stderr } = await runCli({
      args: [...offline, '--quiet', '--fail-on', 'warning'],
      cwd: repository(),
    });
    expect([code, stderr]).toEqual([1, '']);
    expect(stdout).toMatchInlineSnapshot(`
      "warning  A debugger statement is left in
        src/total.ts:2 · rule debugger-statement
        2 │ debugger;
          │ ^^^^^^^^^
        It stops the program where nobody watches: a request hangs, a job never ends. Remove it.
      "
    `);
  });

  it('prints nothing where nothing was found', async () => {
    const { code, stdout, stderr } = await runCli({ args: [...offline, '--quiet'], cwd: repository('// Fine.') });
    expect([code, stdout, stderr]).toEqual([0, '', '']);
  });

  it('leaves the result of a format as it is', async () => {
    const { stdout, stderr } = await runCli({ args: [...offline, '--quiet', '--format', 'json'], cwd: repository() });
    expect([JSON.parse(stdout).files_review.length, stderr]).toEqual([1, '']);
  });

  it('says why a review failed', async () => {
    const { env } = await laptopModel(() => fault(401, { error: { message: 'No.', code: 'invalid_api_key' } }));
    const { code, stderr } = await runCli({ args: ['review', '--base', 'HEAD~1', '--quiet'], cwd: repository(), env });
    expect([code, stderr]).toEqual([3, expect.stringMatching(/^Review failed: .*rejected the API key \(401\)/)]);
  });
});

describe('a file that was asked for', () => {
  it('is named when it was written', async () => {
    const { inputs } = outputFiles('report-html', 'sarif-file', 'transcript-file');
    const files = Object.entries(inputs).map(([name, path]) => `--${name}=${path}`);
    const { stderr } = await runCli({ args: [...offline, ...files], cwd: repository() });
    const named = stderr.match(/^Written: .*/gm)?.map((line) => line.slice('Written: '.length));
    expect(named?.toSorted()).toEqual(Object.values(inputs).toSorted());
    expect(readFileSync(inputs['report-html'] ?? '', 'utf8')).toContain('<html');
  });

  it('is named by replay too', async () => {
    const demo = new URL('../../demo/transcript.jsonl', import.meta.url).pathname;
    const page = join(temporaryFolder(), 'page.html');
    const { stderr } = await runCli({ args: ['replay', demo, '--report-html', page], cwd: temporaryFolder() });
    expect(stderr).toContain(`\nWritten: ${page}\n`);
  });
});

it('a wrong key is looked for where a terminal has it', async () => {
  const { env } = await laptopModel(() => fault(401, { error: { message: 'No.', code: 'invalid_api_key' } }));
  const { stdout, stderr } = await runCli({ args: ['review', '--base', 'HEAD~1'], cwd: repository(), env });
  expect(`${stdout}${stderr}`).toContain('Check OPENAI_API_KEY or POSTIL_API_KEY, and that the key may use this model');
  expect(`${stdout}${stderr}`).not.toContain('`api-key`');
});

it('a key that cannot be sent is looked for there, too', async () => {
  const { env } = await laptopModel(reader);
  const broken = { ...env, OPENAI_API_KEY: '', POSTIL_API_KEY: 'k\u00e9y-of-somebody' };
  const { code, stderr } = await runCli({ args: ['review', '--base', 'HEAD~1'], cwd: repository(), env: broken });
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('Check OPENAI_API_KEY or POSTIL_API_KEY for line breaks'),
  ]);
});
