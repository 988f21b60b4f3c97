import { describe, expect, it } from 'vitest';
import { ground } from '../../../src/core/findings/ground.ts';
import { changedFile, hunk, sources, submitted } from './make.ts';

const source = Array.from({ length: 60 }, (_, index) => (index % 10 === 9 ? '  retry();' : `line ${index + 1};`));
const atLine20 = [hunk({ old: 19, new: 19 }, ' line 19;', '+  retry();', ' line 21;')];

async function choose(item: { quote?: string; lines?: string }, hunks = atLine20, text: readonly string[] = source) {
  const world = sources([changedFile('src/a.ts', { hunks })], { head: { 'src/a.ts': text.join('\n') } });
  const grounded = await ground(submitted({ quote: '  retry();', ...item }), world);
  return !grounded.ok ? grounded.reason : grounded.anchor.kind === 'lines' && grounded.anchor.startLine;
}

describe('of several equal places', () => {
  it('the nearest to lines is taken', async () => {
    expect(await choose({ lines: '41-43' })).toBe(40);
    expect(await choose({ lines: '1' })).toBe(10);
  });

  it('the number in the gutter of the quote serves as lines', async () => {
    expect(await choose({ quote: '  40 |   retry();' })).toBe(40);
  });

  it('else the one inside a hunk is taken, also between two that are equally near', async () => {
    expect([await choose({}), await choose({ lines: '15' })]).toEqual([20, 20]);
  });

  it('else they are given back with their lines', async () => {
    const reason =
      'the quote stands 6 times in src/a.ts, at lines 10, 20, 30, 40, 50, 60: name one in lines, or quote more';
    expect(await choose({}, [])).toBe(reason);
    expect(await choose({}, [], Array(30).fill('  retry();'))).toBe(
      'the quote stands 30 times in src/a.ts, at lines 1, 2, 3, 4, 5, 6, 7, 8 and 22 more: name one in lines, or quote more',
    );
  });

  it('the one with the indentation of the quote is preferred, unless lines names another', async () => {
    const text = ['retry();', '', '', '  retry();', '', '    retry();'];
    expect(await choose({}, [], text)).toBe(4);
    expect(await choose({ lines: '7' }, [], text)).toBe(4);
    expect(await choose({ quote: 'retry();', lines: '6' }, [], text)).toBe(6);
  });
});

describe('a quote that is not there', () => {
  const other = changedFile('src/b.ts', {
    hunks: [hunk({ old: 7, new: 7 }, ' before', '+  await flush();', ' after')],
  });
  const world = sources([changedFile('src/a.ts', { oldPath: 'src/old.ts', status: 'renamed' }), other], {
    head: { 'src/a.ts': 'one\n  const price = item.price * 2;\n  return price;\n}\n' },
    base: { 'src/old.ts': 'one\n  check(item);\n' },
  });

  it.each([
    ['the nearest line', 'const price = items.price * 3;', 'the closest is line 2: `const price = item.price * 2;`'],
    [
      'the line where it parts from the file',
      '  const price = item.price * 2;\n  return cost;\n}',
      'the closest starts at line 2, but line 3 is `return price;` and not `return cost;`',
    ],
    [
      'that the file ends before it',
      '  return price;\n}\n}',
      "the closest starts at line 3, but the quote goes beyond the file's 4 lines",
    ],
    [
      'that the file begins after it',
      'zero\none\n  const price = item.price * 2;',
      "the closest starts at line 1, but the quote begins before the file's first line",
    ],
    ['the other side', '  check(item);', 'it stands on the LEFT side at line 2: set side to LEFT'],
    ['another changed file', 'await flush();', 'it stands in src/b.ts at line 8: set path to src/b.ts'],
    ['no line when none is like it', 'SELECT * FROM orders WHERE id = 1', 'no line is like it: read the lines again'],
  ])('comes back with %s', async (_, quote, hint) => {
    const reason = `quote not found in src/a.ts at head — ${hint}`;
    const told = 'its quote is not in src/a.ts';
    expect(await ground(submitted({ quote }), world)).toEqual({ ok: false, reason, told });
  });

  it('comes back with at most 120 characters of a long line', async () => {
    const long = sources([changedFile('src/a.ts')], { head: { 'src/a.ts': `const x = "${'y'.repeat(500)}";` } });
    const grounded = await ground(submitted({ quote: `const z = "${'y'.repeat(500)}";` }), long);
    expect(grounded.ok ? '' : grounded.reason.length).toBeLessThan(240);
  });
});

