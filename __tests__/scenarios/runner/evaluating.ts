import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '../../fakes/memory-repository.ts';
import { call, type ModelScript, submit } from '../../fakes/model-server/script.ts';
import { runCli } from '../harness.ts';
import { laptopModel, totalWorld, wrongLine, wrongLineFinding } from '../review.ts';

const yaml = JSON.stringify;
export const trees = (head: string, at: string = totalWorld.head['src/total.ts'], base: object = totalWorld.base) =>
  `title: Sum with an index\nbase: ${yaml(base)}\nhead: ${yaml({ 'src/total.ts': `${at}${head}` })}\n`;
export const golden = (lines: string) =>
  `goldens:\n  - path: src/total.ts\n    lines: ${lines}\n    description: One past the end is read.\n`;

export const three = {
  'a-hit.yml': `${trees('')}${golden('4')}`,
  // The reviewer names the line, and the defect that is known is another one.
  'b-miss.yml': `${trees('\n'.repeat(30))}${golden('30-31')}`,
  'c-clean.yml': `${trees('// Same.\n', totalWorld.base['src/total.ts'])}clean: true\n`,
};

export const reviewer = ({ prompt }: { prompt: string }) => {
  if (prompt.includes('You compare known defects')) return call('submit_pairs', { pairs: [{ defect: 0, finding: 0 }] });
  return submit(prompt.includes(wrongLine.trim()) ? [wrongLineFinding] : []);
};

export function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

export async function evaluated(cwd: string, args: readonly string[] = [], script: ModelScript = reviewer) {
  const { model, env } = await laptopModel(script);
  return { model, run: await runCli({ args: ['eval', '.', ...args], cwd, env: { ...env, ...once } }) };
}

/** Nothing after the first call of a batch. */
const once = { POSTIL_VERIFY: 'false', POSTIL_REFLECT: 'false' };

export const replayed = (cwd: string, args: readonly string[] = []) =>
  runCli({ args: ['eval', '.', '--replay', ...args], cwd, env: once });
