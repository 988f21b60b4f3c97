import { structuredPatch } from 'diff';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ChangedFile, hunkLines } from '../../../src/core/pull-request/changed-file.ts';
import { carriedLines } from '../../../src/core/rules/carried.ts';
import type { Rule } from '../../../src/core/rules/rule.ts';
import { runRules } from '../../../src/core/rules/run-rules.ts';
import { changedFile, ruleWith } from '../../fakes/memory-repository.ts';

type Texts = readonly [path: string, before: string, after: string];

function changeOf([path, before, after]: Texts, changes: Partial<ChangedFile> = {}): ChangedFile {
  const patch = structuredPatch(path, path, before, after, '', '', { context: 1 });
  const hunks = patch.hunks.map((hunk) => ({ ...hunk, heading: '' }));
  const count = (sign: string) => hunks.flatMap(({ lines }) => lines).filter((line) => line.startsWith(sign)).length;
  const status = before === '' ? 'added' : after === '' ? 'deleted' : 'modified';
  return changedFile(path, { status, hunks, additions: count('+'), deletions: count('-'), ...changes });
}

const evil = ruleWith({ id: 'eval', pattern: '\\beval\\(', maxFindings: 100 });
const swallowed = ruleWith({ id: 'empty', multiLine: true, pattern: 'catch \\{\\n\\s*\\}', maxFindings: 100 });
const secret = ruleWith({ id: 'secret', pattern: 'eval\\("([a-z0-9]+)', entropy: 1, minLength: 4 });

async function raisedIn(files: readonly ChangedFile[], rules: readonly Rule[]): Promise<readonly string[]> {
  let count = 0;
  const seams = { nextId: () => `f${++count}`, readHead: async () => null, hide: (text: string) => text };
  const { findings } = await runRules({ ...seams, rules, files, commentFor: () => null, carried: carriedLines(files) });
  return findings.map(({ path, anchor }) => `${path}:${anchor.kind === 'lines' ? anchor.startLine : ''}`);
}

const raised = (texts: readonly Texts[], ...rules: readonly Rule[]) =>
  raisedIn(
    texts.map((each) => changeOf(each)),
    rules.length === 0 ? [evil] : rules,
  );

const bad = '  eval(x);\n';
const empty = 'try {\n  a();\n} catch {\n}\n';
const key = '  eval("k3y9zq");\n';

/** The line fifty times, each above another one. */
const beside = (line: string, other: string) =>
  Array.from({ length: 50 }, (_, index) => `${line}${other}${index}\n`).join('');

describe('a rule passes over', () => {
  it.each<readonly [string, readonly Texts[]]>([
    ['a line that moved in its file', [['a.js', `a\nb\n${bad}`, `${bad}a\nb\n`]]],
    ['a line that is indented anew', [['a.js', bad, `if (y) {\n  ${bad}}\n`]]],
    [
      'a line that moved to another file, indented anew',
      [
        ['a.js', bad, ''],
        ['b.ts', '', `  ${bad}`],
      ],
    ],
    [
      'lines of a file that was cut up',
      [
        ['b.js', '', `  ${bad}`],
        ['a.js', `${bad}a\n${bad}`, ''],
        ['c.js', 'c\n', `${bad}c\n`],
      ],
    ],
    ['a line of Python that moved as it was', [['a.py', `a\nb\n${bad}`, `${bad}a\nb\n`]]],
    ['many equal lines that are indented anew', [['a.js', beside(bad, 'a'), beside(`  ${bad}`, 'b')]]],
    [
      'a line of a file that was removed, beside one that stayed in its own',
      [
        ['a.js', bad, `  ${bad}`],
        ['b.js', bad, ''],
        ['c.js', '', bad],
      ],
    ],
    ['a line of which only the white space at its end changed', [['a.js', bad, '  eval(x);  \r\n']]],
  ])('%s', async (_, texts) => {
    expect(await raised(texts)).toEqual([]);
  });

  it.each([
    ['behind an equal line that moved as well', `}\n${empty}`],
    ['behind a match that begins alike', `} catch {\n  b();\n${empty}`],
  ])('all lines of a match that stood %s', async (_, before) => {
    const texts: readonly Texts[] = [
      ['a.js', before, ''],
      ['b.js', '', '  } catch {\n  }\n'],
    ];
    expect(await raised(texts, swallowed)).toEqual([]);
  });

  it('a line that is indented anew in its own file, though nobody reads it', async () => {
    expect(await raisedIn([changeOf(['a.js', bad, `  ${bad}`], { vendored: true })], [evil])).toEqual([]);
  });

  it('all lines of a match that moved together, whichever other rule hits one of them', async () => {
    const texts: readonly Texts[] = [
      ['a.js', empty, 'try {\n  a();\n'],
      ['b.js', '', '  } catch {\n  }\n'],
    ];
    const closing = ruleWith({ id: 'closing', pattern: '^\\s*\\}$' });
    expect(await raised(texts, closing, swallowed, { ...closing, id: 'closing-again' })).toEqual([]);
  });
});

