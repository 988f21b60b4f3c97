import { noUsage } from '../../../src/core/agent/usage.ts';
import type { Finding } from '../../../src/core/findings/finding.ts';
import { nothingLinked } from '../../../src/core/pull-request/linked.ts';
import type { PullRequest } from '../../../src/core/pull-request/pull-request.ts';
import type { Review } from '../../../src/core/review/review.ts';
import type { ReviewComment, ReviewPost } from '../../../src/core/review/review-post.ts';
import { head } from './pull-answers.ts';

/** A review whose findings with these ids go into the body. */
export function someReview(more: { readonly inBody?: readonly string[]; readonly pullRequest?: object } = {}): Review {
  return {
    outcome: 'findings',
    stop: { reason: 'completed' },
    headline: 'Findings.',
    pullRequest: { ...pullRequest, ...more.pullRequest },
    action: 'COMMENT',
    approved: false,
    rationale: '',
    placements: (more.inBody ?? []).map((id) => ({ finding: finding(id), place: 'body', reason: 'outside the diff' })),
    refused: [],
    nonSpecific: [],
    rawFreeText: null,
    coverage: { reviewed: [], skipped: [], unread: [], unreviewed: [], earlier: [], missing: [] },
    bundles: [],
    estimate: null,
    metrics: { usage: noUsage, modelCalls: 0, iterations: 0, toolCalls: 0, tools: {}, phases: {}, cost: null },
    milliseconds: 0,
    limits: {
      profile: 'thorough',
      model: null,
      maxIterations: 0,
      maxTotalTokens: 0,
      timeoutMinutes: 0,
      maxComments: 15,
      maxCost: null,
    },
    notes: [],
    event: 'COMMENT',
    identity: null,
    scope: null,
    gone: [],
    earlierReviews: 0,
  };
}

/** A post with one comment for each path, on line 12; the findings are called `f1`, `f2` and so on. */
export function somePost(paths: readonly string[], more: Partial<ReviewPost> = {}): ReviewPost {
  const comments = paths.map((path, index) => someComment({ path, findingIds: [`f${index + 1}`], body: `At ${path}` }));
  return {
    commit: head,
    event: 'COMMENT',
    body: 'What was found.',
    bodyFindings: [],
    comments,
    fileComments: [],
    ...more,
  };
}

export function someComment(more: Partial<ReviewComment> = {}): ReviewComment {
  return { findingIds: ['f1'], path: 'a.ts', side: 'RIGHT', startLine: null, line: 12, body: 'Text', ...more };
}

const pullRequest: PullRequest = {
  repository: 'o/r',
  serverUrl: 'https://github.example',
  number: 5,
  title: '',
  body: '',
  author: 'ada',
  state: 'open',
  draft: false,
  labels: [],
  base: { ref: 'main', sha: 'b'.repeat(40) },
  head: { ref: 'door', sha: head },
  mergeBase: 'c'.repeat(40),
  fromFork: false,
  commits: [],
  linked: nothingLinked,
  conversation: [],
  threads: [],
  reviews: [],
  discussionRead: true,
  missing: [],
};

function finding(id: string): Finding {
  return {
    id,
    path: 'other.ts',
    anchor: { kind: 'file' },
    title: '',
    review: '',
    evidence: '',
    severity: 'warning',
    category: 'bug',
    suggestion: null,
    ruleId: null,
    confidence: 1,
    source: 'model',
    alsoAt: [],
  };
}
