// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references to secrets, as source holds them.
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import type { ChangedFile } from '../../../src/core/pull-request/changed-file.ts';
import { builtInRules } from '../../../src/core/rules/built-in-rules.ts';
import { requiredTexts } from '../../../src/core/rules/pattern.ts';
import type { Rule } from '../../../src/core/rules/rule.ts';
import { rulesFor, runRules } from '../../../src/core/rules/run-rules.ts';
import { addedFile, changedFile, hunkOf, ruleWith, runRule } from '../../fakes/memory-repository.ts';

const noPrint = ruleWith({
  id: 'no-print',
  title: 'Printing',
  paths: ['*.py', '!**/tests/**'],
  pattern: '`?\\bprint\\(',
  guidance: 'Use the logger.',
});

const [secretRule = noPrint] = builtInRules.filter(({ id }) => id === 'provider-token');

type Seams = Partial<Pick<Parameters<typeof runRules>[0], 'commentFor' | 'hide'>>;

async function run(rules: readonly Rule[], files: readonly ChangedFile[], given: Seams = {}) {
  let count = 0;
  const seams = { nextId: () => `f${++count}`, readHead: async () => null, hide: (text: string) => text };
  return runRules({ ...seams, commentFor: () => null, rules, files, ...given });
}

async function places(rules: readonly Rule[], files: readonly ChangedFile[]) {
  const { findings } = await run(rules, files);
  const lineOf = ({ anchor }: (typeof findings)[number]) => (anchor.kind === 'lines' ? anchor.startLine : '');
  return findings.map((one) => `${one.ruleId} ${one.path}:${lineOf(one)}`);
}

const token = `ghp_${'wqNc5bXz'.repeat(4)}aB3d`;

describe('runRules', () => {
  it('reports an added line with its place at head, what it says and why', async () => {
    const hunk = hunkOf([' a = 1', '-print(0)', '+\tprint(a)\r', ' print(b)'], { oldStart: 7, newStart: 9 });
    const { findings } = await run([noPrint], [changedFile('src/a.py', { hunks: [hunk] })]);
    expect(findings).toEqual([
      {
        id: 'f1',
        path: 'src/a.py',
        anchor: { kind: 'lines', side: 'RIGHT', startLine: 10, endLine: 10, quote: '\tprint(a)' },
        title: 'Printing',
        review: 'Use the logger.',
        evidence:
          "The added line src/a.py:10 matches the pattern of the repository's rule no-print: `` `?\\bprint\\( ``",
        severity: 'info',
        category: 'style',
        suggestion: null,
        ruleId: 'no-print',
        confidence: 1,
        source: 'rule',
        alsoAt: [],
      },
    ]);
  });

  it.each([
    ['a short line', noPrint, 'print(a)', undefined],
    ['a long line', noPrint, `${'a = 1; '.repeat(20)}print(a)`, 'print('],
    ['a line with a credential', secretRule, `${'a = 1; '.repeat(20)}k = "${token}"`, '[redacted: github token]'],
  ])('says where in %s it matched, where that is long', async (_, rule, line, marked) => {
    const hide = (text: string) => text.replace(token, '[redacted: github token]');
    const hunk = hunkOf([`+${line}`], { oldStart: 1, newStart: 1 });
    const { findings } = await run([rule], [changedFile('src/a.py', { hunks: [hunk] })], { hide });
    const marks = findings.map(({ anchor }) => {
      if (anchor.kind === 'file' || anchor.columns === undefined) return undefined;
      return anchor.quote.slice(anchor.columns.start - 1, anchor.columns.end - 1);
    });
    expect(marks).toEqual([marked]);
  });

  it('stays within the paths of a rule', async () => {
    const files = ['a.py', 'deep/b.py', 'tests/c.py', 'd.txt'].map((path) => addedFile(path, ['print(1)']));
    expect(await places([noPrint], files)).toEqual(['no-print a.py:1', 'no-print deep/b.py:1']);
  });

  it('passes over rules that are guidance only', async () => {
    expect(await places([{ ...noPrint, pattern: null }], [addedFile('a.py', ['print(1)'])])).toEqual([]);
  });

  it('runs a pattern that needs no fixed text on every line', async () => {
    expect(await places([{ ...noPrint, pattern: '^\\d+$' }, noPrint], [addedFile('a.py', ['x', '12', 'y'])])).toEqual([
      'no-print a.py:2',
    ]);
  });

  it('never lets a secret into a finding', async () => {
    const key = ['-----BEGIN PRIVATE KEY-----', 'MIIEvQIBADANBgkqhkiG9w0B'.repeat(2), '-----END PRIVATE KEY-----'];
    const inKey: Rule = { ...noPrint, id: 'in-key', paths: [], pattern: 'MIIE' };
    const { findings } = await run(
      [...builtInRules, inKey],
      [addedFile('a.ts', [`const token = "${token}";`, ...key])],
    );
    expect(findings.map((finding) => finding.ruleId).sort()).toEqual(['in-key', 'private-key', 'provider-token']);
    expect(JSON.stringify(findings)).not.toMatch(/wqNc5bXz|MIIEvQ/);
    expect(findings.map(({ anchor }) => anchor.kind === 'lines' && anchor.quote)).toContain(
      'const token = "[redacted: github token]";',
    );
  });

  it('finds a credential once, by the rule that knows most of it, and names where else it stands', async () => {
    const env = addedFile('.env', [`API_TOKEN=${token}`, `SECRET_URL=https://bot:${token}@git.internal/a.git`]);
    const code = addedFile('src/a.ts', ['const a = 1;', `const apiKey = "${token}";`]);
    const [only, ...more] = (await run(builtInRules, [env, code])).findings;
    expect([only?.ruleId, only?.anchor, only?.alsoAt, only?.evidence, more]).toEqual([
      'provider-token',
      expect.objectContaining({ startLine: 1 }),
      ['.env:2', 'src/a.ts:2'],
      'The added line .env:1 holds a value in the form of a github token: built-in rule provider-token.',
      [],
    ]);
  });

  it('raises a credential in another place, whatever a comment says of the first', async () => {
    const files = ['a.ts', 'b.ts'].map((path) => addedFile(path, [`const t = "${token}";`]));
    const about = { line: 1, ruleId: 'provider-token', reason: 'sample', about: 1, aboutAdded: true, refused: null };
    const commentFor: Seams['commentFor'] = ({ path }) => (path === 'a.ts' ? { ...about, path } : null);
    const { findings, ignored } = await run(builtInRules, files, { commentFor });
    expect([findings.map(({ path }) => path), ignored.map(({ path }) => path)]).toEqual([['b.ts'], ['a.ts']]);
  });

  it('finds a private key whose first line stood there before, and one in a document', async () => {
    const [one = '', two = ''] = ['MIIEvQIBADANBgkqhkiG9w0B', 'AQEFAASCBKcwggSjAgEAAoIB'].map((part) => part.repeat(2));
    const border = (word: string) => `-----${word} PRIVATE KEY-----`;
    const hunk = hunkOf([` ${border('BEGIN')}`, `-${two}`, `+${one}`, `+${two}`, ` ${border('END')}`]);
    const document = addedFile('README.md', ['Put this into place:', border('BEGIN'), one, border('END')]);
    const example = addedFile('docs/keys.md', [border('BEGIN'), '...', border('END')]);
    expect(await places(builtInRules, [changedFile('id.pem', { hunks: [hunk] }), document, example])).toEqual([
      'private-key id.pem:2',
      'private-key README.md:2',
    ]);
  });
});

