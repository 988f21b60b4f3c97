/** Writes where Postil is released, from `release` of package.json, wherever a page, an example or a message names it. */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  actionReference,
  pageAddress,
  referenceComment,
  repositoryAddress,
  schemaAddress,
} from '../src/core/addresses.ts';
import { ownRelease, type Release } from '../src/core/release.ts';
import { fullHash } from '../src/core/text.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Pages and examples that name the action; decisions are history. */
export const pagesWithReferences: readonly string[] = [
  'README.md',
  ...globSync(['docs/*.md', 'docs/examples/*.yml'], { cwd: root }).map((path) => path.replaceAll('\\', '/')),
].sort();

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const manifest = readFileSync(join(root, 'package.json'), 'utf8');
  const release = parseRelease(JSON.parse(manifest).release);
  for (const page of pagesWithReferences)
    update(page, (text) => rewriteReferences(text, { from: ownRelease, to: release }));
  update('package.json', (text) => withAddresses(text, release));
  update('src/core/release.ts', () => renderRelease(release));
}

function update(name: string, change: (text: string) => string): void {
  const path = join(root, name);
  writeFileSync(path, change(readFileSync(path, 'utf8')));
}

/** @throws Error for a release that says it is published and names no repository, or the other way round */
export function parseRelease(value: unknown): Release {
  const field = (name: string): unknown => Reflect.get(Object(value), name);
  const text = (name: string) => String(field(name) ?? '');
  const release = { owner: text('owner'), repository: text('repository'), ref: text('ref') };
  const published = field('published') === true;
  const isName = /^[\w.-]+$/;
  const isRef = (ref: string) => fullHash.test(ref) || /^v\d[\w.-]*$/.test(ref);
  const isReal = isName.test(release.owner) && isRef(release.ref);
  const isPlaceholder = release.owner === '<owner>' && release.ref === '<commit>';
  if (isName.test(release.repository) && (published ? isReal : isPlaceholder)) return { ...release, published };
  throw new Error(
    published
      ? '`release` of package.json is published: it needs an owner, a repository, and a tag such as v1.2.3 or a full commit hash.'
      : '`release` of package.json is not published: its owner stays <owner> and its ref <commit>, which nobody can register.',
  );
}

/** The file of core that messages use. */
export function renderRelease({ owner, repository, ref, published }: Release): string {
  const quoted = (text: string) => `'${text}'`;
  return `// @generated from \`release\` of package.json by scripts/references.ts: change that, and run \`npm run docs\`.

/** Where Postil is released. While it is not published, owner and ref are placeholders that nobody can register. */
export type Release = {
  readonly owner: string;
  readonly repository: string;
  /** A tag or a full commit hash. */
  readonly ref: string;
  readonly published: boolean;
};

export const ownRelease: Release = {
  owner: ${quoted(owner)},
  repository: ${quoted(repository)},
  ref: ${quoted(ref)},
  published: ${published},
};
`;
}

/** package.json with the addresses that npm shows, behind its licence; without them while nothing is published. */
export function withAddresses(text: string, release: Release): string {
  const address = repositoryAddress(release);
  const { homepage: _homepage, bugs: _bugs, repository: _repository, ...manifest } = JSON.parse(text);
  const addresses =
    address === null
      ? {}
      : {
          homepage: `${address}#readme`,
          bugs: `${address}/issues`,
          repository: { type: 'git', url: `git+${address}.git` },
        };
  const entries = Object.entries(manifest).flatMap(([name, value]) =>
    name === 'license' ? [[name, value], ...Object.entries(addresses)] : [[name, value]],
  );
  return `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`;
}

/** The text of a page with what it says of one release said of another. What it says of others stays as it is. */
export function rewriteReferences(
  text: string,
  { from, to }: { readonly from: Release; readonly to: Release },
): string {
  return withPages(withSchema(withPins(text, { from, to }), { from, to }), { from, to });
}

type Change = { readonly from: Release; readonly to: Release };

/** The action in `uses:`, a checkout, a hook of pre-commit or a clone of a script: the repository, then its ref, which may have a comment. */
function withPins(text: string, { from, to }: Change): string {
  const [repository = '', ref = ''] = actionReference(from).split('@').map(literal);
  const pin = new RegExp(
    `(?<before>uses: |repository: |https://github\\.com/)${repository}(?<between>@|\\n *re[fv]: |"[^\\n]*\\n[^\\n]*?")${ref}` +
      `(?![\\w./-])(?<quote>"?)(?<comment> # ${literal(referenceComment(from))}$)?`,
    'gm',
  );
  const [newRepository, newRef] = actionReference(to).split('@');
  return text.replace(pin, (...found) => {
    const { before, between, quote, comment } = found.at(-1);
    const note = comment === undefined ? '' : ` # ${referenceComment(to)}`;
    return `${before}${newRepository}${between}${newRef}${quote}${note}`;
  });
}

function withSchema(text: string, { from, to }: Change): string {
  const line = (release: Release) => `$schema=${schemaAddress(release) ?? '/path/to/postil/config.schema.json'}\n`;
  return text.replaceAll(line(from), () => line(to));
}

/** Examples are copied into other repositories, where a relative link leads nowhere. */
function withPages(text: string, { from, to }: Change): string {
  const address = pageAddress('', from);
  const page = '(?<page>[\\w-]+\\.md(?:#[\\w-]+)?)';
  const named = address === null ? `\\bdocs/${page} in Postil's repository` : `${literal(address)}${page}`;
  return text.replace(new RegExp(named, 'g'), (...found) => {
    const name: string = found.at(-1).page;
    return pageAddress(name, to) ?? `docs/${name} in Postil's repository`;
  });
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
