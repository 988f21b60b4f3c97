import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  pagesWithReferences,
  parseRelease,
  renderRelease,
  rewriteReferences,
  withAddresses,
} from '../../scripts/references.ts';
import { distProblem } from '../../scripts/sources-digest.ts';
import { pageLink, pageMessage, pageName, schemaAddress } from '../../src/core/addresses.ts';
import { inEnglish, translatorFor } from '../../src/core/messages/languages.ts';
import { ownRelease, type Release } from '../../src/core/release.ts';
import { starterFiles } from '../../src/core/team/starter.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(`${root}${path}`, 'utf8');

const sha = '0123456789abcdef'.repeat(3).slice(0, 40);
const unpublished: Release = { owner: '<owner>', repository: 'postil', ref: '<commit>', published: false };
const byTag: Release = { owner: 'acme', repository: 'reviewer', ref: 'v1.2.3', published: true };
const byCommit: Release = { ...byTag, ref: sha };

describe('the reference to Postil', () => {
  const page = `    if: head == base # forks get no secrets: docs/forks.md in Postil's repository
      - uses: <owner>/postil@<commit> # push a clone of Postil to a repository of yours; its owner and full hash (\`git rev-parse HEAD\`) go here
      - uses: <owner>/postil@<commit>
          repository: <owner>/postil
          ref: <commit>
  - repo: https://github.com/<owner>/postil
    rev: <commit>
git clone --quiet "https://github.com/<owner>/postil" "$postil"
git -C "$postil" checkout --quiet "<commit>"
# yaml-language-server: $schema=/path/to/postil/config.schema.json
`;

  it('is rewritten in all its forms to that of a release by tag, and what is said of others stays', () => {
    const others = `      - uses: acme/review-settings@v1 # better: the full commit hash
[hooks](hooks.md), docs/hooks.md, https://github.com/acme/postils
`;
    expect(
      rewriteReferences(page + others, { from: unpublished, to: byTag }),
    ).toBe(`    if: head == base # forks get no secrets: https://github.com/acme/reviewer/blob/v1.2.3/docs/forks.md
      - uses: acme/reviewer@v1.2.3 # better: the full commit hash
      - uses: acme/reviewer@v1.2.3
          repository: acme/reviewer
          ref: v1.2.3
  - repo: https://github.com/acme/reviewer
    rev: v1.2.3
git clone --quiet "https://github.com/acme/reviewer" "$postil"
git -C "$postil" checkout --quiet "v1.2.3"
# yaml-language-server: $schema=https://raw.githubusercontent.com/acme/reviewer/v1.2.3/config.schema.json
${others}`);
  });

  it('says of a full commit hash that it never moves', () => {
    const [, line] = rewriteReferences(page, { from: unpublished, to: byCommit }).split('\n');
    expect(line).toBe(`      - uses: acme/reviewer@${sha} # a full commit hash never moves`);
  });

  const releases = [unpublished, byTag, byCommit, { ...byTag, ref: 'v1.2.3-rc.1' }, { ...byTag, owner: 'octo' }];
  const changes = releases.flatMap((from) => releases.map((to) => ({ from, to })));

  it('is the same after a second rewriting, and byte for byte as before after the way back', () => {
    const pages = [page, ...pagesWithReferences.map(read).map((text) => changed(text, ownRelease, unpublished))];
    const wrong = changes.filter(({ from, to }) =>
      pages.some((text) => {
        const before = changed(text, unpublished, from);
        const after = changed(before, from, to);
        return changed(after, from, to) !== after || changed(after, to, from) !== before;
      }),
    );
    expect([pages.length > 40, wrong]).toEqual([true, []]);
  });

  it('stands in every page as package.json has it: npm run docs writes it', () => {
    const release = parseRelease(JSON.parse(read('package.json')).release);
    const files = pagesWithReferences.filter((path) => changed(read(path), ownRelease, release) !== read(path));
    expect([release, files]).toEqual([ownRelease, []]);
    expect([renderRelease(release), withAddresses(read('package.json'), release)]).toEqual([
      read('src/core/release.ts'),
      read('package.json'),
    ]);
  });

  it('gives package.json addresses while it is published, and takes them out again', () => {
    const manifest = `${JSON.stringify({ name: 'a', license: 'MIT', type: 'module' }, null, 2)}\n`;
    const published = withAddresses(manifest, byTag);
    expect(JSON.parse(published)).toEqual({
      ...{ name: 'a', license: 'MIT', type: 'module' },
      homepage: 'https://github.com/acme/reviewer#readme',
      bugs: 'https://github.com/acme/reviewer/issues',
      repository: { type: 'git', url: 'git+https://github.com/acme/reviewer.git' },
    });
    expect([withAddresses(published, byTag), withAddresses(published, unpublished)]).toEqual([published, manifest]);
  });

  it.each([
    ['published without an owner', { ...byTag, owner: '<owner>' }, 'is published: it needs'],
    ['published at a branch', { ...byTag, ref: 'main' }, 'is published: it needs'],
    ['published at half a hash', { ...byTag, ref: sha.slice(0, 12) }, 'is published: it needs'],
    ['not published, under a name that anybody can take', { ...unpublished, owner: 'acme' }, 'is not published: its'],
    ['missing', undefined, 'is not published: its'],
  ])('is refused where it is %s', (_, release, problem) => {
    expect(() => parseRelease(release)).toThrow(problem);
  });

  it.each([unpublished, byTag, byCommit])('is taken as %o', (release) => {
    expect(parseRelease({ ...release })).toEqual(release);
  });

  function changed(text: string, from: Release, to: Release): string {
    return rewriteReferences(text, { from, to });
  }
});