describe('rulesFor', () => {
  it('chooses the rules that are about one of the paths', () => {
    const everywhere = { ...noPrint, id: 'everywhere', paths: [] };
    expect(rulesFor([noPrint, everywhere], ['a.ts', 'tests/a.py']).map((rule) => rule.id)).toEqual(['everywhere']);
    expect(rulesFor([noPrint, everywhere], ['a.ts', 'src/a.py'])).toEqual([noPrint, everywhere]);
  });
});

describe('requiredTexts', () => {
  it.each([
    ['\\bdebugger\\b', ['debugger']],
    ['colou?r', ['colo']],
    ['x{0,3}end', ['end']],
    ['one|two', ['one', 'two']],
    ['(?i)(?:one|two)\\d', ['one', 'two']],
    ['a[^\\]b]cc', ['cc']],
    ['a[[:alpha:]]cc', ['cc']],
    ['one|', null],
    ['\\Qone\\E', null],
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

describe('a byte order mark', () => {
  it('hides nothing of the first line, and counts in no other', async () => {
    const files = [addedFile('a.ts', ['\uFEFFbad\r', 'bad', '\uFEFFbad'])];
    expect((await runRule({ pattern: '^bad$' }, files)).lines).toEqual([1, 2]);
  });

  it.each([null, '\uFEFFx /* bad */ bad\ny', 'x /* bad */ bad\ny'])(
    'moves no column of comments, where the head of the file is %j',
    async (head) => {
      const [text, comment] = ['\uFEFFx /* bad */ bad', '\uFEFF/* bad*/'];
      const found = await Promise.all(
        [text, comment].map((line) =>
          runRule({ pattern: 'bad$|bad\\*', skip: ['comments'] }, [addedFile('a.ts', [line])], head),
        ),
      );
      expect(found.map(({ lines }) => lines)).toEqual([[1], []]);
    },
  );
});

describe('a rule that skips comments', () => {
  const skip = ['comments'] as const;

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

const commented = ['bad();', '// bad', 'good(); // bad', 'good("// bad");', '/* bad', 'bad */ bad();', ' * bad'];

describe('a rule that skips comments, strings or fences', () => {
  it.each([
    ['comments', 'a.ts', commented, [1, 4, 6, 7]],
    ['comments', 'a.unknown', ['# bad'], [1]],
    ['strings', 'a.ts', ['"bad"', "f('bad', bad)", '`', 'bad', '${bad}', '`'], [2, 5]],
    ['fences', 'a.md', ['bad', '```sh', 'bad', '```', '`bad`'], [1, 5]],
  ] as const)(
    'finds what is outside of %s in %s, and takes an unknown language for code',
    async (what, path, lines, found) => {
      expect((await runRule({ skip: [what] }, [addedFile(path, lines)])).lines).toEqual(found);
    },
  );

  it('knows from the head of the file that the hunk began in a fence', async () => {
    const file = changedFile('a.md', { hunks: [hunkOf([' x', '+bad', ' ```'], { newStart: 2, oldStart: 2 })] });
    expect((await runRule({ skip: ['fences'] }, [file], '```\nx\nbad\n```')).lines).toEqual([]);
  });
});
