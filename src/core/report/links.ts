import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Anchor, Finding } from '../findings/finding.ts';
import type { PullRequest } from '../pull-request/pull-request.ts';
import { untrustedName } from './sanitise.ts';
import { linked } from './text.ts';
import { placeOf, type RenderContext } from './wording.ts';

export type Links = { readonly context: RenderContext; readonly pullRequest: PullRequest | null };

/** Where a person sees the lines of a finding: the file at the reviewed commit, or the diff for what it removed. */
export function permalink(finding: Finding, { context, pullRequest }: Links): string | null {
  const root = rootOf(context);
  if (root === null || pullRequest === null) return null;
  const { anchor, path } = finding;
  if (anchor.kind === 'lines' && anchor.side === 'RIGHT') {
    return `${root}/blob/${pullRequest.head.sha}/${escapedPath(path)}${plain(path)}#${lineFragment(anchor)}`;
  }
  // The old path of a removed line is not known here, its place in the diff is.
  if (pullRequest.number === null) return null;
  const lines = anchor.kind === 'lines' ? lineFragment(anchor) : '';
  return `${root}/pull/${pullRequest.number}/files#diff-${bytesToHex(sha256(utf8ToBytes(path)))}${lines}`;
}

/** `src/a.ts:10-12` as code, linked where there is something to link to. */
export function linkedPlace(finding: Finding, links: Links): string {
  return linked(untrustedName(placeOf(finding), links.context), permalink(finding, links));
}

function rootOf({ serverUrl, repository }: RenderContext): string | null {
  return serverUrl === null || repository === null ? null : `${serverUrl.replace(/\/+$/, '')}/${repository}`;
}

// Parentheses would end a Markdown link.
function escapedPath(path: string): string {
  return path
    .split('/')
    .map((part) =>
      encodeURIComponent(part.replace(/\p{Cs}/gu, '\uFFFD'))
        .replaceAll('(', '%28')
        .replaceAll(')', '%29'),
    )
    .join('/');
}

// GitHub renders these files, and lines of a rendered file cannot be linked to.
function plain(path: string): string {
  return /\.(?:md|markdown|mdx|adoc|asciidoc|rst|org|ipynb|svg|csv|tsv)$/i.test(path) ? '?plain=1' : '';
}

function lineFragment(anchor: Extract<Anchor, { kind: 'lines' }>): string {
  return anchor.startLine === anchor.endLine ? `L${anchor.startLine}` : `L${anchor.startLine}-L${anchor.endLine}`;
}
