import { describe, expect, it } from 'vitest';
import { contentOfBytes } from '../../../src/core/repository/file-content.ts';
import type { FileContent } from '../../../src/core/repository/repository.ts';
import { brokenFiles } from '../../../src/core/rules/broken-files.ts';
import { builtInRules } from '../../../src/core/rules/built-in-rules.ts';
import { loadRules } from '../../../src/core/rules/load-rules.ts';
import { readConfigFiles } from '../../../src/core/settings/config-file.ts';
import { addedFile, changedFile, MemoryRepository } from '../../fakes/memory-repository.ts';

function ruleText(id: string, more: readonly string[] = []): string {
  return ['---', `id: ${id}`, `title: Title of ${id}`, 'severity: info', 'category: style', ...more, '---'].join('\n');
}

async function load(base: { readonly [path: string]: string }, head = {}) {
  const { rules, problems } = await loadRules(new MemoryRepository(head, { base }));
  const changed = rules.filter((rule) => rule.origin === 'repository').map((rule) => rule.title);
  return { count: rules.length - builtInRules.length, changed, problems };
}

describe('loadRules', () => {
  it('gives the built-in rules when the repository has none', async () => {
    expect(await load({ 'README.md': '' })).toEqual({ count: 0, changed: [], problems: [] });
  });

  it('adds the rules of the base commit, and none that the pull request brings', async () => {
    const head = { '.postil/rules/evil.md': ruleText('evil') };
    const base = { '.postil/rules/ours.md': ruleText('ours'), '.postil/rules/note.txt': 'x' };
    expect(await load(base, head)).toEqual({ count: 1, changed: ['Title of ours'], problems: [] });
  });

  it('names files that look like rules and are none', async () => {
    const base = { '.postil/rules/sub/x.md': 'x', '.postil/rules/Y.MD': 'x', '.postil/rules/z.markdown': 'x' };
    const why = 'rules are files directly in .postil/rules/ with names that end in .md, in lower case';
    expect((await load(base)).problems).toEqual(
      ['Y.MD', 'sub/x.md', 'z.markdown'].map((name) => `The rule .postil/rules/${name} is ignored: ${why}.`),
    );
    const many = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`.postil/rules/a/${index}.md`, 'x']));
    expect((await load(many)).problems.at(-1)).toBe('3 more misplaced rules are ignored.');
  });

  it('names them beside a shared config file too', async () => {
    const path = '.postil/shared/rules/sub/x.md';
    expect((await load({ [path]: 'x', '.postil/shared/docs/y.md': 'y' })).problems).toEqual([
      `The rule ${path} is ignored: rules are files directly in .postil/shared/rules/ with names that end in .md, in lower case.`,
    ]);
  });

  it('lets a rule of the repository replace a built-in one, or switch it off', async () => {
    const off = '---\nid: raw-html\nenabled: false\n---\n';
    const base = { '.postil/rules/a.md': ruleText('focused-test'), '.postil/rules/off.md': off };
    expect(await load(base)).toEqual({ count: -1, changed: ['Title of focused-test'], problems: [] });
  });

  it.each([
    ['no front matter', 'The rule .postil/rules/a.md is ignored: it has no front matter between two --- lines.'],
    ['---\nid: nope\nenabled: false\n---\n', 'The rule .postil/rules/a.md switches off nope, which does not exist.'],
  ])('goes on without a rule that says %j', async (text, problem) => {
    expect(await load({ '.postil/rules/a.md': text })).toEqual({ count: 0, changed: [], problems: [problem] });
  });

  it('says when examples speak against the pattern, or two rules share an id', async () => {
    const base = {
      '.postil/rules/a.md': ruleText('same'),
      '.postil/rules/b.md': `${ruleText('same', ['pattern: print'])}\n\n## Bad\n\n\`\`\`\nlog()\n\`\`\`\n`,
    };
    expect((await load(base)).problems).toEqual([
      'Two rules have the id same; .postil/rules/b.md is used.',
      'In the rule .postil/rules/b.md the pattern misses the bad example "log()".',
    ]);
  });
});

const config = '.postil/config.yml';
const rule = '.postil/rules/no-print.md';
const front = ['---', 'id: no-print', 'title: Printing', 'severity: info', 'category: style'];
const warns = 'After merging, every run warns of this rule:';

type Content = string | FileContent;

async function findingsOf(path: string, head: Content, base?: Content) {
  let count = 0;
  const repository = new MemoryRepository({ [path]: head }, { base: base === undefined ? {} : { [path]: base } });
  const added = addedFile(path, typeof head === 'string' ? head.split('\n') : []);
  const files = [base === undefined ? added : changedFile(path, { status: 'modified' })];
  return brokenFiles({ repository, files, config, nextId: () => `f${++count}`, hide: (text) => text });
}

async function broken(path: string, head: Content, base?: Content) {
  return (await findingsOf(path, head, base)).map(({ anchor, review, severity }) => {
    const place = anchor.kind === 'lines' ? `${anchor.startLine} ${anchor.quote}` : 'the file';
    return `${severity} ${place}: ${review.slice(0, review.lastIndexOf('. '))}`;
  });
}

