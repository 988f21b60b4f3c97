import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

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
  const docs = namesIn('docs/').filter(
    (path) => /\.(?:md|yml)$/.test(path) && !/decisions\/|origins|architecture/.test(path),
  );
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
  const lines = read(path).split('\n');
  return lines.map((text, index) => ({ place: `${path}:${index + 1}`, text }));
}

function read(path: string): string {
  return readFileSync(new URL(path, root), 'utf8');
}

function namesIn(folder: string): readonly string[] {
  const names = readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' });
  return names.map((name) => `${folder}${name}`);
}
