import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const docs = new URL('docs/', root);
const exists = (path: string, from = root) => existsSync(new URL(path, from));

it('each defence of the threat model names files and tests that exist', () => {
  const rows = readFileSync(new URL('threat-model.md', docs), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| ') && line.split(' | ').length === 3 && !/^\| (?:defence|---) /.test(line))
    .map((line) => line.split(' | ').map((cell) => [...cell.matchAll(/`([^`]+\.ts)`/g)].map(([, path]) => path ?? '')));
  const wrong = rows.flatMap(([, files = [], tests = []]) => [
    ...files.filter((path) => !exists(path.startsWith('src/') ? path : `src/core/${path}`)),
    ...tests.filter((path) => !exists(`__tests__/${path}`)),
  ]);
  expect(wrong).toEqual([]);
  // What the instructions of a prompt come to cannot be proved.
  expect(rows.filter(([, files = [], tests = []]) => files.length === 0 || tests.length === 0)).toHaveLength(2);
  expect(rows.length).toBeGreaterThan(80);
});

it('whoever is advised to turn on debug logging is told who reads it', () => {
  const paragraphs = readFileSync(new URL('README.md', root), 'utf8').replaceAll('\n', ' ').split(/ {2,}/);
  const advice = paragraphs.filter((text) => /debug logging/.test(text));
  expect(advice.map((text) => text.includes('the logs of a public repository are public'))).toEqual([true]);
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
