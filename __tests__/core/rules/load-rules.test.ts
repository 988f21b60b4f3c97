import { describe, expect, it } from 'vitest';
import { builtInRules } from '../../../src/core/rules/built-in-rules.ts';
import { loadRules } from '../../../src/core/rules/load-rules.ts';
import { MemoryRepository } from '../../fakes/memory-repository.ts';

function ruleText(id: string, more: readonly string[] = []): string {
  return [
    '---',
    `id: ${id}`,
    `title: Title of ${id}`,
    'severity: info',
    'category: style',
    ...more,
    '---',
    'Text.',
  ].join('\n');
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
    const base = {
      '.postil/rules/ours.md': ruleText('ours'),
      '.postil/rules/note.txt': 'x',
    };
    expect(await load(base, head)).toEqual({ count: 1, changed: ['Title of ours'], problems: [] });
  });

  it('names files that look like rules and are none, because of their folder or their ending', async () => {
    const base = { '.postil/rules/sub/x.md': 'x', '.postil/rules/Y.MD': 'x', '.postil/rules/z.markdown': 'x' };
    const why = 'rules are files directly in .postil/rules/ with names that end in .md, in small letters';
    expect((await load(base)).problems).toEqual(
      ['Y.MD', 'sub/x.md', 'z.markdown'].map((name) => `The rule .postil/rules/${name} is ignored: ${why}.`),
    );
    const many = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`.postil/rules/a/${index}.md`, 'x']));
    expect((await load(many)).problems.at(-1)).toBe('So are 3 others below .postil/rules/ that are misplaced.');
  });

  it('lets a rule of the repository replace the built-in one', async () => {
    expect(await load({ '.postil/rules/a.md': ruleText('focused-test') })).toEqual({
      count: 0,
      changed: ['Title of focused-test'],
      problems: [],
    });
  });

  it('lets the repository switch a built-in rule off', async () => {
    const base = { '.postil/rules/off.md': '---\nid: raw-html\nenabled: false\n---\n' };
    expect(await load(base)).toEqual({ count: -1, changed: [], problems: [] });
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
