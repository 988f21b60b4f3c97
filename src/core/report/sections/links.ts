import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Finding } from '../../findings/finding.ts';
import { parsePlace } from '../../findings/words.ts';
import { inEnglish } from '../../messages/languages.ts';
import type { PullRequest } from '../../pull-request/pull-request.ts';
import { withoutEnd } from '../../text.ts';
import { encodedPath } from '../text.ts';
import { placeOf, type RenderContext } from '../wording.ts';
import type { Words } from './blocks.ts';

export type Links = { readonly context: RenderContext; readonly pullRequest: PullRequest | null };

/** `src/a.ts:10-12`, linked where there is something to link to. */
export function placeWords(finding: Finding, links: Links): Words {
  return { linked: [{ name: placeOf(finding, links.context.t) }], to: permalink(finding, links) };
}

/** A commit as people know it. */
export function commitWords(sha: string, context: RenderContext): Words {
  const hash = sha.replace(/[^0-9a-f]/g, '');
  if (!/[^0]/.test(hash)) return (context.t ?? inEnglish)({ code: 'link.then' });
  const root = rootOf(context);
  return { linked: [{ name: hash.slice(0, 7) }], to: root === null ? null : `${root}/commit/${hash}` };
}

/** Where a person sees the lines of a finding: the file at the reviewed commit, or the diff for what it removed. */
export function permalink(finding: Finding, { context, pullRequest }: Links): string | null {
  const root = rootOf(context);
  if (root === null || pullRequest === null) return null;
  const { anchor, path } = finding;
  if (anchor.kind === 'lines' && anchor.side === 'RIGHT') {
    return fileAddress(root, { sha: pullRequest.head.sha, path, lines: anchor });
  }
  // The old path of a removed line is not known here, its place in the diff is.
  if (pullRequest.number === null) return null;
  const lines = anchor.kind === 'lines' ? lineFragment(anchor) : '';
  return `${root}/pull/${pullRequest.number}/files#diff-${bytesToHex(sha256(utf8ToBytes(path)))}${lines}`;
}

/** Where a person sees a place such as `src/a.ts:12-14` at the reviewed commit. */
export function placeAddress(place: string, { context, pullRequest }: Links): string | null {
  const [root, named] = [rootOf(context), parsePlace(place)];
  if (root === null || pullRequest === null || named === null) return null;
  const { path, range } = named;
  return fileAddress(root, { sha: pullRequest.head.sha, path, lines: { startLine: range.start, endLine: range.end } });
}

/** A file at a commit, and lines of it. `root` is the repository's address. */
export function fileAddress(
  root: string,
  { sha, path, lines }: { sha: string; path: string; lines: { startLine: number; endLine: number } | null },
): string {
  const fragment = lines === null ? '' : `${plain(path)}#${lineFragment(lines)}`;
  // Parentheses would end a Markdown link.
  return `${root}/blob/${sha}/${encodedPath(path).replaceAll('(', '%28').replaceAll(')', '%29')}${fragment}`;
}

/** Of the repository; null on a laptop. */
export function rootOf({ serverUrl, repository }: Pick<RenderContext, 'serverUrl' | 'repository'>): string | null {
  return serverUrl === null || repository === null ? null : `${withoutEnd(serverUrl, /\//)}/${repository}`;
}

// GitHub renders these files, and lines of a rendered file cannot be linked to.
function plain(path: string): string {
  return /\.(?:md|markdown|mdx|adoc|asciidoc|rst|org|ipynb|svg|csv|tsv)$/i.test(path) ? '?plain=1' : '';
}

function lineFragment({ startLine, endLine }: { startLine: number; endLine: number }): string {
  return startLine === endLine ? `L${startLine}` : `L${startLine}-L${endLine}`;
}
