// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references to secrets, as source holds them.
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { requiredTexts } from '../../../src/core/rules/pattern.ts';
import { runRules } from '../../../src/core/rules/run-rules.ts';
import { addedFile, changedFile, hunkOf, ruleWith, runRule } from '../../fakes/memory-repository.ts';

describe('requiredTexts', () => {
  it.each([
    ['debugger', ['debugger']],
    ['\\bdebugger\\b', ['debugger']],
    ['^\\s*eval\\(', ['eval(']],
    ['colou?r', ['colo']],
    ['ab+c', ['ab']],
    ['<{7} \\S', ['<<<<<<<']],
    ['x{0,3}end', ['end']],
    ['one|two', ['one', 'two']],
    ['(?:one|two)\\s+longer', ['longer']],
    ['(?i)(?:one|two)\\d', ['one', 'two']],
    ['(?P<name>one)*two', ['two']],
    ['a[]b]cc', ['cc']],
    ['a[^\\]b]cc', ['cc']],
    ['a[[:alpha:]]cc', ['cc']],
    ['one|', null],
    ['one|\\w+', null],
    ['.*', null],
    ['a', null],
    ['\\Qone\\E', null],
    ['\\x41BC', null],
    ['(?:one)?', null],
  ])('of %s are %j', (pattern, texts) => {
    expect(requiredTexts(pattern)).toEqual(texts);
  });

  it('never miss a match of patterns that are put together at random', () => {
    const atoms = ['ab', 'c', '.', '\\w', '[a-c]', '(?:ab|cc)', '(?:a|bb)', '\\bab', '(?i)', '(?:b{2})', '\\.'];
    const quantifier = fc.constantFrom('', '', '', '?', '*', '+', '{2}', '{0,2}');
    const pattern = fc.array(
      fc.oneof(fc.tuple(fc.constantFrom(...atoms), quantifier), fc.constant(['|', ''] as const)),
      {
        minLength: 1,
        maxLength: 6,
      },
    );
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '.', ' '), maxLength: 12 });
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 8 }), (parts, lines) => {
        const source = parts.map(([first, second]) => (first === '(?i)' ? first : first + second)).join('');
        const texts = requiredTexts(source);
        if (texts === null) return;
        const compiled = RE2JS.compile(source);
        for (const line of lines.filter((each) => compiled.test(each))) {
          expect([line, texts.some((each) => line.includes(each))]).toEqual([line, true]);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('a rule with languages', () => {
  it('reads the files of these languages alone, by their names, and stays within its paths as well', async () => {
    const languages = ['python', 'dockerfile'] as const;
    const files = ['a.ts', 'src/a.py', 'Dockerfile', 'a.txt', 'Makefile'].map((path) => addedFile(path, ['bad']));
    expect((await runRule({ languages }, files)).paths).toEqual(['src/a.py', 'Dockerfile']);
    expect((await runRule({ languages, paths: ['src/**'] }, files)).paths).toEqual(['src/a.py']);
  });
});

describe('a rule that skips comments', () => {
  const skip = ['comments'] as const;

  it('finds code alone', async () => {
    const lines = ['bad();', '// bad', 'good(); // bad', 'good("// bad");', '/* bad', 'bad */ bad();', ' * bad'];
    expect((await runRule({ skip }, [addedFile('a.ts', lines)])).lines).toEqual([1, 4, 6, 7]);
  });

  const begun = hunkOf([' text', '+bad', ' */', '+bad'], { newStart: 51, oldStart: 51 });

  it('knows from the head of the file that a comment began far above the hunk', async () => {
    const file = changedFile('a.ts', { hunks: [begun] });
    const below = [...Array(49).fill('text'), 'text', 'bad', '*/', 'bad'];
    expect([
      (await runRule({ skip }, [file], ['/*', ...below].join('\r\n'))).lines,
      (await runRule({ skip }, [file], ['x', ...below].join('\n'))).lines,
    ]).toEqual([[54], [52, 54]]);
  });

  it('knows from the hunk alone that it began in a comment, where the file cannot be read or is another one', async () => {
    const custom = hunkOf([' * text', '+ * bad'], { newStart: 51, oldStart: 51 });
    const files = [changedFile('a.ts', { hunks: [begun] }), changedFile('b.ts', { hunks: [custom] })];
    expect([
      (await runRule({ skip }, files, null)).lines,
      (await runRule({ skip }, files, 'other\ntext')).lines,
    ]).toEqual([[54], [54]]);
  });

  it('reads a file of an unknown language as code', async () => {
    expect((await runRule({ skip }, [addedFile('a.unknown', ['# bad'])])).lines).toEqual([1]);
  });

  it('asks for the file only when a line may match', async () => {
    let asked = 0;
    const readHead = async () => {
      asked += 1;
      return null;
    };
    const files = [addedFile('a.ts', ['good']), addedFile('b.ts', ['bad', 'bad']), addedFile('c.txt', ['bad'])];
    const seams = { nextId: () => 'f', readHead, commentFor: () => null, hide: (text: string) => text };
    await runRules({ ...seams, rules: [ruleWith({ skip })], files });
    expect(asked).toBe(1);
  });
});

describe('a rule that skips strings or fences', () => {
  it('finds what is outside of strings', async () => {
    const lines = ['"bad"', "f('bad', bad)", '`', 'bad', '${bad}', '`'];
    expect((await runRule({ skip: ['strings'] }, [addedFile('a.ts', lines)])).lines).toEqual([2, 5]);
  });

  it('finds what is outside of fences in Markdown', async () => {
    const lines = ['bad', '```sh', 'bad', '```', '`bad`'];
    expect((await runRule({ skip: ['fences'] }, [addedFile('a.md', lines)])).lines).toEqual([1, 5]);
  });

  it('knows from the head of the file that the hunk began in a fence', async () => {
    const file = changedFile('a.md', { hunks: [hunkOf([' x', '+bad', ' ```'], { newStart: 2, oldStart: 2 })] });
    expect((await runRule({ skip: ['fences'] }, [file], '```\nx\nbad\n```')).lines).toEqual([]);
  });
});
