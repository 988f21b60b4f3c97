import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readArguments } from '../../src/cli/arguments.ts';
import { commands } from '../../src/cli.ts';
import { at, parseJson } from '../fakes/every-pair.ts';
import { fault, type ModelScript, submit } from '../fakes/model-server/script.ts';
import { lacks } from '../fakes/platform.ts';
import { sarifProblem } from '../fakes/sarif.ts';
import { borrowWorkTree, createWorld } from '../fakes/world/create-world.ts';
import { builtFile } from '../scenarios/harness.ts';
import { laptopModel, totalWorld, wrongLineFinding } from '../scenarios/review.ts';
import { runNode } from '../scenarios/runner/start.ts';

const page = readFileSync(new URL('../../docs/other-ci.md', import.meta.url), 'utf8');
const [review = '', toCodeQuality = ''] = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(
  ([, script = '']) => script,
);

/** Postil itself, at the commit that the page pins: the tests have it already. */
const clone = /^postil=\$\(mktemp -d\)\ngit clone .*\ngit -C "\$postil" checkout .*\n/m;

describe.skipIf(lacks.shellScripts)('the commands of docs/other-ci.md', () => {
  /** On a branch whose base has moved on since. */
  async function pipeline(script: ModelScript) {
    const world = createWorld(totalWorld);
    const { env } = await laptopModel(script);
    const directory = borrowWorkTree(world.remote.directory, world.commits.head);
    const shell = async (text: string) => {
      const environment = { PATH: process.env['PATH'] ?? '', HOME: directory, BASE: 'main', ...env };
      return runNode({ node: 'bash', args: ['-ec', text], directory, environment, timeout: 100_000 });
    };
    const program = `'${process.execPath}' '${builtFile('dist/cli/index.js')}'`;
    const run = await shell(review.replace(clone, '').replace('node "$postil/dist/cli/index.js"', program));
    return { run, shell, read: (name: string) => parseJson(readFileSync(join(directory, name), 'utf8')) };
  }

  it('review what the branch changed, fail for the finding, and leave SARIF that GitLab can be given as code quality', async () => {
    const { run, shell, read } = await pipeline(() => submit([wrongLineFinding]));
    const made = await shell(toCodeQuality);
    expect([run.code, sarifProblem(read('postil.sarif')), made.code]).toEqual([1, null, 0]);
    expect(run.stdout).not.toContain('MAIN.md');
    expect(read('quality.json')).toEqual([
      {
        description: expect.stringContaining(wrongLineFinding.title),
        check_name: expect.any(String),
        fingerprint: expect.stringMatching(/^\S{8,}$/),
        severity: 'critical',
        location: { path: 'src/total.ts', lines: { begin: 4 } },
      },
    ]);
  });

  it.each<[string, ModelScript, number]>([
    ['0 where nothing was found', () => submit([]), 0],
    ['3 where the server refuses', () => fault(401, { error: { message: 'No.', code: 'invalid_api_key' } }), 3],
  ])('end with %s', async (_, script, code) => {
    const { run } = await pipeline(script);
    expect(run.code, run.log).toBe(code);
  });

  it('name flags that exist', () => {
    const [, line = ''] = /index\.js" (review .*)/.exec(review) ?? [];
    const request = readArguments(commands, line.split(' '));
    expect([request.kind, at(request, 'asked', 'flags')]).toEqual([
      'command',
      { 'fail-on': 'critical', 'require-complete': 'true', 'sarif-file': 'postil.sarif' },
    ]);
  });
});
