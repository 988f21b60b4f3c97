/** Prints the notes of a release, from CHANGELOG.md. `node scripts/release-notes.ts v1.2.3` */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const read = (path: string) => readFileSync(join(root, path), 'utf8');
  const { version, homepage } = JSON.parse(read('package.json'));
  const notes = releaseNotes({ tag: process.argv[2] ?? '', version, homepage, changelog: read('CHANGELOG.md') });
  if (notes.ok) process.stdout.write(notes.text);
  else console.log(`::error::${notes.problem}`);
  process.exitCode = notes.ok ? 0 : 1;
}

type Release = {
  /** As git has it, such as `v1.2.3`. */
  readonly tag: string;
  /** Of package.json, as `homepage` is. */
  readonly version: string;
  readonly homepage: string;
  readonly changelog: string;
};

type Notes = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: string };

/** The section of the version, whose heading is `## 1.2.3` with a date behind it. Links lead to the files as they are at the tag. */
export function releaseNotes({ tag, version, homepage, changelog }: Release): Notes {
  if (tag !== `v${version}`) return refused(`The tag is ${tag || 'missing'}, the version of package.json ${version}.`);
  const sections = changelog.replaceAll('\r\n', '\n').split(/^## /m).slice(1);
  const headed = sections.filter((section) => section.split(/\s/, 1)[0] === version);
  const [section = ''] = headed;
  if (headed.length !== 1) return refused(`CHANGELOG.md has ${headed.length} sections for ${version}.`);
  if (!/^\S+ - \d{4}-\d\d-\d\d\n/.test(section))
    return refused(`The heading of ${version} in CHANGELOG.md has no date.`);
  const text = section.slice(section.indexOf('\n')).trim();
  if (text === '') return refused(`CHANGELOG.md says nothing about ${version}.`);
  const files = `${homepage.replace(/#.*$/, '')}/blob/${tag}/`;
  return { ok: true, text: `${text.replaceAll(/\]\((?!https?:|#)/g, `](${files}`)}\n` };
}

function refused(problem: string): Notes {
  return { ok: false, problem };
}
