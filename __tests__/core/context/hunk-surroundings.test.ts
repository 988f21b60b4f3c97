import { structuredPatch } from 'diff';
import { afterAll, describe, expect, it } from 'vitest';
import { estimateTokens } from '../../../src/core/agent/estimate.ts';
import type { Batch } from '../../../src/core/batches/batch.ts';
import { createFence, renderBatch } from '../../../src/core/batches/render-batch.ts';
import { renderChain } from '../../../src/core/context/chain-text.ts';
import { withHeadings } from '../../../src/core/context/changed-symbols.ts';
import { contextOf } from '../../../src/core/context/context-chain.ts';
import { withSurroundings } from '../../../src/core/context/hunk-surroundings.ts';
import type { SymbolIndex } from '../../../src/core/context/symbol-index.ts';
import { type ChangedFile, hunkLines, renderHunk } from '../../../src/core/pull-request/changed-file.ts';
import { changedFile, MemoryRepository } from '../../fakes/memory-repository.ts';
import { indexOf, parser } from './searching.ts';

afterAll(() => parser.close());

type Edit = { readonly path?: string; readonly before: string; readonly after: string };

function edited({ path = 'src/cart.ts', before, after }: Edit): ChangedFile {
  const { hunks } = structuredPatch(path, path, before, after, '', '', { context: 1 });
  return changedFile(path, { hunks: hunks.map((hunk) => ({ ...hunk, heading: '' })) });
}

/** The hunks of an edit with what they stand in. */
async function surrounded(edit: Edit, maxTokens = 3_000) {
  const file = edited(edit);
  const index = indexOf(new MemoryRepository({ [file.path]: edit.after }));
  const { changes, ...rest } = await withSurroundings(index, [{ file, hunks: file.hunks }], maxTokens);
  return { ...rest, hunks: changes.flatMap(({ hunks }) => hunks) };
}

const cart = `import { round } from './money.ts';
import { log } from './log.ts';
import {
  rateOf,
} from './tax.ts';

export function empty(): number[] {
  return [];
}

export function total(lines: number[]): number {
  let sum = 0;
  for (const line of lines) {
    sum += line;
  }
  if (sum < 0) {
    throw new Error('negative');
  }
  sum = sum * rateOf('DE');
  return round(sum);
}
`;

const rows = (count: number) => Array.from({ length: count }, (_row, at) => `  step(${at});`);
const long = (count: number) => `export function long(): void {\n${rows(count).join('\n')}\n}\n`;

describe('what a hunk stands in', () => {
  it('is shown whole in the diff itself, with the imports that it uses', async () => {
    const { hunks, left } = await surrounded({ before: cart, after: cart.replace('sum = 0', 'sum = 1') });
    expect(hunks.map((hunk) => renderHunk(hunk)).join('\n')).toMatchInlineSnapshot(`
      "@@
      1  import { round } from './money.ts';
      @@
      3  import {
      4    rateOf,
      5  } from './tax.ts';
      @@
      11  export function total(lines: number[]): number {
      12 -  let sum = 0;
      12 +  let sum = 1;
      13    for (const line of lines) {
      14      sum += line;
      15    }
      16    if (sum < 0) {
      17      throw new Error('negative');
      18    }
      19    sum = sum * rateOf('DE');
      20    return round(sum);
      21  }"
    `);
    expect(left).toEqual([]);
  });

  it('joins hunks whose lines between are shown, and shows no line twice', async () => {
    const after = cart.replace('sum = 0', 'sum = 1').replace("'DE'", "'FR'").replace('return [];', 'return [1];');
    const { hunks } = await surrounded({ before: cart, after });
    const lines = hunks.flatMap((hunk) => [...hunkLines(hunk)].flatMap(({ newLine }) => newLine ?? []));
    expect(lines).toEqual([...new Set(lines)].sort((one, other) => one - other));
    const sizes = hunks.map((hunk) => `-${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines}`);
    expect(sizes).toEqual(['-1,1 +1,1', '-3,3 +3,3', '-7,3 +7,3', '-11,11 +11,11']);
  });

  it('numbers the old side by what was added and removed before', async () => {
    const after = cart.replace('  return [];\n', '  log();\n  log();\n  return [];\n').replace("'DE'", "'FR'");
    const { hunks } = await surrounded({ before: cart, after });
    const context = hunks.flatMap((hunk) => [...hunkLines(hunk)]).filter(({ kind }) => kind === 'context');
    expect(context.map(({ oldLine }) => cart.split('\n')[(oldLine ?? 0) - 1])).toEqual(context.map(({ text }) => text));
  });

  it.each([
    ['whole up to 120 lines', 118, 3_000, [], ['1-120']],
    ['in part, and named, beyond 200 lines', 199, 4_000, ['src/cart.ts:1-201 function long'], ['1-1', '50-74']],
    ['in part, and named, where there is no room', 100, 300, ['src/cart.ts:1-102 function long'], ['1-1', '50-74']],
  ])('is shown %s', async (_how, count, maxTokens, named, shown) => {
    const edit = { before: long(count), after: long(count).replace('step(60)', 'stop()') };
    const { hunks, left, tokens } = await surrounded(edit, maxTokens);
    expect(left).toEqual(named);
    expect(hunks.map(({ newStart, newLines }) => `${newStart}-${newStart + newLines - 1}`)).toEqual(shown);
    expect(tokens).toBeLessThanOrEqual(maxTokens);
  });

  const broken = new MemoryRepository({});
  broken.readFile = () => Promise.reject(new Error('disk full'));
  const whole = new MemoryRepository({ 'src/cart.ts': cart });
  const change = edited({ before: cart, after: cart.replace('sum = 0', 'sum = 1') });

  it.each<[string, SymbolIndex, ChangedFile]>([
    ['is deleted', indexOf(new MemoryRepository({})), { ...edited({ before: cart, after: '' }), status: 'deleted' }],
    ['is denied', indexOf(whole, { isDenied: () => 'denied' }), change],
  ])('is nothing for a file that %s', async (_why, index, file) => {
    const changes = [{ file, hunks: file.hunks }];
    expect((await withSurroundings(index, changes, 3_000)).changes).toEqual(changes);
  });

  it('hides secrets, shows what is invisible and cuts lines of data', async () => {
    const secret = `ghp_${'a1B2c3D4e5'.repeat(4)}`;
    const after = `function one() {\r\n  use('${secret}');\r\n  const a = '\u{202E}';\r\n  b('${'x'.repeat(200_000)}');\r\n  c();\r\n  d();\r\n}`;
    const before = after.replace('d();', 'e();');
    const { hunks } = await surrounded({ before, after });
    const text = hunks.map((hunk) => renderHunk(hunk)).join('\n');
    expect(text).toContain("use('[redacted: github token]');");
    expect(text).toContain('\\u{202E}');
    expect(text.length).toBeLessThan(1_000);
  });

  it('stays out of hunks of the file that another batch shows', async () => {
    const after = cart.replace('sum = 0', 'sum = 1').replace("'DE'", "'FR'");
    const file = edited({ before: cart, after });
    const index = indexOf(new MemoryRepository({ 'src/cart.ts': after }));
    const [first, second] = file.hunks;
    if (first === undefined || second === undefined) throw new Error('no two hunks');
    const { changes } = await withSurroundings(index, [{ file, hunks: [first] }], 3_000);
    const lines = changes.flatMap(({ hunks }) => hunks.flatMap((hunk) => [...hunkLines(hunk)]));
    expect(lines.map(({ newLine }) => newLine)).not.toContain(second.newStart + 1);
  });
});

