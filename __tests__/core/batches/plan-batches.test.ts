import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { type Batch, halveBatch } from '../../../src/core/batches/batch.ts';
import { classOf, withoutIndentation } from '../../../src/core/batches/file-class.ts';
import { planBatches, tokensPerBatch } from '../../../src/core/batches/plan-batches.ts';
import { importsAmong } from '../../../src/core/batches/relations.ts';
import { type Hunk, hunkLines, renderHunk } from '../../../src/core/pull-request/changed-file.ts';
import { MemoryRepository } from '../../fakes/memory-repository.ts';
import { indexOf, parser } from '../context/searching.ts';
import { hunk } from '../findings/make.ts';
import { addedHunk, changedFile } from '../pull-request/changed-files.ts';

afterAll(() => parser.close());

const lines = (count: number) => Array.from({ length: count }, (_, i) => `line ${i} of some length`);
const adding = (path: string, count: number) => changedFile(path, { hunks: [addedHunk(lines(count))] });
const limits = { maxFiles: 10, maxTokens: 20_000 };

/** The paths of each batch. */
function planOf(paths: readonly string[], given: Partial<Parameters<typeof planBatches>[1]> = {}) {
  const files = paths.map((path) => changedFile(path));
  return planBatches(files, { ...limits, ...given }).map((batch) => batch.files.map(({ file }) => file.path));
}

describe('a batch that is halved', () => {
  it('is divided between its files', () => {
    const halves = halveBatch(batchOf({ 'src/a.ts': 10, 'src/b.ts': 10, 'src/c.ts': 30 }));
    const named = halves?.map(({ name, files }) => `${name}: ${files.map(({ file }) => file.path)}`);
    expect(named).toEqual(['src (half 1): src/a.ts,src/b.ts', 'src (half 2): src/c.ts']);
  });

  it('is divided within its only file, each part saying that there is another', () => {
    const halves = halveBatch(batchOf({ 'src/a.ts': 20 })) ?? [];
    const parts = halves.flatMap(({ files }) => files.map(({ part, hunks }) => ({ ...part, at: hunks[0]?.newStart })));
    expect(parts).toEqual([
      { index: 1, of: 2, at: 1 },
      { index: 2, of: 2, at: 11 },
    ]);
  });

  it('has every line once, and no half is as large as the whole, which stays so when it is a single line', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 9 }), (counts) => {
        const whole = batchOf(Object.fromEntries(counts.map((count, index) => [`src/f${index}.ts`, count])));
        const halves = halveBatch(whole) ?? [];
        const smaller = halves.every((half) => linesOf(half).length < linesOf(whole).length);
        const single = linesOf(whole).length === 1;
        expect([halves.flatMap(linesOf), smaller]).toEqual([single ? [] : linesOf(whole), true]);
      }),
      { examples: [[[1]]] },
    );
  });
});

function batchOf(counts: Readonly<Record<string, number>>): Batch {
  const [batch] = planBatches(
    Object.entries(counts).map(([path, count]) => adding(path, count)),
    limits,
  );
  if (batch === undefined) throw new Error('There is no batch.');
  return batch;
}

function linesOf(batch: Batch): readonly string[] {
  return batch.files.flatMap(({ file, hunks }) => hunks.flatMap((hunk) => hunk.lines.map((line) => file.path + line)));
}

