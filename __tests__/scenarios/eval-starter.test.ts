import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type EvalCase, parseCase } from '../../src/core/eval/case.ts';
import { temporaryFolder } from '../fakes/memory-repository.ts';
import { runCli } from './worlds.ts';

const folder = fileURLToPath(new URL('../../eval/cases/', import.meta.url));
const names = readdirSync(folder).filter((name) => name.endsWith('.yml'));
const cases = names.flatMap((name) => {
  const text = readFileSync(join(folder, name), 'utf8');
  const parsed = parseCase({ path: name, name: name.replace('.yml', ''), text });
  return parsed.ok ? [parsed.value] : [];
});
const isClean = ({ goldens }: EvalCase) => goldens.length === 0;

describe('the starter set', () => {
  it('holds twenty defects in six languages and ten clean twins, all in the format', () => {
    const defects = cases.filter((one) => !isClean(one));
    expect(cases).toHaveLength(names.length);
    expect([defects.length >= 20, cases.filter(isClean).length >= 10]).toEqual([true, true]);
    expect([...new Set(defects.map(({ language }) => language))].sort()).toEqual([
      'Go',
      'Java',
      'Python',
      'Ruby',
      'Rust',
      'TypeScript',
    ]);
    const twins = cases.filter(isClean).map(({ name }) => name.replace(/-clean$/, ''));
    expect(twins.filter((name) => !defects.some((one) => one.name === name))).toEqual([]);
  });

  it('names lines that are there', () => {
    const beyond = cases.filter(({ source, goldens }) =>
      goldens.some(({ path, end }) => {
        const text = source.kind === 'texts' ? source.head[path] : null;
        return (text?.trimEnd().split('\n').length ?? 0) < end;
      }),
    );
    expect(beyond.map(({ name }) => name)).toEqual([]);
  });

  const runnable = cases.filter(({ proof }) => isHere(proof?.run ?? ''));

  it.each(runnable.map((one) => [one.name, isClean(one) ? 'passes' : 'fails', one] as const))(
    'proves %s by a test that %s at head',
    (_, verdict, one) => {
      expect(proved(one) === 0 ? 'passes' : 'fails').toBe(verdict);
    },
  );

  it('shows what a replay is with two cassettes of a scripted model', async () => {
    const args = ['eval', folder, '--replay', '--format', 'json'];
    const { code, stdout } = await runCli({ args, cwd: temporaryFolder() });
    const [{ model, measured, measures }] = JSON.parse(stdout).configurations;
    expect([code, model, measured, measures.recall.value, measures.silent.value]).toEqual([
      1,
      'scripted-example',
      2,
      1,
      1,
    ]);
  });
});

/** Compilers take seconds: they run with all tests alone. */
function isHere(run: string): boolean {
  const [tool = ''] = run.split(' ');
  if (process.env['POSTIL_TEST_FULL'] !== '1' && tool !== 'node' && tool !== 'python3') return false;
  return spawnSync(tool, ['--version']).status === 0;
}

/** Exit code of the proof. */
function proved({ source, proof }: EvalCase): number | null {
  const root = temporaryFolder();
  const trees = source.kind === 'texts' ? { ...source.base, ...source.head, ...proof?.files } : {};
  for (const [path, text] of Object.entries(trees)) {
    if (text === null) continue;
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return spawnSync('sh', ['-c', proof?.run ?? 'false'], { cwd: root, timeout: 60_000 }).status;
}
