import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type EvalCase, parseCase } from '../../eval/case.ts';
import { temporaryFolder } from '../fakes/memory-repository.ts';
import { lacks } from '../fakes/platform.ts';
import { runCli } from '../scenarios/harness.ts';

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
    const languages = new Set(defects.map(({ language }) => language));
    expect([...languages].sort().join()).toBe('Go,Java,Python,Ruby,Rust,TypeScript');
    const twins = cases.filter(isClean).map(({ name }) => name.replace(/-clean$/, ''));
    expect(twins.filter((name) => !defects.some((one) => one.name === name))).toEqual([]);
  });

  it('names lines that are there', () => {
    const beyond = cases.filter((one) =>
      [one, ...one.pushes].some(({ source, goldens }) =>
        goldens.some(({ path, end }) => {
          const text = source.kind === 'texts' ? source.head[path] : null;
          return (text?.trimEnd().split('\n').length ?? 0) < end;
        }),
      ),
    );
    expect(beyond.map(({ name }) => name)).toEqual([]);
  });

  it.for(cases.filter((one) => !isClean(one)).map((one) => [one.name, toolOf(one), one] as const))(
    'proves %s by a test (%s) that fails at every head, and passes in the clean twin or else at base',
    { timeout: 120_000 },
    ([name, tool, one], { skip }) => {
      const why = whyNotRun(tool);
      if (why !== null) skip(why);
      const twin = cases.find((other) => other.name === `${name}-clean`);
      const { base } = textsOf(one);
      const heads = [one, ...one.pushes].map((push) => proved(one, { ...base, ...textsOf(push).head }));
      const right = twin === undefined ? base : { ...textsOf(twin).base, ...textsOf(twin).head };
      expect(twin?.proof ?? one.proof).toEqual(one.proof);
      expect([new Set(heads), proved(one, right)]).toEqual([new Set(['fails']), 'passes']);
    },
  );

  it('shows what a replay is with two transcripts of a scripted model', async () => {
    const args = ['eval', folder, '--replay', '--format', 'json'];
    const { code, stdout } = await runCli({ args, cwd: temporaryFolder(), start: 'bundle' });
    const [{ model, measured, measures }] = JSON.parse(stdout).configurations;
    expect([code, model, measured]).toEqual([1, 'scripted-example', 2]);
    // Else `node scripts/renew-demo.ts FILE` records each again.
    expect(stdout).not.toContain('differ from the recorded ones');
    expect(measures).toMatchObject({ recall: { value: 1 }, silent: { value: 1 } });
  });
});

const toolOf = ({ proof }: EvalCase) => proof?.run.split(' ')[0] ?? '';
const textsOf = ({ source }: Pick<EvalCase, 'source'>) => (source.kind === 'texts' ? source : { base: {}, head: {} });

/** Compilers take seconds: they run with all tests alone. */
function whyNotRun(tool: string): string | null {
  const isFast = ['node', 'python3', 'ruby'].includes(tool);
  if (!isFast && process.env['POSTIL_TEST_FULL'] !== '1') return 'not run: npm run proofs runs it';
  if (lacks.shellScripts) return 'not run: its proof is a command of a shell';
  const isHere = spawnSync('sh', ['-c', `command -v ${tool}`]).status === 0;
  return isHere ? null : `not run: ${tool} is not installed`;
}

function proved({ proof }: EvalCase, tree: Readonly<Record<string, string | null>>): 'passes' | 'fails' {
  const root = temporaryFolder();
  for (const [path, text] of Object.entries({ ...tree, ...proof?.files })) {
    if (text === null) continue;
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const run = spawnSync('sh', ['-c', proof?.run ?? 'false'], { cwd: root, timeout: 60_000 });
  return run.status === 0 ? 'passes' : 'fails';
}
