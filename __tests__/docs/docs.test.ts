import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { actionInputs } from '../../scripts/action-inputs.ts';
import { checkExamples } from '../../src/core/rules/load-rules.ts';
import { parseRule, ruleFields } from '../../src/core/rules/parse-rule.ts';
import { severityDefinitions } from '../../src/core/settings/setting.ts';

const root = new URL('../../', import.meta.url);
const short: Readonly<Record<string, string>> = {
  's/': '__tests__/scenarios/',
  'c/': '__tests__/core/',
  'a/': '__tests__/adapters/',
};

it('every path in the table of origins exists, and every feature has a proof', () => {
  const rows = readFileSync(new URL('docs/origins.md', root), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| feature'));
  const paths = rows.flatMap((row) => [...row.matchAll(/`([\w@.-]+\/[\w@./-]*)`/g)].map(([, path]) => path ?? ''));
  const whole = paths.map((path) => path.replace(/^[sca]\//, (start) => short[start] ?? start));
  expect(whole.filter((path) => !existsSync(new URL(path, root)))).toEqual([]);
  expect(rows.filter((row) => !/\.test\.ts`|`npm run bench /.test(row))).toEqual([]);
  expect(rows.length).toBeGreaterThan(40);
});

it.each(['docs/architecture.md', 'AGENTS.md', 'CONTRIBUTING.md'])('every path that %s names exists', (page) => {
  const named = [...read(page).matchAll(/`([\w@.-]*(?:\/[\w@.-]*)+|[\w-]+\.(?:ts|js|json|yml|md))`/g)].map(
    ([, path]) => path ?? '',
  );
  const missing = named.filter((path) => !['', 'src/', 'docs/'].some((from) => existsSync(new URL(from + path, root))));
  expect([named.length > 10, missing]).toEqual([true, []]);
});

it('docs/reviews.md says of severities what models read', () => {
  const rows = [...read('docs/reviews.md').matchAll(/^\| (critical|warning|info|nitpick) \| (.+) \|$/gm)];
  expect(rows.map(([, name, meaning]) => `${name} = ${meaning}.`).join(' ')).toBe(severityDefinitions);
});

it('docs/architecture.md has a row for every room of core', () => {
  const rooms = readdirSync(new URL('src/core/', root), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const page = read('docs/architecture.md');
  expect(rooms.map(({ name }) => name).filter((name) => !page.includes(`| \`core/${name}/\` | `))).toEqual([]);
});

it('the README counts the rules and the defences that there are', () => {
  const rules = readdirSync(new URL('rules/', root)).length;
  const rows = read('docs/threat-model.md').split('\n');
  const defences = rows.filter((line) => /^\| (?!defence|---).+ \| .+ \| .+ \|$/.test(line)).length;
  expect(read('README.md')).toMatch(new RegExp(`the ${rules} \\[pattern rules\\][^]*lists ${defences} defences`));
  expect(read('docs/features.md')).toContain(`${rules} [pattern rules]`);
});

it('the table of features sets inputs that exist', () => {
  const names = Object.keys(actionInputs());
  const rows = readFileSync(new URL('docs/features.md', root), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| '));
  const set = rows.flatMap((row) =>
    [...(row.split(' | ').at(-1) ?? '').matchAll(/`([a-z-]+):[ [][^`]*`/g)].map(([, name]) => name ?? ''),
  );
  expect([set.length > 15, set.filter((name) => !names.includes(name))]).toEqual([true, []]);
});

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');

/** The rule files that a page shows. */
function rulesIn(path: string) {
  const blocks = [...read(path).matchAll(/^````markdown\n(---\n[\s\S]*?)\n````$/gm)].map((block) => block[1] ?? '');
  return blocks.map((text) => parseRule({ path, text, origin: 'repository' }));
}

describe('the rules that docs/rules.md shows', () => {
  it('are rules, and their examples hold', () => {
    const rules = rulesIn('docs/rules.md');
    expect(rules.map((parsed) => (parsed.ok ? checkExamples(parsed.rule) : parsed.problem))).toEqual([[], [], []]);
  });

  it('come with every field there is', () => {
    const table = read('docs/rules.md')
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .join('\n');
    expect(ruleFields.filter((field) => !table.includes(`\`${field}\``))).toEqual([]);
  });
});

describe('threat model', () => {
  const root = new URL('../../', import.meta.url);
  const docs = new URL('docs/', root);
  const exists = (path: string, from = root) => existsSync(new URL(path, from));

  it('each defence of the threat model names files and tests that exist', () => {
    const rows = readFileSync(new URL('threat-model.md', docs), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('| ') && line.split(' | ').length === 3 && !/^\| (?:defence|---) /.test(line))
      .map((line) =>
        line.split(' | ').map((cell) => [...cell.matchAll(/`([^`]+\.ts)`/g)].map(([, path]) => path ?? '')),
      );
    const wrong = rows.flatMap(([, files = [], tests = []]) => [
      ...files.filter((path) => !exists(path.startsWith('src/') ? path : `src/core/${path}`)),
      ...tests.filter((path) => !exists(`__tests__/${path}`)),
    ]);
    expect(wrong).toEqual([]);
    // What the instructions of a prompt come to cannot be proved.
    expect(rows.filter(([, files = [], tests = []]) => files.length === 0 || tests.length === 0)).toHaveLength(2);
    expect(rows.length).toBeGreaterThan(80);
  });

  it('advice to turn on debug logging says who reads the log', () => {
    const pages = ['README.md', ...markdownIn('docs/').filter((page) => !page.includes('decisions/'))];
    const paragraphs = pages.flatMap((page) =>
      readFileSync(new URL(page, root), 'utf8')
        .replace(/(?<!\n)\n(?!\n)/g, ' ')
        .split('\n'),
    );
    const advice = paragraphs.filter((text) => /(?:enable|turn on|with) debug logging/i.test(text));
    expect([advice.length, advice.filter((text) => !/logs? of a public repository/i.test(text))]).toEqual([1, []]);
  });

  it('each link of a page to a file of the repository leads somewhere', () => {
    const pages = ['README.md', 'SECURITY.md', 'CHANGELOG.md', 'CONTRIBUTING.md', ...markdownIn('docs/')];
    const broken = pages.flatMap((page) => {
      const links = [...readFileSync(new URL(page, root), 'utf8').matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)];
      return links.flatMap(([, to = '']) => (exists(to, new URL(page, root)) ? [] : [`${page}: ${to}`]));
    });
    expect(broken).toEqual([]);
  });

  function markdownIn(folder: string): readonly string[] {
    const names = readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' });
    return names.filter((name) => name.endsWith('.md')).map((name) => `${folder}${name}`);
  }
});

describe('words', () => {
  const root = new URL('../../', import.meta.url);

  /** What plain English says otherwise, and what to write instead. */
  const banned: readonly (readonly [RegExp, string])[] = [
    [/\bmend(?:s|ed|ing)?\b/i, 'fix'],
    [/\b(?:a|per|one) bundle\b/i, 'batch; a bundle is what the build writes'],
    [/\bone (?:\w+ )?a (?:line|bundle|batch|run)\b/i, 'one per …'],
    [/\ba sentence each\b/i, 'one sentence each'],
    [/US\$ (?:for )?a million\b/i, 'US$ per million'],
    [/\b(?:is|are|was|were) (?:not )?told\b/i, 'say who does it: "the log shows", "Postil warns"'],
    [/\bof the inputs does not fit\b/i, 'contradict'],
    [/\bmisspelt\b/i, 'misspelled'],
    [/\blearnt\b/i, 'learned, read, found out'],
    [/\bunless told\b/i, 'by default'],
    [/\bturn(?:s|ed)? down\b/i, 'decline'],
    [/\bteam's words\b|\bteam told\b/i, 'guidance'],
    [/\bby now\b/i, 'now'],
    [/\ball the same\b/i, 'anyway'],
    [/\bbears? (?:it )?out\b/i, 'support'],
    [/\bmeans nothing to\b/i, 'has no …, does not take …'],
    [/\b(?:once|twice) a (?:run|push|login|batch)\b/i, 'once per …'],
  ];
  /** A word of the code that no user reads. */
  const forUsers: typeof banned = [[/\bledger\b/i, 'delivery']];

  it.each(pagesOfUsers())('%s is in plain English', (path) => {
    expect(problemsOf(linesOf(path), [...banned, ...forUsers])).toEqual([]);
  });

  it('strings and comments of the source are in plain English', () => {
    const files = namesIn('src/').filter((path) => path.endsWith('.ts') && !path.endsWith('built-in-rules.ts'));
    const lines = files.flatMap(linesOf);
    expect([lines.length > 5_000, problemsOf(lines, banned)]).toEqual([true, []]);
  });

  it('names of tests are in plain English', () => {
    const files = namesIn('__tests__/').filter((path) => path.endsWith('.test.ts'));
    const names = files.flatMap(linesOf).filter(({ text }) => /^\s*(?:it|describe|\]).*\(['`]/.test(text));
    expect([names.length > 1_000, problemsOf(names, banned)]).toEqual([true, []]);
  });

  type Text = { readonly place: string; readonly text: string };

  function problemsOf(texts: readonly Text[], words: typeof banned): readonly string[] {
    return texts.flatMap(({ place, text }) =>
      words.flatMap(([word, instead]) => {
        const found = word.exec(text)?.[0];
        return found === undefined ? [] : [`${place}: "${found}" (${instead})`];
      }),
    );
  }

  /** Decisions and origins are history, in the words of their day. */
  function pagesOfUsers(): readonly string[] {
    const docs = namesIn('docs/').filter((path) => /\.(?:md|yml)$/.test(path) && !/decisions\/|origins/.test(path));
    return [
      'README.md',
      'CONTRIBUTING.md',
      'AGENTS.md',
      'SECURITY.md',
      'CHANGELOG.md',
      'action.yml',
      'demo/README.md',
      ...docs,
    ];
  }

  function linesOf(path: string): readonly Text[] {
    const lines = textOf(path).split('\n');
    return lines.map((text, index) => ({ place: `${path}:${index + 1}`, text }));
  }

  function textOf(path: string): string {
    return readFileSync(new URL(path, root), 'utf8');
  }

  function namesIn(folder: string): readonly string[] {
    const names = readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' });
    return names.map((name) => `${folder}${name}`);
  }
});