describe('the plan of batches', () => {
  const translations = ['a', 'b', 'c'].map((name) => adding(`${name}/locales/de.json`, 30));
  const code = (count: number, size: number) => Array.from({ length: count }, (_, at) => adding(`src/${at}.ts`, size));

  const large = [...translations, ...code(4, 200)];

  it.each([
    ['keeps all that fit together in one conversation', [...code(13, 30), ...translations], 24_000, ['16 false']],
    ['keeps what is trivial of a large change apart', large, 6_000, ['2 false', '2 false', '3 true']],
  ])('%s', (_what, files, maxTokens, expected) => {
    const batches = planBatches(files, { maxFiles: 30, maxTokens });
    expect(batches.map(({ files: own, trivial = false }) => `${own.length} ${trivial}`)).toEqual(expected);
  });

  it.each([
    ['the most valuable', ['src/a.ts', 'src/b.ts', 'test/b.test.ts', 'README.md', 'package.json']],
    ['the source of built output', ['src/index.ts', 'README.md', 'dist/index.js']],
  ])('begins with %s', (_what, expected) => {
    expect(planOf([...expected].reverse())).toEqual([expected]);
  });

  it('reviews what claims to be generated last', () => {
    const claims = changedFile('src/a.ts', { status: 'added', hunks: [addedHunk(['// @generated', 'evil()'])] });
    const [batch] = planBatches([claims, changedFile('docs/x.md')], limits);
    expect(batch?.files.map(({ file }) => file.path)).toEqual(['docs/x.md', 'src/a.ts']);
  });

  it('keeps tests beside their subject when it has to divide', () => {
    const subjects = ['src/a/one.ts', 'src/a/two.ts', 'src/b/three.ts'];
    expect(planOf([...subjects, '__tests__/a/one.test.ts', '__tests__/b/three.test.ts'], { maxFiles: 3 })).toEqual([
      ['src/a/one.ts', '__tests__/a/one.test.ts', 'src/a/two.ts'],
      ['src/b/three.ts', '__tests__/b/three.test.ts'],
    ]);
  });

  it('keeps files together that import each other, before their neighbours in a folder', () => {
    const files = ['src/a.ts', 'src/b.ts', 'src/c.ts', 'web/cart.ts', 'web/zoo.ts'];
    const relations = new Map([
      ['src/a.ts', new Set(['web/cart.ts'])],
      ['web/cart.ts', new Set(['src/a.ts', 'web/zoo.ts'])],
      ['web/zoo.ts', new Set(['web/cart.ts'])],
    ]);
    const rest = ['src/b.ts', 'src/c.ts'];
    expect(planOf(files, { maxFiles: 3, relations })).toEqual([['src/a.ts', 'web/cart.ts', 'web/zoo.ts'], rest]);
    expect(planOf(files, { maxFiles: 2, relations })).toEqual([['src/a.ts', 'web/cart.ts'], rest, ['web/zoo.ts']]);
  });

  it('splits a file too large for one batch, and drops no line', () => {
    const file = changedFile('src/huge.ts', { hunks: [addedHunk(lines(5_000)), addedHunk(lines(10), 9_000)] });
    const batches = planBatches([file], { maxFiles: 10, maxTokens: 8_000 });
    const hunks = batches.flatMap(({ files }) => files.flatMap((part) => part.hunks));
    const numbers = hunks.flatMap((hunk) => [...hunkLines(hunk)].map((line) => line.newLine));
    const from = (start: number, count: number) => Array.from({ length: count }, (_, index) => start + index);
    expect(numbers).toEqual([...from(1, 5_000), ...from(9_000, 10)]);
    expect(batches.length).toBeGreaterThan(5);
    expect(batches.every((batch) => batch.estimatedTokens <= 8_100)).toBe(true);
    expect(batches[1]?.files[0]?.part).toEqual({ index: 2, of: batches.length });
  });

  it('is the same in whatever order the files come, within the limits, with every line once', () => {
    const folder = fc.constantFrom('src', 'src/a', 'test', 'docs', '.github/workflows');
    const name = fc.constantFrom('a.ts', 'b.py', 'a.test.ts', 'test_b.py', 'c.md', 'd.json', 'e.go');
    const path = fc.tuple(folder, name).map((parts) => parts.join('/'));
    const size = { minLength: 1, maxLength: 25 };
    const change = fc.uniqueArray(fc.tuple(path, fc.integer({ min: 1, max: 400 })), {
      selector: ([path]) => path,
      ...size,
    });
    const [maxFiles, maxTokens] = [fc.integer({ min: 1, max: 12 }), fc.integer({ min: 500, max: 5_000 })];
    const within = fc.record({ maxFiles, maxTokens });
    const pairs = fc.array(fc.tuple(fc.nat(24), fc.nat(24)), { maxLength: 30 });
    fc.assert(
      fc.property(change, within, pairs, (chosen, { maxFiles, maxTokens }, related) => {
        const files = chosen.map(([path, count]) => adding(path, count));
        const relations = new Map(files.map(({ path }) => [path, new Set<string>()]));
        for (const [from, to] of [...related, ...related.map(([from, to]) => [to, from] as const)]) {
          relations.get(files[from]?.path ?? '')?.add(files[to]?.path ?? '');
        }
        const plan = planBatches(files, { maxFiles, maxTokens, relations });
        expect(planBatches([...files].reverse(), { maxFiles, maxTokens, relations })).toEqual(plan);
        expect(plan.every((batch) => batch.files.length <= maxFiles)).toBe(true);
        expect(plan.every((batch) => batch.files.length === 1 || batch.estimatedTokens <= maxTokens)).toBe(true);
        expect(plan.flatMap(linesOf)).toHaveLength(chosen.reduce((sum, [, count]) => sum + count, 0));
      }),
      { numRuns: 60 },
    );
  });

  it('gives a batch a share of the budget, since every iteration sends the diff again', () => {
    const totals = [10_000, 200_000, 500_000, 5_000_000];
    const sizes = totals.map((maxTotalTokens) => tokensPerBatch({ batchTokens: 0, maxTotalTokens }));
    expect(sizes).toEqual([2_000, 10_000, 24_000, 24_000]);
    expect(tokensPerBatch({ batchTokens: 6_000, maxTotalTokens: 500_000 })).toBe(6_000);
  });
});