describe('a rule raises', () => {
  it.each<readonly [string, readonly Texts[], readonly string[]]>([
    ['what was copied', [['a.js', bad, bad + bad]], ['a.js:2']],
    ['the second of two copies of one line', [['a.js', `a\n${bad}`, `${bad}a\n  ${bad}b\n`]], ['a.js:3']],
    [
      'the copy in another file, and not the line that stayed in its own',
      [
        ['b.js', '', bad],
        ['a.js', bad, `  ${bad}`],
        ['c.js', '', bad],
      ],
      ['b.js:1', 'c.js:1'],
    ],
    [
      'one of two copies of what moved to other files',
      [
        ['a.js', bad, ''],
        ['b.js', '', bad],
        ['c.js', '', bad],
      ],
      ['c.js:1'],
    ],
    ['a line that changed inside', [['a.js', bad, '  eval( x);\n']], ['a.js:1']],
    ['a line of Python in another block', [['a.py', `if DEBUG:\n  ${bad}`, bad]], ['a.py:1']],
    ...['a.yml', 'Makefile', 'a.hs', 'a.sh', 'a.unknown'].map(
      (path) => [`a line that is indented anew in ${path}`, [[path, bad, `  ${bad}`]], [`${path}:1`]] as const,
    ),
    [
      'a line that moved to a language that reads white space in another way',
      [
        ['a.js', 'eval(x);\n', ''],
        ['a.py', '', 'eval(x);\n'],
      ],
      ['a.py:1'],
    ],
    [
      'what moved out of the tests',
      [
        ['test/a.js', bad, ''],
        ['src/a.js', '', bad],
      ],
      ['src/a.js:1'],
    ],
    ['what left a comment to the end of its line', [['a.js', '  // eval(x);\n', bad]], ['a.js:1']],
    ['each of many hits that are new', [['a.js', 'a\n', bad.repeat(3)]], ['a.js:1', 'a.js:2', 'a.js:3']],
  ])('%s', async (_, texts, places) => {
    expect(await raised(texts)).toEqual(places);
  });

  it.each<readonly [string, string, string, readonly string[]]>([
    ['whose lines moved apart', empty, 'try {\n} catch {\n  b();\n  a();\n}\n', []],
    ['whose lines stood apart', 'try {\n  a();\n} catch {\n  b();\n}\n', 'x\n  } catch {\n  }\n', ['a.js:2']],
    ['whose lines stood the other way round', '}\n} catch {\na\n', 'b\n  } catch {\n  }\n', ['a.js:2']],
    ['of which one line is new', '  } catch {\n  b();\n', 'c\n} catch {\n}\n', ['a.js:2']],
    ['that was copied', empty, `${empty.replace('a()', 'b()')}c\n  } catch {\n  }\n`, ['a.js:6']],
  ])('a match over lines %s', async (_, before, after, places) => {
    expect(await raised([['a.js', before, after]], swallowed)).toEqual(places);
  });

  it('a credential in another file, and none that moved in its own', async () => {
    const other: readonly Texts[] = [
      ['a.js', key, ''],
      ['b.js', '', key],
    ];
    expect([await raised(other, secret), await raised([['a.js', `a\n${key}`, `  ${key}a\n`]], secret)]).toEqual([
      ['b.js:1'],
      [],
    ]);
  });

  it('what moved from where the rule does not look, or nobody reads', async () => {
    const texts: readonly Texts[] = [
      ['old/a.js', bad, ''],
      ['src/a.js', '', bad],
    ];
    const unread = texts.map((each) => changeOf(each, { vendored: each[0] === 'old/a.js' }));
    const expected = ['src/a.js:1'];
    expect([await raised(texts, { ...evil, paths: ['src/**'] }), await raisedIn(unread, [evil])]).toEqual([
      expected,
      expected,
    ]);
  });

  it.each([
    ['was copied', { status: 'copied' }],
    ['means something else in its new place', { status: 'renamed', moved: 'elsewhere' }],
  ] as const)('all lines of a file that %s', async (_, changes) => {
    expect(await raisedIn([changeOf(['a.js', bad, `  ${bad}`], changes)], [evil])).toEqual(['a.js:1']);
  });

  it('everything of a change that removes more than anybody moves, and of a file that adds more', async () => {
    const moved: Texts = ['a.js', bad, `  ${bad}`];
    const large = changeOf(['b.js', 'x\n', ''], { deletions: 100_000 });
    const grown = changeOf(moved, { additions: 100_001 });
    expect([await raisedIn([changeOf(moved), large], [evil]), await raisedIn([grown], [evil])]).toEqual([
      ['a.js:1'],
      ['a.js:1'],
    ]);
  });
});

