import { describe, expect, it } from 'vitest';
import { brokenFiles } from '../../../src/core/rules/broken-files.ts';
import { addedFile, changedFile } from '../../fakes/changed-files.ts';
import { MemoryRepository } from '../../fakes/memory-repository.ts';

const config = '.postil/config.yml';
const rule = '.postil/rules/no-print.md';
const front = ['---', 'id: no-print', 'title: Printing', 'severity: info', 'category: style'];

async function broken(path: string, head: string, base?: string) {
  let count = 0;
  const repository = new MemoryRepository({ [path]: head }, { base: base === undefined ? {} : { [path]: base } });
  const files = [base === undefined ? addedFile(path, head.split('\n')) : changedFile(path, { status: 'modified' })];
  const findings = await brokenFiles({ repository, files, config, nextId: () => `f${++count}`, hide: (text) => text });
  return findings.map(({ anchor, review, severity }) => {
    const place = anchor.kind === 'lines' ? `${anchor.startLine} ${anchor.quote}` : '';
    return `${severity} ${place}: ${review.slice(0, review.lastIndexOf('. '))}`;
  });
}

describe('a config file that a change breaks', () => {
  it.each([
    [
      'an unknown key',
      'profile: quick\nmax-coments: 3\n',
      "2 max-coments: 3: After merging, every run fails: 'max-coments' is not a setting; did you mean 'max-comments'?",
    ],
    [
      'a value that is not allowed',
      '# ours\nprofile: fast\n',
      '2 profile: fast: After merging, every run fails: \'profile\' is "fast"; allowed: ',
    ],
    [
      'a setting that no file may set',
      'base-url: https://evil.example\n',
      "1 base-url: https://evil.example: After merging, every run fails: 'base-url' may be set by an input",
    ],
    [
      'a glob without quotes',
      'max-comments: 3\nexclude:\n  - *.lock\n',
      '3   - *.lock: After merging, every run fails: Unresolved alias *.lock',
    ],
    [
      'a quote that is never closed',
      'profile: "quick\nmax-comments: 3\nmin-severity: info\n',
      '1 profile: "quick: After merging, every run fails: Missing closing "quote',
    ],
    ['no mapping', '- one\n', '1 - one: After merging, every run fails: It must be a mapping of settings'],
  ])('by %s is a finding on its line', async (_, head, expected) => {
    const [first = '', ...more] = await broken(config, head);
    expect([first.slice(0, 'critical '.length + expected.length), more]).toEqual([`critical ${expected}`, []]);
  });

  it('is none for what is allowed, and for what was broken before', async () => {
    expect([
      await broken(config, 'max-comments: 3\nexclude: ["*.lock"]\n'),
      await broken(config, 'max-coments: 3\nprofile: quick\n', 'max-coments: 3\n'),
    ]).toEqual([[], []]);
  });

  it('is none in another file of that form', async () => {
    expect(await broken('other/config.yml', 'max-coments: 3\n')).toEqual([]);
  });
});

describe('a rule that a change breaks', () => {
  it('with three faults names three, each on its line', async () => {
    const text = [...front, 'severty: info', 'languages: [pyton]', "pattern: '(?=x)'", '---', 'Text.'].join('\n');
    expect(await broken(rule, text)).toEqual([
      'warning 6 severty: info: After merging, every run warns of this rule: unknown key "severty"; did you mean severity?',
      'warning 7 languages: [pyton]: After merging, every run warns of this rule: unknown language "pyton"; did you mean python?',
      "warning 8 pattern: '(?=x)': After merging, every run warns of this rule: its pattern is not RE2 syntax: error parsing regexp: invalid or unsupported Perl syntax: `(?=`",
    ]);
  });

  it('by YAML that cannot be read is found in the line of the file', async () => {
    const [first] = await broken(rule, ['---', 'id: no-print', 'title: Never: print', '---', ''].join('\n'));
    expect(first).toMatch(/^warning 3 title: Never: print: After merging, .*Nested mappings are not allowed/);
  });

  it('by an example that does not hold is found at the example', async () => {
    const text = [...front, "pattern: 'print\\('", '---', 'Text.', '', '## Bad', '', '```', 'write(x)', '```', ''];
    expect(await broken(rule, text.join('\n'))).toEqual([
      'warning 13 write(x): After merging, every run warns of this rule: the pattern misses the bad example "write(x)"',
    ]);
  });

  it('is none when its examples hold, and when it switches another off', async () => {
    const text = [...front, "pattern: 'print\\('", '---', 'Text.', '', '## Bad', '', '```', 'print(x)', '```', ''];
    expect([
      await broken(rule, text.join('\n')),
      await broken(rule, '---\nid: dynamic-code\nenabled: false\n---\n'),
    ]).toEqual([[], []]);
  });
});
