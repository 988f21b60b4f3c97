import { inEnglish } from './messages/languages.ts';
import { type Message, verbatim } from './messages/message.ts';
import type { Translator } from './messages/translator.ts';
import { ownRelease, type Release } from './release.ts';
import { fullHash } from './text.ts';

/** What a workflow uses: nobody can register the owner of a release that is not published. */
export function actionReference({ owner, repository, ref }: Release = ownRelease): string {
  return `${owner}/${repository}@${ref}`;
}

/** What stands behind the reference in a workflow. */
export function referenceComment({ ref, published }: Release = ownRelease): string {
  if (!published)
    return 'push a clone of Postil to a repository of yours; its owner and full hash (`git rev-parse HEAD`) go here';
  return fullHash.test(ref) ? 'a full commit hash never moves' : 'better: the full commit hash';
}

/** Null while no repository can be named. */
export function repositoryAddress({ owner, repository, published }: Release = ownRelease): string | null {
  return published ? `https://github.com/${owner}/${repository}` : null;
}

/** Of a page of the documentation, such as `forks.md`; null while no repository can be named. */
export function pageAddress(page: string, release: Release = ownRelease): string | null {
  const repository = repositoryAddress(release);
  return repository === null ? null : `${repository}/blob/${release.ref}/docs/${page}`;
}

/** Editors read the schema of the config file there; null while no repository can be named. */
export function schemaAddress({ owner, repository, ref, published }: Release = ownRelease): string | null {
  return published ? `https://raw.githubusercontent.com/${owner}/${repository}/${ref}/config.schema.json` : null;
}

/** Names a page in a message that is read far from this repository: by its address, or in words while it has none. */
export function pageMessage(page: string, release: Release = ownRelease): Message {
  const address = pageAddress(page, release);
  return address === null ? { code: 'page.in-repository', page: pathOf(page) } : verbatim(address);
}

/** The same for the log. */
export function pageName(page: string, release: Release = ownRelease): string {
  return inEnglish(pageMessage(page, release));
}

/** The page in Markdown: a link, or in words while it has no address. */
export function pageLink(page: string, t: Translator = inEnglish, release: Release = ownRelease): string {
  const address = pageAddress(page, release);
  const path = `\`${pathOf(page)}\``;
  return address === null ? t({ code: 'page.in-repository', page: path }) : `[${path}](${address})`;
}

function pathOf(page: string): string {
  return `docs/${page.split('#', 1).join('')}`;
}
