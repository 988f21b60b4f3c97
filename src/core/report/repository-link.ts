import type { RenderContext } from './render-context.ts';

export type RepositoryAddress = Pick<RenderContext, 'serverUrl' | 'repository'>;

// Pages that only show files and commits. A link to an issue or pull request would leave a reference there.
const harmlessPages = ['blob', 'tree', 'blame', 'commit', 'commits'];

/** The address, normalised, when it shows a file or commit of the reviewed repository; null for all others. */
export function repositoryLink(url: string, { serverUrl, repository }: RepositoryAddress): string | null {
  if (serverUrl === null || repository === null || !URL.canParse(url) || !URL.canParse(serverUrl)) return null;
  const target = new URL(url);
  const server = new URL(serverUrl);
  if (target.origin !== server.origin || target.username !== '' || target.password !== '') return null;
  // Browsers resolve %2e%2e and backslashes as well: what they would leave the repository by is not worth a link.
  if (/%2e|%2f|%5c/i.test(target.pathname)) return null;
  const root = `${server.pathname.replace(/\/+$/, '')}/${repository}/`;
  if (!target.pathname.startsWith(root)) return null;
  if (!harmlessPages.some((page) => target.pathname.startsWith(`${root}${page}/`))) return null;
  return `${target.origin}${target.pathname}${target.search === '?plain=1' ? target.search : ''}${target.hash}`;
}