describe('a config file that a change breaks', () => {
  const unknown = 'profile: quick\nmax-coments: 3\n';

  it.each([
    ['an unknown key', unknown, "2 max-coments: 3: 'max-coments' is not a setting; did you mean 'max-comments'?"],
    ['a value that is not allowed', '# ours\nprofile: fast\n', '2 profile: fast: \'profile\' is "fast"; allowed: '],
    ['a setting that no file may set', 'base-url: x\n', "1 base-url: x: 'base-url' may be set by an input"],
    ['no mapping', '- one\n', '1 - one: It must be a mapping of settings'],
  ])('by %s is a finding on its line', async (_, head, expected) => {
    const [first = '', ...more] = await broken(config, head);
    const told = first.replace('After merging, every run fails: ', '');
    expect([told.slice(0, 'critical '.length + expected.length), more]).toEqual([`critical ${expected}`, []]);
  });

  it('is none for what is allowed, and for what was broken before', async () => {
    expect([
      await broken(config, 'max-comments: 3\nexclude: ["*.lock"]\n'),
      await broken(config, 'max-coments: 3\nprofile: quick\n', 'max-coments: 3\n'),
    ]).toEqual([[], []]);
  });

  it.each([
    ['an alias', 'exclude:\n  - *.lock\n', 2, 5],
    ['an open quote', 'min-severity: info\nprofile: "quick\n', 2, 10],
    ['a reserved character', 'profile: @x\n', 1, 10],
    ['a key given twice', 'profile: quick\nprofile: deep\n', 2, 1],
  ])('by %s is reported with its line and column', async (_, head, line, column) => {
    const [first] = await findingsOf(config, head);
    expect(first?.evidence).toContain(`stopped at line ${line}, column ${column}.`);
  });

  it.each<[string, FileContent]>([
    ['a symbolic link', { kind: 'symlink', target: '../other.yml' }],
    ['binary', contentOfBytes(utf32('max-comments: 3\n'))],
    ['lfs-pointer', { kind: 'unreadable', reason: 'lfs-pointer', bytes: 130 }],
  ])('so that it cannot be read as text (%s) is a finding on the file, once', async (found, head) => {
    const expected = `critical the file: After merging, every run fails: It cannot be read as text (${found})`;
    expect([
      await broken(config, head),
      await broken(config, head, 'max-comments: 3\n'),
      await broken(config, head, head),
    ]).toEqual([[expected], [expected], []]);
  });

  it.each(['little', 'big'])(
    'by writing it as UTF-16, %s end first, is judged as what every later run reads',
    async (end) => {
      const written = (text: string) => contentOfBytes(utf16(text, end));
      const repository = new MemoryRepository({ [config]: written('max-comments: 3\n') });
      expect((await readConfigFiles(repository, config))[0]?.values).toEqual({ 'max-comments': 3 });
      expect([
        await broken(config, written('max-comments: 3\n'), 'max-comments: 3\n'),
        (await broken(config, written('max-coments: 3\n'), 'max-comments: 3\n')).map((text) => text.slice(0, 33)),
      ]).toEqual([[], ['critical 1 max-coments: 3: After ']]);
    },
  );

  it.each([
    ['its usual name', config, 0],
    ['a name that the workflow gives', 'postil.yml', 1],
  ])('by deleting it, or moving it away, is a finding when it has %s', async (_, path, count) => {
    const gone = changedFile(path, { status: 'deleted' });
    const moved = changedFile('elsewhere.yml', { oldPath: path, status: 'renamed' });
    const repository = new MemoryRepository({});
    const change = { repository, config: path, nextId: () => 'f1', hide: (text: string) => text };
    const found = await Promise.all([gone, moved].map((file) => brokenFiles({ ...change, files: [file] })));
    expect(found.map(({ length }) => length)).toEqual([count, count]);
  });

  it('is none in another file of that form', async () => {
    expect(await broken('other/config.yml', 'max-coments: 3\n')).toEqual([]);
  });
});

describe('a rule that a change breaks', () => {
  it('so that it is no text any more is a finding on the file', async () => {
    expect(await broken(rule, { kind: 'symlink', target: '../all.md' }, 'any')).toEqual([
      `warning the file: ${warns} It cannot be read as text (a symbolic link)`,
    ]);
  });

  it('with three faults names three, each on its line', async () => {
    const text = [...front, 'severty: info', 'languages: [pyton]', "pattern: '(?=x)'", '---', 'Text.'].join('\n');
    expect(await broken(rule, text)).toEqual([
      `warning 6 severty: info: ${warns} unknown key "severty"; did you mean severity?`,
      `warning 7 languages: [pyton]: ${warns} unknown language "pyton"; did you mean python?`,
      `warning 8 pattern: '(?=x)': ${warns} its pattern is not RE2 syntax: error parsing regexp: invalid or unsupported Perl syntax: \`(?=\``,
    ]);
  });

  it('by YAML that cannot be read is found in the line of the file', async () => {
    const [first] = await broken(rule, ['---', 'id: no-print', 'title: Never: print', '---', ''].join('\n'));
    expect(first).toMatch(/^warning 3 title: Never: print: After merging, .*Nested mappings are not allowed/);
  });

  it('by an example that does not hold is found at the example, and is none when it holds', async () => {
    const bad = ['## Bad', '', '```', 'write(x)', '```', ''];
    const text = [...front, "pattern: 'print\\('", '---', 'Text.', '', ...bad].join('\n');
    expect([await broken(rule, text), await broken(rule, text.replace('write', 'print'))]).toEqual([
      [`warning 13 write(x): ${warns} the pattern misses the bad example "write(x)"`],
      [],
    ]);
  });

  it('is none when it switches another off', async () => {
    expect(await broken(rule, '---\nid: dynamic-code\nenabled: false\n---\n')).toEqual([]);
  });
});

function utf16(text: string, end: string): Buffer {
  const bytes = Buffer.from(`\uFEFF${text}`, 'utf16le');
  return end === 'little' ? bytes : bytes.swap16();
}

function utf32(text: string): Buffer {
  return Buffer.concat([...text].map((character) => Buffer.from([character.charCodeAt(0), 0, 0, 0])));
}