const files = {
  'src/cart.ts': "import { tax } from './tax.ts';\nimport { far } from './far.ts';\n",
  'src/tax.ts': 'export const tax = 1;\n',
  'src/far.ts': 'export const far = 1;\n',
  'shop/order.py': 'from .price import total\n',
  'shop/price.py': 'def total(): pass\n',
  'secret/key.ts': "import { tax } from '../src/tax.ts';\n",
  'src/Cart.vue': "<script>\nimport { tax } from './tax.ts';\n</script>\n",
  'src/page.ts': "import Cart from './Cart.vue';\n",
};

async function related(paths: readonly string[], more: { readonly [path: string]: string } = {}) {
  const changes = paths.map((path) => changedFile(path));
  const isDenied = (path: string) => (path.startsWith('secret/') ? 'denied' : null);
  const symbols = indexOf(new MemoryRepository({ ...files, ...more }), { isDenied });
  const relations = await importsAmong(changes, { symbols, signal: new AbortController().signal });
  return [...relations].map(([path, others]) => `${path}: ${[...others].join()}`);
}

describe('the imports among changed files', () => {
  it('relate both ways, and only what is changed', async () => {
    expect(await related(['src/cart.ts', 'src/tax.ts', 'shop/order.py', 'shop/price.py'])).toEqual([
      'src/cart.ts: src/tax.ts',
      'src/tax.ts: src/cart.ts',
      'shop/order.py: shop/price.py',
      'shop/price.py: shop/order.py',
    ]);
  });

  it('relate nothing where one leads to a whole folder', async () => {
    const folder = (name: string, count: number) => Array.from({ length: count }, (_, at) => `${name}/f${at}.go`);
    const paths = [...folder('x/large', 9), ...folder('x/small', 2)];
    const main = { 'main.go': 'package main\n\nimport (\n\t"a.com/x/large"\n\t"a.com/x/small"\n)\n' };
    const all = { ...main, ...Object.fromEntries(paths.map((path) => [path, 'package x\n'])) };
    expect((await related(Object.keys(all), all))[0]).toBe('main.go: x/small/f0.go,x/small/f1.go');
  });

  it('are not read from files that may not be read', async () => {
    expect(await related(['secret/key.ts', 'src/tax.ts'])).toEqual([]);
  });

  it('are not known of a language without a grammar, and lead to its files from others', async () => {
    expect(await related(['src/Cart.vue', 'src/tax.ts', 'src/page.ts'])).toEqual([
      'src/page.ts: src/Cart.vue',
      'src/Cart.vue: src/page.ts',
    ]);
  });

  it('are looked at in the first 300 of one file, and in no file of a change of more than 300', async () => {
    const imports = Array.from({ length: 300 }, (_, index) => `import './none${index}.ts';\n`).join('');
    const many = Array.from({ length: 299 }, (_, index) => `src/f${index}.ts`);
    const crowded = { 'src/a.ts': `import './tax.ts';\n${imports}import './far.ts';\n` };
    const changed = ['src/a.ts', 'src/tax.ts', 'src/far.ts'];
    expect(await related(changed, crowded)).toEqual(['src/a.ts: src/tax.ts', 'src/tax.ts: src/a.ts']);
    expect(await related([...many, 'src/cart.ts', 'src/tax.ts'])).toEqual([]);
  });
});

