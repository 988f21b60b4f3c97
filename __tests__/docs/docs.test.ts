import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { actionInputs } from '../../scripts/action-inputs.ts';
import { flagNames } from '../../src/cli/command.ts';
import { decliningWords } from '../../src/core/history/declines.ts';
import { checkExamples } from '../../src/core/rules/load-rules.ts';
import { parseRule, ruleFields } from '../../src/core/rules/parse-rule.ts';
import { definitions } from '../../src/core/settings/definitions.ts';
import { severityDefinitions } from '../../src/core/settings/setting.ts';
import { eventPolicy } from '../../src/run/event-policy.ts';

const root = new URL('../../', import.meta.url);
const exists = (path: string, from = root) => existsSync(new URL(path, from));
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const rowsOf = (page: string) =>
  read(page)
    .split('\n')
    .filter((line) => /^\| (?!---)/.test(line));
const capturesOf = (pattern: RegExp, text: string) => [...text.matchAll(pattern)].map(([, captured = '']) => captured);

/** Of `src` and `eval`. */
const code = ['src/', 'eval/'].flatMap((folder) => namesIn(folder, /\.ts$/));

function namesIn(folder: string, ends: RegExp): readonly string[] {
  const names = readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' });
  return names.filter((name) => ends.test(name)).map((name) => `${folder}${name.replaceAll('\\', '/')}`);
}

function marked(mark: 'limit' | 'locked'): readonly string[] {
  return Object.entries(definitions)
    .flatMap(([name, definition]) => (mark in definition ? [name] : []))
    .sort();
}

