// biome-ignore-all lint/suspicious/noTemplateCurlyInString: code of several languages.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { masked } from '../../../src/core/languages/code-parts.ts';
import { languageNamed, languageOf } from '../../../src/core/languages/languages.ts';
import { lineScanner, type Skippable } from '../../../src/core/languages/scan-code.ts';

/** The code of a text: what is skipped is dots. */
function codeOf(
  language: string,
  text: string,
  skip: readonly Skippable[] = ['comments', 'strings', 'fences'],
): string {
  const syntax = languageNamed(language)?.syntax;
  if (syntax === undefined) throw new Error(`Nothing is known of ${language}.`);
  const { scan } = lineScanner(syntax);
  const dotted = (line: string) =>
    scan(line)
      .filter(({ kind }) => skip.includes(kind))
      .reduce((code, { from, to }) => code.slice(0, from) + '.'.repeat(to - from) + code.slice(to), line);
  return text.split('\n').map(dotted).join('\n');
}

describe('the scanner of comments and strings', () => {
  it.each([
    ['typescript', 'a; // b', 'a; ....'],
    ['typescript', '/* a\n b */ c', '....\n..... c'],
    ['typescript', '"// a" + b // c', '"...." + b ....'],
    ['typescript', "'it\\'s' // c", "'.....' ...."],
    ['typescript', '`a ${b + `c ${d}`} e` + f', '`..${b + `..${d}`}..` + f'],
    ['typescript', '`a\n// b ${ { c: 1 } } d\n` // e', '`.\n.....${ { c: 1 } }..\n` ....'],
    ['typescript', 'x.replace(/["\'`/*]/g, y) // z', 'x.replace(/["\'`/*]/g, y) ....'],
    ['typescript', 'a / b // c', 'a / b ....'],
    ['typescript', 'f(/[/*]/); b', 'f(/[/*]/); b'],
    ['typescript', "don't\ngo();", "don'.\ngo();"],
    ['python', 'a = 1  # b', 'a = 1  ...'],
    [
      'python',
      'def f():\n    """Call eval(x).\n    eval(y)\n    """\n    eval(z)',
      'def f():\n    """.............\n...........\n.......\n    eval(z)',
    ],
    ['python', 'q = """\n# no comment\n"""', 'q = """\n............\n"""'],
    ['python', 'run(\n  """select"""\n)', 'run(\n  """......"""\n)'],
    ['shell', 'echo ${a#b} $# "#" # c', 'echo ${a#b} $# "." ...'],
    ['yaml', "a: don't # b\nc: 'd # e'", "a: don't ...\nc: '.....'"],
    ['dockerfile', '# FROM a:latest', '...............'],
    ['rust', "fn f<'a>(b: &'a str) {} // c", "fn f<'a>(b: &'a str) {} ...."],
    ['go', '`a\\` + b // c', '`..` + b ....'],
    ['sql', "select 'a--b' -- c", "select '....' ...."],
    ['vue', '<a href=x>https://b</a> <!-- c\nd --> e // f', '<a href=x>https://b</a> ......\n..... e ....'],
    ['html', 'a <!-- b --> c', 'a .......... c'],
    ['ruby', '=begin\na\n=end\nb "#{c}" # d', '......\n.\n....\nb "...." ...'],
    ['css', 'a { } /* b */ c//d', 'a { } ....... c//d'],
    ['ini', '; a\nb = #c', '...\nb = #c'],
    ['batch', 'REM a\necho rem b', '.....\necho rem b'],
    ['lua', 'a --[[ b\nc ]] d -- e', 'a ......\n.... d ....'],
    ['markdown', 'a\n```js\neval(b)\n```\nc', 'a\n.....\n.......\n...\nc'],
    ['markdown', '- a\n  ~~~~\n  ```\n  ~~~~\nb `c`', '- a\n......\n.....\n......\nb `c`'],
    ['markdown', '``` a ``` b\nc', '``` a ``` b\nc'],
    ['rst', 'a # b // c', 'a # b // c'],
  ])('of %s reads %j', (language, text, code) => {
    expect(codeOf(language, text)).toBe(code);
  });

  it('skips what is asked alone', () => {
    expect([codeOf('typescript', '"a" // b', ['comments']), codeOf('typescript', '"a" // b', ['strings'])]).toEqual([
      '"a" ....',
      '"." // b',
    ]);
  });

  it('knows that lines started in a comment when one is closed that was never opened', () => {
    const syntax = languageNamed('typescript')?.syntax;
    if (syntax === undefined) throw new Error('No syntax.');
    const started = (lines: readonly string[]) => {
      const scanner = lineScanner(syntax);
      for (const line of lines) scanner.scan(line);
      return scanner.startedInside();
    };
    expect([started([' * eval(a)', ' */', 'b();']), started(["glob('**/*.ts')", '/* a */'])]).toEqual([true, false]);
  });

  it('never throws, and its parts are in order and within the line', () => {
    const names = fc.constantFrom('typescript', 'python', 'vue', 'ruby', 'markdown', 'sql', 'yaml', 'lua', 'rust');
    const piece = fc.oneof(
      fc.constantFrom(
        '/*',
        '*/',
        '//',
        '"',
        "'",
        '`',
        '${',
        '}',
        '{',
        '#',
        '"""',
        '<!--',
        '-->',
        '```',
        '\\',
        '/',
        '[',
      ),
      fc.string({ maxLength: 4 }),
    );
    const lines = fc.array(fc.array(piece, { maxLength: 8 }).map((parts) => parts.join('').replaceAll('\n', ' ')));
    fc.assert(
      fc.property(names, lines, fc.boolean(), (name, texts, inside) => {
        const syntax = languageNamed(name)?.syntax;
        if (syntax === undefined) return;
        const { scan } = lineScanner(syntax, { inside });
        for (const line of texts) {
          const borders = scan(line).flatMap(({ from, to }) => [from, to]);
          expect(borders).toEqual([...borders].sort((one, other) => one - other));
          expect(borders.every((border) => border >= 0 && border <= line.length)).toBe(true);
          expect(masked(line, scan(line), ['comments', 'strings', 'fences'])).toHaveLength(line.length);
        }
      }),
    );
  });

  it.each(['(/[', '/"', "'", '`${', '"""', '/*', ' /', '(/['])(
    'takes a line of a megabyte of %j in its stride',
    (piece) => {
      const line = piece.repeat(1_000_000 / piece.length);
      for (const name of ['typescript', 'python', 'markdown']) {
        expect(codeOfLine(name, line)).toBeLessThanOrEqual(line.length);
      }
    },
  );
});

function codeOfLine(language: string, line: string): number {
  const syntax = languageNamed(language)?.syntax;
  return syntax === undefined ? 0 : lineScanner(syntax).scan(line).length;
}

describe('languages', () => {
  it.each([
    ['TypeScript', 'typescript'],
    ['ts', 'typescript'],
    ['c', 'c'],
    ['C++', 'cpp'],
    ['golang', 'go'],
    ['yml', 'yaml'],
    ['docker', 'dockerfile'],
    ['klingon', undefined],
  ])('the name %s means %s', (name, language) => {
    expect(languageNamed(name)?.name).toBe(language);
  });

  it.each([
    ['src/a.ts', 'typescript'],
    ['SRC/A.PY', 'python'],
    ['Dockerfile', 'dockerfile'],
    ['deploy/Dockerfile.prod', 'dockerfile'],
    ['.env.local', 'dotenv'],
    ['.env.js', 'javascript'],
    ['Makefile', 'makefile'],
    ['CMakeLists.txt', 'cmake'],
    ['go', undefined],
    ['LICENSE', undefined],
    ['a.unknown', undefined],
  ])('the file %s is %s', (path, language) => {
    expect(languageOf(path)?.name).toBe(language);
  });
});