it.each([
  ['src/cart.test.ts', 'test'],
  ['__tests__/cart.ts', 'test'],
  ['src/fixtures/cart.ts', 'test'],
  ['src/fixtures/cart.json', 'trivial'],
  ['src/locales/de.yml', 'trivial'],
  ['src/lang/parse.ts', 'source'],
  ['pkg/testdata/cart.go', 'test'],
  ['src/contest.ts', 'source'],
  ['.github/workflows/test.yml', 'source'],
])('%s counts as %s', (path, expected) => {
  expect(classOf(changedFile(path))).toBe(expected);
});

describe('lines that only changed their indentation', () => {
  const removed = ['-  charge(order.cents);', '-  mail(order.customer);'];
  const added = ['+  if (order.open) {', '+    charge(order.cents);', '+    mail(order.seller);', '+  }'];
  const wrapped = hunk({ old: 4, new: 4 }, ' function pay(order) {', ...removed, ...added, ' }');

  it('are shown as they are now, without a sign, and the note says how many', () => {
    expect(renderHunk(withoutIndentation(wrapped, 'src/pay.ts'))).toMatchInlineSnapshot(`
      "@@
       4  function pay(order) {
       5 +  if (order.open) {
       6      charge(order.cents);
       6 -  mail(order.customer);
       7 +    mail(order.seller);
       8 +  }
       9  }
      \\ 1 line without a sign changed its indentation only, and is shown as it is now"
    `);
  });

  it('stay as they are where indentation has a meaning', () => {
    expect(withoutIndentation(wrapped, 'src/pay.py')).toBe(wrapped);
  });

  it('alone make a change trivial, unless a word or the language says otherwise', () => {
    const moved = hunk({ old: 1, new: 1 }, '-charge(order);', '+  charge(order);');
    const kind = (path: string, ...hunks: readonly Hunk[]) => classOf(changedFile(path, { hunks }));
    const kinds = [kind('src/pay.ts', moved), kind('src/pay.ts', moved, wrapped), kind('src/pay.py', moved)];
    expect(kinds).toEqual(['trivial', 'source', 'source']);
  });

  it('lose no other line, keep all numbers, and cost no more, whatever changes', () => {
    const word = fc.constantFrom('charge(order);', 'mail(order);', '}', '', 'return;');
    const line = fc
      .tuple(fc.constantFrom(' ', '+', '-'), fc.constantFrom('', '  ', '\t'), word)
      .map((all) => all.join(''));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
        const before = hunk({ old: 1, new: 1 }, ...lines);
        const after = withoutIndentation(before, 'src/pay.ts');
        const side = (one: Hunk, sign: string) =>
          one.lines.filter((text) => !/^\\/.test(text) && !text.startsWith(sign));
        const bare = (texts: readonly string[]) => texts.map((text) => text.slice(1).trim());
        expect(side(after, '-').map((text) => text.slice(1))).toEqual(side(before, '-').map((text) => text.slice(1)));
        expect(bare(side(after, '+'))).toEqual(bare(side(before, '+')));
      }),
    );
  });
});
