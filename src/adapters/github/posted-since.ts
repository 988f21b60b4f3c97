import type { Finding } from '../../core/findings/finding.ts';
import type { FindingMark } from '../../core/memory/mark.ts';
import { matchFindings } from '../../core/memory/match.ts';
import type { PriorFinding } from '../../core/memory/memory.ts';
import { noNewLines } from '../../core/memory/new-lines.ts';
import { type HeldMark, priorMarks } from '../../core/memory/prior-marks.ts';
import type { PullRequest } from '../../core/pull-request/pull-request.ts';
import type { ReviewPost } from '../../core/review/review-post.ts';
import type { Delivered } from '../../core/review/sink.ts';
import type { Discussion } from './read-discussion.ts';

export type Remaining = { readonly post: ReviewPost; readonly delivered: readonly Delivered[] };

/**
 * Leaves out what another run posted since the pull request was read: the same finding on the same commit is not said twice
 * (FAILURES P17). Answers where it stands.
 */
export function withoutPosted(
  post: ReviewPost,
  now: {
    readonly pullRequest: PullRequest;
    readonly discussion: Discussion;
    readonly name: string;
    /** Whether this run signs: then a mark that is not signed stands for nothing. */
    readonly signs: boolean;
    readonly findings: readonly Finding[];
  },
): Remaining {
  const ids = [...post.comments, ...post.fileComments].flatMap(({ findingIds }) => findingIds);
  const findings = now.findings.filter(({ id }) => ids.includes(id));
  const twins = matchFindings(findings, newMarks(post.commit, now).map(asPrior)).standing;
  const placeOf = new Map(twins.map(({ finding, prior }) => [finding.id, prior]));
  const isLeft = ({ findingIds }: { readonly findingIds: readonly string[] }) =>
    !findingIds.every((id) => placeOf.has(id));
  return {
    post: { ...post, comments: post.comments.filter(isLeft), fileComments: post.fileComments.filter(isLeft) },
    delivered: twins.map(({ finding, prior }) => ({
      findingId: finding.id,
      place: finding.anchor.kind === 'file' ? 'file' : 'inline',
      url: prior.url,
    })),
  };
}

function newMarks(
  commit: string,
  { pullRequest, discussion, name, signs }: Omit<Parameters<typeof withoutPosted>[1], 'findings'>,
): readonly HeldMark[] {
  const known = new Set(pullRequest.threads.map(({ id }) => id));
  const threads = discussion.threads.filter(({ id }) => !known.has(id));
  const marks = priorMarks({ ...pullRequest, threads, reviews: [], conversation: [] }, name);
  return marks.filter(({ mark, signed }) => mark.commit === commit && (signed || !signs));
}

/** A mark on the commit that is reviewed: its lines are the present ones. */
export function asPrior(held: HeldMark, index: number): PriorFinding {
  const { path } = held.mark;
  const present = { kind: 'here', path, anchor: anchorOf(held.mark) } as const;
  return { ...held, id: `p${index + 1}`, present, newLines: noNewLines, refusals: [], refused: false };
}

function anchorOf({ lines }: FindingMark): Finding['anchor'] {
  if (lines === null) return { kind: 'file' };
  const { side, startLine, endLine } = lines;
  return { kind: 'lines', side, startLine, endLine, quote: '' };
}
