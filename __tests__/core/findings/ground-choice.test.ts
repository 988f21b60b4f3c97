import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ground } from '../../../src/core/findings/ground.ts';
import { changedFile, hunk, sources, submitted } from './make.ts';

const source = Array.from({ length: 60 }, (_, index) => (index % 10 === 9 ? '  retry();' : `line ${index + 1};`));
const atLine20 = [hunk({ old: 19, new: 19 }, ' line 19;', '+  retry();', ' line 21;')];
const indented = ['retry();', '', '', '  retry();', '', '    retry();'];

async function choose(item: { quote?: string; lines?: string }, hunks = atLine20, text: readonly string[] = source) {
  const world = sources([changedFile('src/a.ts', { hunks })], { head: { 'src/a.ts': text.join('\n') } });
  const grounded = await ground(submitted({ quote: '  retry();', ...item }), world);
  return !grounded.ok ? grounded.reason : grounded.anchor.kind === 'lines' && grounded.anchor.startLine;
}

describe('of several equal places is taken', () => {
  it.each<[string, Parameters<typeof choose>, number]>([
    ['the nearest above lines', [{ lines: '41-43' }], 40],
    ['the nearest below lines', [{ lines: '1' }], 10],
    ['the nearest to the number in the gutter of the quote', [{ quote: '  40 |   retry();' }], 40],
    ['the one inside a hunk', [{}], 20],
    ['the one inside a hunk of two that are equally near', [{ lines: '15' }], 20],
    ['the one with the indentation of the quote', [{}, [], indented], 4],
    ['the one with the indentation of the quote near lines', [{ lines: '7' }, [], indented], 4],
    ['the one that lines names, whatever its indentation', [{ quote: 'retry();', lines: '6' }, [], indented], 6],
  ])('%s', async (_, given, line) => {
    expect(await choose(...given)).toBe(line);
  });

  it.each([
    [source, 'stands 6 times in src/a.ts, at lines 10, 20, 30, 40, 50, 60'],
    [Array(30).fill('  retry();'), 'stands 30 times in src/a.ts, at lines 1, 2, 3, 4, 5, 6, 7, 8 and 22 more'],
  ])('else none, and they are given back with their lines', async (text, places) => {
    expect(await choose({}, [], text)).toBe(`the quote ${places}: name one in lines, or quote more`);
  });
});

describe('a quote that is not there comes back with', () => {
  const other = changedFile('src/b.ts', {
    hunks: [hunk({ old: 7, new: 7 }, ' before', '+  await flush();', ' after')],
  });
  const world = sources([changedFile('src/a.ts', { oldPath: 'src/old.ts', status: 'renamed' }), other], {
    head: { 'src/a.ts': 'one\n  const price = item.price * 2;\n  return price;\n}\n' },
    base: { 'src/old.ts': 'one\n  check(item);\n' },
  });
  const price = '  const price = item.price * 2;';
  const parts = 'the closest starts at line 2, but line 3 is `return price;` and not `return cost;`';
  const beyond = "the closest starts at line 3, but the quote goes beyond the file's 4 lines";
  const before = "the closest starts at line 1, but the quote begins before the file's first line";

  it.each([
    ['the nearest line', 'const price = items.price * 3;', 'the closest is line 2: `const price = item.price * 2;`'],
    ['the line where it parts from the file', `${price}\n  return cost;\n}`, parts],
    ['that the file ends before it', '  return price;\n}\n}', beyond],
    ['that the file begins after it', `zero\none\n${price}`, before],
    ['the other side', '  check(item);', 'it stands on the LEFT side at line 2: set side to LEFT'],
    ['another changed file', 'await flush();', 'it stands in src/b.ts at line 8: set path to src/b.ts'],
    ['no line when none is like it', 'SELECT * FROM orders WHERE id = 1', 'no line is like it: read the lines again'],
  ])('%s', async (_, quote, hint) => {
    const reason = `quote not found in src/a.ts at head — ${hint}`;
    const told = { code: 'unplaced.not-in', path: 'src/a.ts' };
    expect(await ground(submitted({ quote }), world)).toEqual({ ok: false, reason, told });
  });

  it('at most 120 characters of a long line', async () => {
    const long = sources([changedFile('src/a.ts')], { head: { 'src/a.ts': `const x = "${'y'.repeat(500)}";` } });
    const grounded = await ground(submitted({ quote: `const z = "${'y'.repeat(500)}";` }), long);
    expect(grounded.ok ? '' : grounded.reason.length).toBeLessThan(240);
  });
});

