import type { Finding, PlacedFinding } from '../findings/finding.ts';
import { writeMark } from '../history/mark.ts';
import { markedLines } from '../history/memory.ts';
import { noKeys } from '../history/signed-marks.ts';
import { inEnglish } from '../messages/languages.ts';
import type { FileComment, Review, ReviewComment, ReviewPost } from '../review/review.ts';
import { verdictOf } from '../review/say-verdict.ts';
import { openGate } from '../review/verdict.ts';
import {
  type CommentForm,
  linkedPlace,
  type Marks,
  renderComment,
  renderFileComment,
  renderFinding,
} from './finding.ts';
import { titleCharacters } from './next-state.ts';
import { printSurface } from './print-markdown.ts';
import type { Links } from './sections/links.ts';
import { type SurfaceContext, surfaces } from './sections/surfaces.ts';
import type { RenderContext } from './wording.ts';

/** The review as it is posted; null when there is nothing new for people to read. */
export function renderReviewPost(review: Review, context: SurfaceContext): ReviewPost | null {
  const { pullRequest, event } = review;
  if (pullRequest === null || (review.outcome === 'clean' && event !== 'APPROVE')) return null;
  const inline = findingsAt(review, 'inline');
  const onFiles = findingsAt(review, 'file');
  const inBody = findingsAt(review, 'body');
  const nothing = inline.length + onFiles.length + inBody.length + review.nonSpecific.length === 0;
  if (nothing && event !== 'APPROVE') return null;
  const links = { context, pullRequest };
  const marks = findingMarks(review, context);
  const outside = outsideTheDiff(inBody, { links, marks });
  return {
    commit: pullRequest.head.sha,
    event,
    body: `${body(review, { context, outside: outside.text })}${reviewMark(review, context)}${outside.told.map((finding) => marks(finding, null)).join('')}`,
    bodyFindings: outside.told.map(({ id }) => id),
    comments: inline.flatMap((finding) => lineComment(finding, { ...links, marks, links })),
    fileComments: [...inline.filter(isFileLevel), ...onFiles].map((finding) => fileComment(finding, { links, marks })),
  };
}

function findingsAt({ findings }: Review, place: PlacedFinding['place']): readonly PlacedFinding[] {
  return findings.filter((finding) => finding.place === place);
}

function isFileLevel(finding: Finding): boolean {
  return finding.anchor.kind === 'file';
}

function lineComment(finding: Finding, form: CommentForm & { readonly links: Links }): readonly ReviewComment[] {
  const { links } = form;
  if (finding.anchor.kind === 'file') return [];
  const { startLine, endLine, side } = finding.anchor;
  return [
    {
      findingIds: [finding.id],
      path: finding.path,
      side,
      startLine: startLine === endLine ? null : startLine,
      line: endLine,
      body: renderComment(finding, form),
      onFile: renderFileComment(finding, { links, marks: form.marks }),
    },
  ];
}

function fileComment(finding: Finding, form: { links: Links; marks: Marks }): FileComment {
  return { findingIds: [finding.id], path: finding.path, body: renderFileComment(finding, form) };
}

// GitHub takes 65,536; the sink may add a line of its own.
const bodyCharacters = 64_000;
const findingsCharacters = 40_000;

function body(review: Review, { context, outside }: { context: SurfaceContext; outside: string }): string {
  const before = { review, deliveries: [] };
  const record = { ...before, placed: review.findings, reflection: null, verdict: verdictOf(before, openGate) };
  const head = printSurface('review', record, { context });
  return [head, outside].filter((part) => part !== '').join('\n\n');
}

// What a finding takes at least, its heading and place included.
const shortestFinding = 600;

/** The findings that no line of the diff can carry, as many as fit with their marks: the others are left to annotations and summary. */
function outsideTheDiff(findings: readonly Finding[], { links, marks }: { links: Links; marks: Marks }) {
  const told: Finding[] = [];
  let room = bodyCharacters - surfaces.review.max;
  for (const finding of findings) {
    room -= marks(finding, null).length + shortestFinding;
    if (room < 0) break;
    told.push(finding);
  }
  if (told.length === 0) return { text: '', told };
  const spare = Math.min(findingsCharacters, room + told.length * shortestFinding);
  const max = Math.max(shortestFinding, Math.floor(spare / told.length));
  const texts = told.map((finding) => renderFinding(finding, { ...links, max, place: linkedPlace(finding, links) }));
  const { t = inEnglish } = links.context;
  return { text: [`#### ${t({ code: 'review.outside-title' })}`, ...texts].join('\n\n'), told };
}

/** The marks that comments of this review end with. */
function findingMarks({ identity, pullRequest, round }: Review, { redact, keys = noKeys }: RenderContext): Marks {
  if (identity === null || pullRequest === null || round === null) return () => '';
  const by = { name: identity.name, run: identity.run, state: round.number };
  const commits = { commit: pullRequest.head.sha, mergeBase: pullRequest.mergeBase };
  return ({ knownAs: id = '', path, anchor, severity, category, ruleId, source, around, ...finding }, words) => {
    const place = words === null ? ({ in: 'review' } as const) : ({ in: 'thread', words } as const);
    const title = redact(finding.title).slice(0, titleCharacters);
    const details = { path, lines: markedLines(anchor), title, severity, category, ruleId, source };
    const stands = around?.[0] ?? null;
    const lost = {
      ...(finding.unplaced === undefined ? {} : { unplaced: true }),
      ...(stands === null ? {} : { around: stands }),
    };
    const mark = { kind: 'finding', ...by, id, ...commits, ...details, ...lost } as const;
    return `\n\n${writeMark(mark, (content) => keys.sign(content, place))}`;
  };
}

/** The mark that the body of this review ends with. */
function reviewMark({ identity, pullRequest, event, round }: Review, { keys = noKeys }: RenderContext): string {
  if (identity === null || pullRequest === null || round === null) return '';
  const { name, run, settings } = identity;
  const mark = {
    kind: 'review',
    name,
    run,
    state: round.number,
    commit: pullRequest.head.sha,
    settings,
    event,
  } as const;
  return `\n\n${writeMark(mark, (content) => keys.sign(content, { in: 'review' }))}`;
}
