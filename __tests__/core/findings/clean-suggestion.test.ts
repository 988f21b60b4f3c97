import { describe, expect, it } from 'vitest';
import { ground } from '../../../src/core/findings/ground.ts';
import { changedFile, sources, submitted } from './make.ts';

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
