// biome-ignore-all lint/suspicious/noTemplateCurlyInString: code of several languages.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { masked } from '../../../src/core/languages/code-parts.ts';
import { languageNamed, languageOf } from '../../../src/core/languages/languages.ts';
import { lineScanner, type Skippable } from '../../../src/core/languages/scan-code.ts';

function scannerOf(language: string, options?: Parameters<typeof lineScanner>[1]) {
  const syntax = languageNamed(language)?.syntax;
  if (syntax === undefined) throw new Error(`Nothing is known of ${language}.`);
  return lineScanner(syntax, options);
}

/** The code of a text: what is skipped is dots. */
function codeOf(
  language: string,
  text: string,
  skip: readonly Skippable[] = ['comments', 'strings', 'fences'],
): string {
  const { scan } = scannerOf(language);
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
    ['typescript', 'f(/[/*]/); b', 'f(/[/*]/); b'],
    ['python', 'a = 1  # b', 'a = 1  ...'],
    ['python', 'f():\n  """Call a(x).\n  b(y)\n  """\n  c(z)', 'f():\n  """..........\n......\n.....\n  c(z)'],
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

  it.each([
    ['javascript', '// checked\reval(a)'],
    ['javascript', '// checked\u2028eval(a)'],
    ['python', '# checked\reval(a)'],
    ['python', '# a\r"""\n"""\neval(a)'],
    ['php', '// checked ?> <?php eval($a);'],
    ['php', '$s = <<<A\n/*\nA;\neval($a);'],
    ['typescript', '<p>http://a {eval(a)}</p>'],
    ['typescript', '<p>/* {eval(a)} */</p>'],
    ['typescript', '<p>/*\n{\neval(a)\n}\n*/</p>'],
    ['typescript', "<p>don't {eval(a)} it's</p>"],
    ['typescript', 'if (a) /[/*]/.test(b); eval(a);'],
    ['typescript', '{} /`/.test(b);\neval(a);'],
    ['typescript', "s = 'a\\\n/*'; eval(a); /* */"],
    ['vue', '<p>a // </p><b :a="eval(a)"></b>'],
    ['svelte', '<!--> {eval(a)} <!-- -->'],
  ])('of %s takes no code for a comment in %j', (language, text) => {
    const { scan } = scannerOf(language, { sure: true });
    const code = text.split('\n').map((line) => masked(line, scan(line), ['comments', 'strings']));
    expect(code.join('\n')).toContain('eval(');
  });

  it('is sure of most comments', () => {
    const { scan } = scannerOf('typescript', { sure: true });
    const text = '/**\n * eval(a)\n */\nconst a = (b) / 2; // eval(a)\nb; // eval(a)\nc; /* eval(a) */ d';
    const code = text.split('\n').map((line) => masked(line, scan(line), ['comments']).trimEnd());
    expect(code.join('\n')).toBe('\n\n\nconst a = (b) / 2; // eval(a)\nb;\nc;               d');
  });

  it('knows that lines started in a comment when one is closed that was never opened', () => {
    const started = (lines: readonly string[]) => {
      const scanner = scannerOf('typescript');
      for (const line of lines) scanner.scan(line);
      return scanner.startedInside();
    };
    expect([started([' * eval(a)', ' */', 'b();']), started(["glob('**/*.ts')", '/* a */'])]).toEqual([true, false]);
  });

  it('never throws, and its parts are in order and within the line', () => {
    const names = fc.constantFrom('typescript', 'python', 'vue', 'ruby', 'markdown', 'sql', 'yaml', 'lua', 'rust');
    const signs = '/* */ // " \' ` ${ } { # """ <!-- --> ``` \\ / ['.split(' ');
    const piece = fc.oneof(fc.constantFrom(...signs), fc.string({ maxLength: 4 }));
    const lines = fc.array(fc.array(piece, { maxLength: 8 }).map((parts) => parts.join('').replaceAll('\n', ' ')));
    fc.assert(
      fc.property(names, lines, fc.boolean(), (name, texts, inside) => {
        const { scan } = scannerOf(name, { inside });
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
        expect(scannerOf(name).scan(line).length).toBeLessThanOrEqual(line.length);
      }
    },
  );
});

describe('languages', () => {
  it.each([
    ['ts', 'typescript'],
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
    ['Dockerfile', 'dockerfile'],
    ['deploy/Dockerfile.prod', 'dockerfile'],
    ['.env.local', 'dotenv'],
    ['.env.js', 'javascript'],
    ['Makefile', 'makefile'],
    ['go', undefined],
    ['a.unknown', undefined],
  ])('the file %s is %s', (path, language) => {
    expect(languageOf(path)?.name).toBe(language);
  });
});
