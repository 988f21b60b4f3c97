import type { Finding } from '../findings/finding.ts';
import type { Placement } from '../findings/placement.ts';
import type { PullRequest } from '../pull-request/pull-request.ts';
import type { Review } from '../review/review.ts';
import type { FileComment, ReviewComment, ReviewPost } from '../review/review-post.ts';
import { renderComment, renderFileComment } from './comment.ts';
import { renderFinding } from './finding-markdown.ts';
import { characters, cutMarkdown } from './limits.ts';
import { type Links, linkedPlace } from './permalink.ts';
import type { RenderContext } from './render-context.ts';
import { untrustedBlock, untrustedLine, untrustedName } from './untrusted.ts';
import { plural } from './wording.ts';

/** The review as it is posted; null when there is nothing for people to read. */
export function renderReviewPost(review: Review, context: RenderContext): ReviewPost | null {
  const { pullRequest } = review;
  if (pullRequest === null || review.outcome === 'clean') return null;
  const inline = findingsAt(review, 'inline');
  const onFiles = findingsAt(review, 'file');
  const nothing = inline.length + onFiles.length + findingsAt(review, 'body').length + review.nonSpecific.length === 0;
  if (nothing) return null;
  const links = { context, pullRequest };
  return {
    commit: pullRequest.head.sha,
    body: body(review, links),
    comments: inline.flatMap((finding) => lineComment(finding, context)),
    fileComments: [...inline.filter(isFileLevel), ...onFiles].map((finding) => fileComment(finding, links)),
  };
}

function findingsAt(review: Review, place: Placement['place']): readonly Finding[] {
  return review.placements.filter((placement) => placement.place === place).map((placement) => placement.finding);
}

function isFileLevel(finding: Finding): boolean {
  return finding.anchor.kind === 'file';
}

function lineComment(finding: Finding, context: RenderContext): readonly ReviewComment[] {
  if (finding.anchor.kind === 'file') return [];
  const { startLine, endLine, side } = finding.anchor;
  return [
    {
      findingIds: [finding.id],
      path: finding.path,
      side,
      startLine: startLine === endLine ? null : startLine,
      line: endLine,
      body: renderComment(finding, context),
    },
  ];
}

function fileComment(finding: Finding, links: Links): FileComment {
  return { findingIds: [finding.id], path: finding.path, body: renderFileComment(finding, links) };
}

// GitHub takes 65,536; the sink may add a line of its own.
const bodyCharacters = 64_000;
const findingsCharacters = 40_000;

function body(review: Review, links: Links & { readonly pullRequest: PullRequest }): string {
  const { context } = links;
  const parts = [
    `**${untrustedLine(review.headline, context)}**`,
    untrustedBlock(review.rationale, { context, max: 2_000 }),
    unreviewed(review, context),
    ...review.nonSpecific.map((text) => untrustedBlock(text, { context, max: 4_000 })),
    outsideTheDiff(review, links),
    elsewhere(review),
  ];
  const text = parts.filter((part) => part !== '').join('\n\n');
  return cutMarkdown(text, {
    max: bodyCharacters,
    measure: characters,
    pointer: 'The rest did not fit here and is in the job summary.',
  });
}

const namesShown = 10;

function unreviewed({ coverage }: Review, context: RenderContext): string {
  if (coverage.unreviewed.length === 0) return '';
  const files = coverage.unreviewed
    .slice(0, namesShown)
    .map((file) => `${untrustedName(file.path, context)} (${untrustedLine(file.reason, context)})`);
  const rest = coverage.unreviewed.length - files.length;
  return `**Not reviewed:** ${files.join(', ')}${rest > 0 ? `, and ${plural(rest, 'more file')}` : ''}`;
}

function outsideTheDiff(review: Review, links: Links): string {
  const findings = findingsAt(review, 'body');
  if (findings.length === 0) return '';
  const max = Math.max(600, Math.floor(findingsCharacters / findings.length));
  const texts = findings.map((finding) =>
    renderFinding(finding, { context: links.context, max, place: linkedPlace(finding, links), applicable: false }),
  );
  return ['#### Outside the diff', ...texts].join('\n\n');
}

function elsewhere(review: Review): string {
  const count = findingsAt(review, 'summary').length;
  if (count === 0) return '';
  return `<sub>${plural(count, 'more finding')} of lesser weight: see the job summary.</sub>`;
}