describe('contextOf', () => {
  it('takes few tokens for a small change, however much it calls', async () => {
    const names = Array.from({ length: 40 }, (_name, at) => `callee${at}`);
    const body = (name: string) => `export function ${name}(): void {\n${rows(35).join('\n')}\n}\n`;
    const after = `import { ${names.join(', ')} } from './callees.ts';\nrun(${names.map((name) => `${name}()`).join(', ')});\n`;
    const file = edited({ before: after.replace('run(', 'walk('), after });
    const repository = new MemoryRepository({ 'src/cart.ts': after, 'src/callees.ts': names.map(body).join('\n') });
    const { chain } = await contextOf(indexOf(repository), [{ file, hunks: file.hunks }]);
    const shown = chain.entries.map(({ lines }) => lines.map(({ text }) => text).join('\n')).join('\n');
    expect(chain.entries).toHaveLength(40);
    expect(estimateTokens(shown)).toBeLessThan(1_500);
  });

  it.each<[string, (value: number) => string]>([
    ['many callees below long paths', (value) => callingAll(names(''), value)],
    ['long definitions with long names', (value) => linesOf(definition(150, value), 'X'.repeat(280))],
    ['text that is no English', (value) => linesOf(definition(60, value, '这是一个很长的中文注释'), '')],
  ])('adds at most 6,000 tokens to the prompt, what it names and its frame among them: %s', async (_case, textOf) => {
    const file = edited({ path: `${folder}cart.ts`, before: textOf(1), after: textOf(2) });
    const callees = [...names(''), ...names('WithManyWords'.repeat(25))];
    const repository = new MemoryRepository({
      ...Object.fromEntries(callees.map((name) => [`${folder}${name}.ts`, definition(60, 0)(name)])),
      [file.path]: textOf(2),
    });
    const index = indexOf(repository);
    const change = { file, hunks: file.hunks, part: null };
    const { changes, chain } = await contextOf(index, [change]);
    const { entries, ...missing } = chain;
    const tokensOf = (files: Batch['files'], text: string) =>
      estimateTokens(
        renderBatch({ name: '', files, estimatedTokens: 0 }, { words: [], alreadyFound: [], chain: text }, fence),
      );
    const headed = [{ ...change, hunks: await withHeadings(index, change) }];
    expect(entries.length + chain.left.length + changes.length).toBeGreaterThan(40);
    expect(tokensOf(changes, renderChain(entries, missing)) - tokensOf(headed, '')).toBeLessThanOrEqual(6_000);
  });
});

const folder = `src/${'very-long-directory-name/'.repeat(8)}`;
const fence = createFence('a'.repeat(40), () => false);
const names = (end: string) => Array.from({ length: 100 }, (_, at) => `calleeNumber${at}${end}`);
const definition =
  (lines: number, value: number, text = 'some text') =>
  (name: string) =>
    `export function ${name}(): void {\n${Array.from({ length: lines }, (_, at) => `  step(${at}, '${text}', ${at % 40 === 5 ? value : 0});`).join('\n')}\n}\n`;
const linesOf = (define: (name: string) => string, end: string) => names(end).map(define).join('\n');
const callingAll = (all: readonly string[], value: number) =>
  `${all.map((name) => `import { ${name} } from './${name}.ts';`).join('\n')}\nexport function main() {\n${all.map((name) => `  ${name}(${value}, 'x');`).join('\n')}\n}\n`;
