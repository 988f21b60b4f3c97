import type { Anchor, Finding } from '../findings/finding.ts';
import type { ChangedFile } from '../pull-request/changed-file.ts';
import type { Comment, PostedReview, ReviewThread } from '../pull-request/pull-request.ts';
import { digestOf, type FindingMark, type MarkedLines, type OpenMark, type StickyMark } from './mark.ts';
import { type NewLines, plain } from './new-lines.ts';

/** What of the past a run asks for beyond the pull request itself. Both commits are full hashes. */
export interface Past {
  /** Whether this person may write to the repository; false when that cannot be found out. Asked once per login. */
  canWrite(login: string): Promise<boolean>;
  /** How an earlier head stands to the present one. */
  relationOf(earlierHead: string): Promise<'same' | 'ancestor' | 'diverged' | 'gone'>;
  /** The diff from one commit to the other; null when one of them is gone. */
  changesBetween(from: string, to: string): Promise<readonly ChangedFile[] | null>;
}

/** Somebody said no to a finding. Only people with write permission can decline. */
export type Decline = {
  readonly by: string;
  readonly how: 'resolved' | 'thumbs-down' | 'reply';
  readonly canWrite: boolean;
  /** The beginning of what they wrote, on one line; left out where they wrote nothing. */
  readonly words?: string;
};

/** Where a comment of ours holds a finding. */
export type Held =
  | { readonly in: 'thread'; readonly thread: ReviewThread; readonly comment: Comment }
  | { readonly in: 'review'; readonly review: PostedReview }
  /** `deleted`: it had a comment, and somebody deleted that. */
  | { readonly in: 'sticky'; readonly deleted?: true };

/** Where a finding of an earlier run is at the present head. */
export type Present =
  | { readonly kind: 'here'; readonly path: string; readonly anchor: Anchor }
  /** Every line that it was about is gone, or the file is. */
  | { readonly kind: 'gone' }
  /** The old commit is gone: only the digests of its lines can know it again. */
  | { readonly kind: 'unmapped'; readonly path: string };

/** A finding of an earlier run, as our own comments hold it. */
export type PriorFinding = {
  /** Unique in the run, and the same in every run that reads the same mark, such as `p-3f09ab12`: the model names it in `same_as`. */
  readonly id: string;
  readonly mark: FindingMark;
  readonly held: Held;
  readonly url: string | null;
  /** Without a valid signature it only keeps the same finding from being posted again: it does not stand, and nobody declined it. */
  readonly signed: boolean;
  readonly present: Present;
  /** What changed in its file since it was made. */
  readonly newLines: NewLines;
  /** Everything that looks like a no, with and without weight. */
  readonly declines: readonly Decline[];
  /** True when one of the answers counts: the finding is not raised again. */
  readonly declined: boolean;
};

/** What this run looks at, and why. */
export type Scope =
  | { readonly kind: 'full'; readonly why: FullReason }
  | {
      readonly kind: 'incremental';
      /** Full hash of the last reviewed head. */
      readonly since: string;
      /** What changed since, by path at the present head. */
      readonly changed: readonly ChangedFile[];
      /** Paths that the earlier run left unreviewed. */
      readonly unreviewed: readonly string[];
    };

/** The scope as a review tells it, without the files. */
export type ReviewedScope =
  | Extract<Scope, { kind: 'full' }>
  | Pick<Extract<Scope, { kind: 'incremental' }>, 'kind' | 'since'>;

export const fullReasons = [
  'first review',
  'incremental is off',
  'history was rewritten',
  'the base changed',
  'the settings changed',
  'the earlier commit cannot be read',
  'the earlier state is not signed',
] as const;
export type FullReason = (typeof fullReasons)[number];

export type Memory = {
  readonly scope: Scope;
  /** The state of the earlier run; null when there is none. */
  readonly sticky: StickyMark | null;
  readonly prior: readonly PriorFinding[];
  /** How many runs of this name reviewed the pull request before. */
  readonly reviews: number;
};

/** Where nothing is remembered: a laptop. */
export const noMemory: Memory = { scope: { kind: 'full', why: 'first review' }, sticky: null, prior: [], reviews: 0 };

/** Who speaks in our comments: two reviewers of one pull request keep apart by `name`, two runs of one reviewer by `run`. */
export type RunIdentity = {
  /** The `name` input: by default the workflow's name. */
  readonly name: string;
  /** One attempt of one workflow run, such as `4711-1`. */
  readonly run: string;
  /** A digest of the settings that decide what is found: other settings ask for a full review. */
  readonly settings: string;
};

const titleCharacters = 200;
const digestsAtMost = 40;

/** What is kept of a finding where a comment holds it. */
export function markOf(
  finding: Finding,
  {
    identity: { name, run },
    commit,
    mergeBase,
    redact,
  }: Pick<FindingMark, 'commit' | 'mergeBase'> & { identity: RunIdentity; redact: (text: string) => string },
): FindingMark {
  const { path, anchor, severity, category, ruleId } = finding;
  const title = redact(finding.title).slice(0, titleCharacters);
  const seen = { name, run, commit, mergeBase, path, lines: markedLines(anchor) };
  return { kind: 'finding', ...seen, title, severity, category, ruleId };
}

/** What is kept of a finding that a comment holds, with the number that the comment's address ends in. */
export function openMark(mark: FindingMark, url: string | null): OpenMark {
  const number = /[^\d](\d{1,15})$/.exec(url ?? '')?.[1];
  return { ...mark, comment: number === undefined ? null : Number(number) };
}

function markedLines(anchor: Anchor): MarkedLines | null {
  if (anchor.kind === 'file') return null;
  const { side, startLine, endLine, quote } = anchor;
  return { side, startLine, endLine, digests: digestsOf(quote) };
}

/** Short digests of the lines of a quote without their white space; blank lines have none. */
export function digestsOf(quote: string): readonly string[] {
  const lines = quote.split('\n').map(plain);
  const filled = lines.filter((line) => line !== '').slice(0, digestsAtMost);
  return filled.map((line) => digestOf(line, 8));
}

/** An earlier finding as one of this review: what its mark kept, where it is now. Its text is in the earlier comment. */
export function findingOf({ id, mark, present, held }: PriorFinding): Finding {
  const { path, title, severity, category, ruleId } = mark;
  const here = present.kind === 'here' ? present : { path, anchor: { kind: 'file' as const } };
  const review =
    held.in === 'sticky' && held.deleted === true
      ? 'An earlier review raised this. Its comment was deleted, and the lines that it is about are still there: change them, or resolve this thread to decline it (that takes write permission).'
      : 'An earlier review raised this, and the lines that it is about are still there.';
  const known = { title, review, evidence: '', severity, category, suggestion: null, ruleId };
  return { id, path: here.path, anchor: here.anchor, ...known, confidence: 1, source: 'model', alsoAt: [] };
}
