/** Prints the notes of a release, from CHANGELOG.md. `node scripts/release-notes.ts v1.2.3` */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { repositoryAddress } from '../src/core/addresses.ts';
import type { Release } from '../src/core/release.ts';
import { fullHash } from '../src/core/text.ts';
import { parseRelease } from './references.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const read = (path: string) => readFileSync(join(root, path), 'utf8');
  const { version, release } = JSON.parse(read('package.json'));
  const changelog = read('CHANGELOG.md');
  const notes = releaseNotes({ tag: process.argv[2] ?? '', version, release: parseRelease(release), changelog });
  if (notes.ok) process.stdout.write(notes.text);
  else console.log(`::error::${notes.problem}`);
  process.exitCode = notes.ok ? 0 : 1;
}

type Source = {
  /** As git has it, such as `v1.2.3`. */
  readonly tag: string;
  /** Of package.json, as `release` is. */
  readonly version: string;
  readonly release: Release;
  readonly changelog: string;
};

type Notes = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: string };

/** The section of the version, whose heading is `## 1.2.3` with a date behind it. Links lead to the files as they are at the tag. */
export function releaseNotes({ tag, version, release, changelog }: Source): Notes {
  if (tag !== `v${version}`) return refused(`The tag is ${tag || 'missing'}, the version of package.json ${version}.`);
  const address = repositoryAddress(release);
  if (address === null) return refused('`release` of package.json is not published: see docs/releasing.md.');
  const isOfTag = fullHash.test(release.ref) || [tag, tag.replace(/\..*/, '')].includes(release.ref);
  if (!isOfTag) return refused(`The tag is ${tag}, the ref of \`release\` in package.json ${release.ref}.`);
  const sections = changelog.replaceAll('\r\n', '\n').split(/^## /m).slice(1);
  const headed = sections.filter((section) => section.split(/\s/, 1)[0] === version);
  const [section = ''] = headed;
  if (headed.length !== 1) return refused(`CHANGELOG.md has ${headed.length} sections for ${version}.`);
  if (!/^\S+ - \d{4}-\d\d-\d\d\n/.test(section))
    return refused(`The heading of ${version} in CHANGELOG.md has no date.`);
  const text = section.slice(section.indexOf('\n')).trim();
  if (text === '') return refused(`CHANGELOG.md says nothing about ${version}.`);
  const files = `${address}/blob/${tag}/`;
  return { ok: true, text: `${text.replaceAll(/\]\((?!https?:|#)/g, `](${files}`)}\n` };
}

function refused(problem: string): Notes {
  return { ok: false, problem };
}