describe('a message that names a page', () => {
  const declining = 'reviews.md#declining-a-finding';
  const address = 'https://github.com/acme/reviewer/blob/v1.2.3/docs/reviews.md#declining-a-finding';

  it('gives its address once Postil is published, as a link in Markdown', () => {
    const forms = [pageName(declining, byTag), pageLink(declining, inEnglish, byTag)];
    expect(forms).toEqual([address, `[\`docs/reviews.md\`](${address})`]);
  });

  it('says until then where it is, in the language of the review and without a link', () => {
    const german = translatorFor('German') ?? inEnglish;
    const inGerman = pageLink(declining, german, unpublished);
    const name = pageName(declining, unpublished);
    expect([name, pageLink(declining, inEnglish, unpublished), inGerman]).toEqual([
      "docs/reviews.md in Postil's repository",
      "`docs/reviews.md` in Postil's repository",
      '`docs/reviews.md` im Repository von Postil',
    ]);
    expect(german({ code: 'broken.config-advice', page: pageMessage(declining, unpublished) })).toBe(
      'Alle Einstellungen und ihre erlaubten Werte: docs/reviews.md im Repository von Postil',
    );
  });

  it('names a schema for editors that is there', () => {
    const config = starterFiles().find(({ path }) => path === '.postil/config.yml')?.text;
    expect([unpublished, byTag].map(schemaAddress)).toEqual([
      null,
      'https://raw.githubusercontent.com/acme/reviewer/v1.2.3/config.schema.json',
    ]);
    expect(config?.includes('$schema')).toBe(ownRelease.published);
  });
});