describe('a suggestion', () => {
  const source = 'function total() {\n  let sum = 0;\n  return sum;\n}\n\n- first\n- second\n\tdo();\n';
  const plus = '  let sum = 1;\n  return sum;';
  const block = '  if (x) {\n    go();\n  }';

  async function suggest(suggestion: string, quote = '  let sum = 0;\n  return sum;', text = source) {
    const world = sources([changedFile('src/a.ts')], { head: { 'src/a.ts': text } });
    const grounded = await ground(submitted({ quote, suggestion }), world);
    return grounded.ok ? grounded.suggestion : grounded.reason;
  }

  it.each([
    ['stays as it is', '  let sum = 1;\n\n  return sum;', '  let sum = 1;\n\n  return sum;'],
    ['loses its fence', '```suggestion\n  return 0;\n```', '  return 0;'],
    ['loses the gutter that source is shown with', '  2 |   return 0;', '  return 0;'],
    ['loses a uniform plus column', '+  let sum = 1;\n+  return sum;', plus],
    ['is taken out of a diff of the quote', '-  let sum = 0;\n+  let sum = 1;\n   return sum;', plus],
    ['may be a list where the file has one', '- first\n- third', '- first\n- third', '- first\n- second'],
    ['may be another list where the file has one', '+ first\n+ second', '+ first\n+ second', '- first\n- second'],
    ['loses the gutter that its quote had', '2:   return 0;', '  return 0;', '2:   let sum = 0;\n3:   return sum;'],
    ['gets the indentation of all lines', 'if (x) {\n  go();\n}', block, 'let sum = 0;\nreturn sum;'],
    ['gets that of the first line', 'let sum = 1;\n  return sum;', plus, 'let sum = 0;\n  return sum;'],
    ['gets that of one line, with a block', 'if (x) {\n  go();\n}', block, 'return sum;'],
    ['gets that of one line, then kept', 'if (x) {\n    go();\n  }', block, 'return sum;'],
    ['keeps its own where the quote alone lost it', '  return 0;', '  return 0;', 'return sum;'],
  ])('%s', async (_, suggestion, expected, quote?: string) => {
    expect(await suggest(suggestion, quote)).toBe(expected);
  });

  it.each([
    ['changes nothing', '  let sum = 0; \n  return sum;'],
    ['is blank', ' \n'],
    ['only removes, as a diff', '-  let sum = 0;\n-  return sum;'],
    ['is a diff of other lines', '-  let x = 0;\n+  let sum = 1;'],
    ['has plus signs on some lines', '+  let sum = 1;\nreturn sum;'],
    ['has a gutter on some lines', '  2 | let sum = 1;\n  return sum;'],
    ['would write back what was redacted', '  let sum = "[redacted: github token]";'],
    ['would write back how an invisible character is shown', '  let sum = "\\u{202E}";'],
    ['quotes the wrong white space', '    dont();', '    do();'],
    ['leaves out a line that is indented otherwise', '  let sum = 1;', '  let sum = 0;\n      return sum;'],
    ['mixes indentations', 'let sum = 1;\nreturn sum;', 'let sum = 0;\n    return sum;'],
  ])('is dropped when it %s', async (_, suggestion, quote?: string) => {
    expect(await suggest(suggestion, quote)).toBeNull();
  });

  const fixed = '```sh\nnew\n```';
  const two = '```sh\na\n```\nand\n```sh\nb\n```';
  it.each([
    [fixed, fixed],
    [`\`\`\`\`suggestion\n${fixed}\n\`\`\`\``, fixed],
    [two, two],
  ])('keeps the fences of lines that are fences, and loses one around them: %j', async (suggestion, expected) => {
    expect(await suggest(suggestion, '```sh\nold\n```', '# A\n```sh\nold\n```\n')).toBe(expected);
  });
});

const line = fc.constantFrom('a', '  a', 'b();', '+ c', '- d', '12 | e', '', '7: f', '\tg', '```');
const file = fc.array(line, { minLength: 1, maxLength: 12 });

describe('every grounded anchor', () => {
  it('names lines that exist, and quotes them as they are shown', async () => {
    const quote = fc.oneof(file, fc.array(fc.string(), { maxLength: 3 })).map((lines) => lines.join('\n'));
    const item = fc.record({ quote: fc.option(quote), lines: fc.option(fc.constantFrom('1', '2-3', '9-12', '40')) });
    await fc.assert(
      fc.asyncProperty(file, item, async (text, changes) => {
        const world = sources([changedFile('src/a.ts')], { head: { 'src/a.ts': `${text.join('\n')}\n` } });
        const grounded = await ground(submitted(changes), world);
        if (!grounded.ok || grounded.anchor.kind === 'file') return;
        const { startLine, endLine } = grounded.anchor;
        expect(startLine >= 1 && startLine <= endLine && endLine <= text.length).toBe(true);
        expect(grounded.anchor.quote).toBe(text.slice(startLine - 1, endLine).join('\n'));
      }),
      { numRuns: 300 },
    );
  });
});