it('every path in the table of origins exists, and every feature has a proof', () => {
  const short = new Map([
    ['s/', '__tests__/scenarios/'],
    ['c/', '__tests__/core/'],
    ['a/', '__tests__/adapters/'],
  ]);
  const rows = rowsOf('docs/origins.md').filter((row) => !row.startsWith('| feature'));
  const paths = rows.flatMap((row) => capturesOf(/`([\w@.-]+\/[\w@./-]*)`/g, row));
  const whole = paths.map((path) => path.replace(/^[sca]\//, (start) => short.get(start) ?? start));
  expect(whole.filter((path) => !exists(path))).toEqual([]);
  expect(rows.filter((row) => !/\.test\.ts`|`npm run bench /.test(row))).toEqual([]);
  expect(rows.length).toBeGreaterThan(40);
});

it.each(['docs/architecture.md', 'AGENTS.md', 'CONTRIBUTING.md'])('every path that %s names exists', (page) => {
  const named = capturesOf(/`([\w@.-]*(?:\/[\w@.-]*)+|[\w-]+\.(?:ts|js|json|yml|md))`/g, read(page));
  const missing = named.filter((path) => !['', 'src/', 'docs/'].some((from) => exists(from + path)));
  expect([named.length > 10, missing]).toEqual([true, []]);
});

it('messages name a page of the docs by `pageName` and the like, and the page exists', () => {
  const sources = code.map((path) => read(path).replaceAll(/^ *(?:\/?\*|\/\/).*$/gm, ''));
  const addressed = sources.flatMap((text) => capturesOf(/\bpage(?:Name|Link|Address)\('([\w-]+\.md)/g, text));
  expect(sources.flatMap((text) => capturesOf(/\b(docs\/[\w-]+\.md)/g, text))).toEqual([]);
  expect([addressed.length > 5, addressed.filter((page) => !exists(`docs/${page}`))]).toEqual([true, []]);
});

it('docs/reviews.md says of severities what models read', () => {
  const rows = [...read('docs/reviews.md').matchAll(/^\| (critical|warning|info|nitpick) \| (.+) \|$/gm)];
  expect(rows.map(([, name, meaning]) => `${name} = ${meaning}.`).join(' ')).toBe(severityDefinitions);
});

it('docs/reviews.md lists the words that decline a finding', () => {
  const rows = [...read('docs/reviews.md').matchAll(/^\| ([A-Z][a-z]+) \| (.+) \|$/gm)];
  const listed = rows.map(([, language, words = '']) => [language, words.split(', ')]);
  expect(Object.fromEntries(listed)).toEqual(decliningWords);
});

it('docs/architecture.md has a row for every room of core', () => {
  const rooms = readdirSync(new URL('src/core/', root), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const page = read('docs/architecture.md');
  expect(rooms.map(({ name }) => name).filter((name) => !page.includes(`| \`core/${name}/\` | `))).toEqual([]);
});

it('the README counts the rules and the defences that there are', () => {
  const rules = readdirSync(new URL('rules/', root)).length;
  const defences = rowsOf('docs/threat-model.md').filter((line) => /^\| (?!defence).+ \| .+ \| .+ \|$/.test(line));
  const counted = new RegExp(`the ${rules} \\[pattern rules\\][^]*lists ${defences.length} defences`);
  expect(read('README.md')).toMatch(counted);
  expect(read('docs/features.md')).toContain(`${rules} [pattern rules]`);
});

it('the table of features sets inputs that exist', () => {
  const names = Object.keys(actionInputs());
  const settings = rowsOf('docs/features.md').map((row) => row.split(' | ').at(-1) ?? '');
  const set = settings.flatMap((cell) => capturesOf(/`([a-z-]+):[ [][^`]*`/g, cell));
  expect([set.length > 15, set.filter((name) => !names.includes(name))]).toEqual([true, []]);
});

it.each([
  ['docs/configuration.md', 'may only lower', /lower these limits[^:]*:([^.]*)\./g, marked('limit')],
  ['docs/costs.md', 'may only lower', /lower these limits[^:]*:([^.]*)\./g, marked('limit')],
  ['docs/configuration.md', 'may not set', /cannot set ([^.]*)\./g, marked('locked')],
] as const)('%s lists what a config file %s', (page, _what, sentence, names) => {
  const [listed = ''] = capturesOf(sentence, read(page));
  expect(capturesOf(/`([a-z-]+)`/g, listed).sort()).toEqual(names);
});

it('docs/inputs.md lists the inputs that are no flags', () => {
  const [listed = ''] = capturesOf(/^No flags[^:]*:([^.]*)\./gm, read('docs/inputs.md'));
  const flags: readonly string[] = flagNames;
  const others = Object.keys(actionInputs()).filter((name) => !flags.includes(name));
  expect(capturesOf(/`([a-z-]+)`/g, listed).sort()).toEqual(others.sort());
});

it('the rules that docs/rules.md shows are rules, and their examples hold', () => {
  const path = 'docs/rules.md';
  const texts = capturesOf(/^````markdown\n(---\n[\s\S]*?)\n````$/gm, read(path));
  const rules = texts.map((text) => parseRule({ path, text, origin: 'repository' }));
  expect(rules.map((parsed) => (parsed.ok ? checkExamples(parsed.rule) : parsed.problem))).toEqual([[], [], []]);
});

it('docs/rules.md has every field of a rule in its table', () => {
  const table = rowsOf('docs/rules.md').join('\n');
  expect(ruleFields.filter((field) => !table.includes(`| \`${field}\``))).toEqual([]);
});

it('each defence of the threat model names files and tests that exist', () => {
  const rows = rowsOf('docs/threat-model.md')
    .filter((line) => line.split(' | ').length === 3 && !line.startsWith('| defence '))
    .map((line) => line.split(' | ').map((cell) => capturesOf(/`([^`]+\.ts)`/g, cell)));
  const wrong = rows.flatMap(([, files = [], tests = []]) => [
    ...files.filter((path) => !['', 'src/core/'].some((from) => exists(from + path))),
    ...tests.filter((path) => !exists(`__tests__/${path}`)),
  ]);
  expect(wrong).toEqual([]);
  // What the instructions of a prompt come to cannot be proved.
  expect(rows.filter(([, files = [], tests = []]) => files.length === 0 || tests.length === 0)).toHaveLength(1);
  expect(rows.length).toBeGreaterThan(80);
});

it('advice to turn on debug logging says who reads the log', () => {
  const pages = ['README.md', ...namesIn('docs/', /\.md$/).filter((page) => !page.includes('decisions/'))];
  const paragraphs = pages.flatMap((page) =>
    read(page)
      .replace(/(?<!\n)\n(?!\n)/g, ' ')
      .split('\n'),
  );
  const advice = paragraphs.filter((text) => /(?:enable|turn on|with) debug logging/i.test(text));
  expect([advice.length, advice.filter((text) => !/logs? of a public repository/i.test(text))]).toEqual([1, []]);
});

it.each(['docs/forks.md', 'docs/examples/forks.yml', 'docs/security.md'])(
  '%s says from when GitHub blocks the event of forks.yml, and where GitHub says so',
  (page) => {
    const text = read(page).replaceAll(/\n[# ]*/g, ' ');
    const dates = capturesOf(/(\d{1,2} [A-Z][a-z]+ 20\d\d)/g, text);
    const links = capturesOf(/(https:\/\/docs\.github\.com\/[\w/-]+control[\w-]+)/g, text);
    expect([dates, links]).toEqual([[eventPolicy.from], [eventPolicy.link]]);
  },
);

it('each link of a page to a file of the repository leads somewhere', () => {
  const pages = ['README.md', 'SECURITY.md', 'CHANGELOG.md', 'CONTRIBUTING.md', ...namesIn('docs/', /\.md$/)];
  const broken = pages.flatMap((page) => {
    const links = capturesOf(/\]\((?!https?:|#)([^)#\s]+)/g, read(page));
    return links.filter((to) => !exists(to, new URL(page, root))).map((to) => `${page}: ${to}`);
  });
  expect(broken).toEqual([]);
});

describe('words', () => {
  /** What plain English says otherwise, and what to write instead. */
  const banned: readonly (readonly [RegExp, string])[] = [
    [/\bmend(?:s|ed|ing)?\b/i, 'fix'],
    [/\b(?:a|per|one) bundle\b/i, 'batch; a bundle is what the build writes'],
    [/\bone (?:\w+ )?a (?:line|bundle|batch|run|pull request)\b/i, 'one per …'],
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
  /** Words of the code that no user reads. */
  const forUsers: typeof banned = [
    [/\bledger\b/i, 'delivery'],
    [/\bspelt\b/i, 'spelled, named'],
  ];

  /** Decisions and origins are history, in the words of their day. */
  const docs = namesIn('docs/', /\.(?:md|yml)$/).filter((path) => !/decisions\/|origins/.test(path));
  const top = ['README.md', 'CONTRIBUTING.md', 'AGENTS.md', 'SECURITY.md', 'CHANGELOG.md', 'action.yml'];
  const github = '.github/pull_request_template.md';

  it.each([...top, github, 'demo/README.md', ...docs])('%s is in plain English', (path) => {
    expect(problemsOf(linesOf(path), [...banned, ...forUsers])).toEqual([]);
  });

  it('strings and comments of the source are in plain English', () => {
    const lines = code.filter((path) => !path.includes('built-in-rules')).flatMap(linesOf);
    expect([lines.length > 5_000, problemsOf(lines, banned)]).toEqual([true, []]);
  });

  it('names of tests are in plain English', () => {
    const lines = namesIn('__tests__/', /\.test\.ts$/).flatMap(linesOf);
    const names = lines.filter(({ text }) => /^\s*(?:it|describe|\]).*\(['`]/.test(text));
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

  function linesOf(path: string): readonly Text[] {
    const lines = read(path).split('\n');
    return lines.map((text, index) => ({ place: `${path}:${index + 1}`, text }));
  }
});