describe('no file', () => {
  const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0');
  // History is in the words of its day, and the lock file has the names of packages alone.
  const files = tracked.filter((path) => !/^$|^package-lock\.json$|^docs\/decisions\//.test(path));

  it('names a repository or a package that is not ours as Postil', () => {
    const sources = files.filter((path) => !path.startsWith('dist/'));
    expect([sources.length > 800, sources.flatMap(foreignNamesOf)]).toEqual([true, []]);
  });

  it.skipIf(distProblem(root) !== null)('of dist/ does, once it is built', () => {
    const built = files.filter((path) => path.startsWith('dist/'));
    expect([built.length > 10, built.flatMap(foreignNamesOf)]).toEqual([true, []]);
  });

  it.each([
    ['- uses: {postil}/{postil}@v0', true],
    ['- uses: acme/{postil}@v1', true],
    ['- uses: "acme/{postil}/sub@v1"', true],
    ['n{p}x --yes {postil}@0 review', true],
    ['`n{p}x {postil} review`', true],
    ['n{p}m install --global {postil}', true],
    ['n{p}m i -g ./{postil}-0.1.0.tgz', true],
    ['n{p}m exec {postil}', true],
    ['  - repo: https://github.com/<owner>/{postil}\n    rev: v0.1.0', true],
    ['[a page](https://github.com/{postil}/{postil}/blob/v0/docs/a.md)', true],
    ['https://github.com/acme/{postil}', true],
    ['git@github.com:acme/{postil}.git', true],
    ['https://raw.githubusercontent.com/acme/{postil}/v0/config.schema.json', true],
    ['  "repository": "acme/{postil}"', true],
    ['* @{postil}/maintainers', true],
    ['/path/to/postil/dist/cli/index.js', false],
    ['node dist/cli/postil.js', false],
    ['n{p}m run bench; node {postil}', false],
    ['write `/postil explain` under acme/postil-rules', false],
    ['https://github.com/acme/shop and actions/checkout@v4', false],
  ])('would say %s: %s', (line, isForeign) => {
    const text = line.replaceAll('{postil}', 'postil').replaceAll('{p}', 'p');
    expect(foreignNames(text, unpublished).length > 0).toBe(isForeign);
  });

  it('would not say the reference itself, published or not', () => {
    const release = { ...byTag, repository: 'postil' };
    const pages = pagesWithReferences
      .map(read)
      .map((text) => rewriteReferences(text, { from: ownRelease, to: release }));
    const usual = pages.map((text) => rewriteReferences(text, { from: release, to: unpublished }));
    expect(pages.flatMap((text) => foreignNames(text, release))).toEqual([]);
    expect(usual.flatMap((text) => foreignNames(text, unpublished))).toEqual([]);
    expect(pages.flatMap((text) => foreignNames(text, unpublished)).length > 40).toBe(true);
  });

  function foreignNamesOf(path: string): readonly string[] {
    const text = read(path);
    return text.includes('\0') ? [] : foreignNames(text, ownRelease).map((name) => `${path}: ${name}`);
  }

  /** What somebody else could register, and a reader would run or open as Postil. */
  function foreignNames(text: string, release: Release): readonly string[] {
    // Placeholders can be registered by nobody.
    const own = [release, unpublished].flatMap(({ owner, repository, ref }) => {
      const name = `${owner}/${repository}`;
      return [name, `${name}@${ref}`, ref];
    });
    const names = [
      /\buses:\s*["']?([^\s"'/]+\/postil(?:\/[^\s"'@]+)?@[^\s"'`]+)/g,
      /github(?:usercontent)?\.com[/:]([^\s"'`/]+\/postil)(?![\w-])/g,
      /\brepository["']?\s*[:=]\s*["']?([^\s"'/]+\/postil)(?![\w-])/g,
      /(?<![\w/.-])(postil\/postil)\b/g,
      /(@postil\/[\w-]+)/g,
      /\b(npx\b[^\n;]{0,60}?(?<![\w./-])postil\b)/g,
      /\b(npm (?:i|install|exec|add|x)\b[^\n;]{0,60}?(?<![\w-])postil\b)/g,
      /\brepo: \S*\/postil\n *rev: ([^\s"'`]+)/g,
    ];
    const found = names.flatMap((name) => [...text.matchAll(name)].map(([, captured = '']) => captured));
    return found.filter((name) => !own.includes(name));
  }
});