describe('whatever moves', () => {
  const line = fc.constantFrom('  eval(x);', '    eval(x);', 'eval(y);', '} catch {', '}', 'a();', '');
  const text = fc.array(line, { maxLength: 12 }).map((lines) => lines.map((each) => `${each}\n`).join(''));
  const change = fc.tuple(fc.constantFrom('a.js', 'b.js', 'c.py', 'test/d.js'), text, text);
  const changes = fc.uniqueArray(change, { maxLength: 4, selector: ([path]) => path });

  it('no more lines are passed over than lines of their text were removed', async () => {
    await fc.assert(
      fc.asyncProperty(changes, async (texts) => {
        const files = texts.map((each) => changeOf(each));
        const counted = (kind: 'added' | 'removed', wanted: string) =>
          files
            .flatMap(({ hunks }) => hunks.flatMap((hunk) => [...hunkLines(hunk)]))
            .filter((each) => each.kind === kind && each.text.trim() === wanted).length;
        for (const wanted of ['eval(x);', 'eval(y);']) {
          const rule = { ...evil, pattern: `eval\\(${wanted.charAt(5)}\\)` };
          const passed = counted('added', wanted) - (await raisedIn(files, [rule])).length;
          expect([passed >= 0, passed <= counted('removed', wanted)]).toEqual([true, true]);
        }
      }),
    );
  });

  it('a rule that hits single lines raises the same, whatever other rules hit them', async () => {
    await fc.assert(
      fc.asyncProperty(changes, async (texts) => {
        const together = await raised(texts, swallowed, evil);
        const alone = await raised(texts, evil);
        expect(together.filter((place) => alone.includes(place))).toEqual(alone);
      }),
    );
  });

  it('lines of one file in another order and indentation raise nothing', async () => {
    const lines = fc
      .array(line, { maxLength: 12 })
      .chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })));
    await fc.assert(
      fc.asyncProperty(lines, async ([before, after]) => {
        const joined = (all: readonly string[], indent = '') => all.map((each) => `${indent}${each}\n`).join('');
        expect(await raised([['a.js', joined(before), joined(after, '  ')]])).toEqual([]);
      }),
    );
  });
});
