import type { Side } from '../repository/repository.ts';

export type ReviewEvent = 'COMMENT' | 'REQUEST_CHANGES' | 'APPROVE';

/** One pull request review, rendered and sanitised: what is sent, apart from how it is cut into requests. */
export type ReviewPost = {
  /** COMMENT unless the workflow's author allowed more; the model alone never decides it. */
  readonly event: ReviewEvent;
  /** Full hash of the commit that was reviewed: comments anchor to it, wherever the head is by now. */
  readonly commit: string;
  /** Markdown, at most 65,536 characters; empty when the comments say it all. */
  readonly body: string;
  /** Ids of the findings that the body tells. */
  readonly bodyFindings: readonly string[];
  readonly comments: readonly ReviewComment[];
  readonly fileComments: readonly FileComment[];
};

/** A comment on lines of the diff. `path` is as the diff knows it; lines are 1-based, `startLine` null for a single line. */
export type ReviewComment = {
  readonly findingIds: readonly string[];
  readonly path: string;
  readonly side: Side;
  readonly startLine: number | null;
  readonly line: number;
  readonly body: string;
};

/** A comment on a file of the diff as a whole. GitHub takes it only outside a review. */
export type FileComment = {
  readonly findingIds: readonly string[];
  readonly path: string;
  readonly body: string;
};