describe('clean suggestion', () => {
  const source = 'function total() {\n  let sum = 0;\n  return sum;\n}\n\n- first\n- second\n\tdo();\n';

  async function suggest(suggestion: string, quote = '  let sum = 0;\n  return sum;') {
    const world = sources([changedFile('src/a.ts')], { head: { 'src/a.ts': source } });
    const grounded = await ground(submitted({ quote, suggestion }), world);
    return grounded.ok ? grounded.suggestion : grounded.reason;
  }

  describe('a suggestion', () => {
    it.each([
      ['stays as it is', '  let sum = 1;\n\n  return sum;', '  let sum = 1;\n\n  return sum;'],
      ['loses its fence', '```suggestion\n  return 0;\n```', '  return 0;'],
      ['loses CRLF and blank lines at its ends', '\n  return 0;\r\n', '  return 0;'],
      ['loses the gutter that source is shown with', '  2 |   return 0;', '  return 0;'],
      ['loses a uniform plus column', '+  let sum = 1;\n+  return sum;', '  let sum = 1;\n  return sum;'],
      [
        'is taken out of a diff of the quote',
        '-  let sum = 0;\n+  let sum = 1;\n   return sum;',
        '  let sum = 1;\n  return sum;',
      ],
    ])('%s', async (_, suggestion, expected) => {
      expect(await suggest(suggestion)).toBe(expected);
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
    ])('is dropped when it %s', async (_, suggestion) => {
      expect(await suggest(suggestion)).toBeNull();
    });

    it('may be a list where the file has lists', async () => {
      expect(await suggest('- first\n- third', '- first\n- second')).toBe('- first\n- third');
      expect(await suggest('+ first\n+ second', '- first\n- second')).toBe('+ first\n+ second');
      expect(await suggest('- sum\n- total')).toBe('- sum\n- total');
    });

    it('keeps the fences of lines that are fences, and loses one around them', async () => {
      const world = sources([changedFile('README.md')], { head: { 'README.md': '# A\n```sh\nold\n```\n' } });
      const mended = '```sh\nnew\n```';
      const two = '```sh\na\n```\nand\n```sh\nb\n```';
      for (const [suggestion, expected] of [
        [mended, mended],
        [`\`\`\`\`suggestion\n${mended}\n\`\`\`\``, mended],
        [two, two],
      ] as const) {
        const item = submitted({ path: 'README.md', quote: '```sh\nold\n```', suggestion });
        expect(await ground(item, world)).toMatchObject({ ok: true, suggestion: expected });
      }
    });

    it('loses the gutter that its quote had', async () => {
      expect(await suggest('2:   return 0;', '2:   let sum = 0;\n3:   return sum;')).toBe('  return 0;');
    });
  });

  describe('the indentation of a suggestion', () => {
    it.each([
      ['all lines', 'let sum = 0;\nreturn sum;', 'if (x) {\n  go();\n}', '  if (x) {\n    go();\n  }'],
      ['the first line', 'let sum = 0;\n  return sum;', 'let sum = 1;\n  return sum;', '  let sum = 1;\n  return sum;'],
      ['one line, with a block', 'return sum;', 'if (x) {\n  go();\n}', '  if (x) {\n    go();\n  }'],
      ['one line, then kept', 'return sum;', 'if (x) {\n    go();\n  }', '  if (x) {\n    go();\n  }'],
      ['the quote only', 'return sum;', '  return 0;', '  return 0;'],
    ])('is restored where the model dropped it: %s', async (_, quote, suggestion, expected) => {
      expect(await suggest(suggestion, quote)).toBe(expected);
    });

    it('makes it drop where what was changed is unclear', async () => {
      expect(await suggest('    dont();', '    do();')).toBeNull();
      expect(await suggest('  let sum = 1;', '  let sum = 0;\n      return sum;')).toBeNull();
      expect(await suggest('let sum = 1;\nreturn sum;', 'let sum = 0;\n    return sum;')).toBeNull();
    });
  });
});
