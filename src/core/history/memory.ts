import type { Anchor, Finding } from '../findings/finding.ts';
import type { ChangedFile } from '../pull-request/changed-file.ts';
import type { Comment, PostedReview, ReviewThread } from '../pull-request/pull-request.ts';
import type { Revision } from '../repository/repository.ts';
import { exactly, type Infer, oneOf } from '../schema.ts';
import { cutLine, fullHash as hash } from '../text.ts';
import type { CodeChange } from './code-change.ts';
import type { Life } from './life.ts';
import {
  digestOf,
  type FindingMark,
  type HeldFindingMark,
  type MarkedLines,
  type StickyMark,
  withoutMarks,
} from './mark.ts';
import type { NewLines } from './new-lines.ts';
import type { Readings, Sealing } from './receipts.ts';

/** What of the past a run asks for beyond the pull request itself. Both commits are full hashes. */
export interface Past {
  /** Whether this person may write to the repository; null when that cannot be found out. Asked once per login. */
  canWrite(login: string): Promise<boolean | null>;
  /** The diff from one commit to the other; null when one of them is gone, and without git. */
  changesBetween(from: string, to: string): Promise<readonly ChangedFile[] | null>;
  /** The full id of what is stored at each path, null where no file is; null as a whole without git. */
  blobs(paths: readonly string[], at: Revision): Promise<readonly (string | null)[] | null>;
  /** Seals contents with one of the keys of this run, counted from 0; null where there is none. */
  seal(contents: readonly string[], key: number): ReturnType<Sealing>;
}

/** Somebody said no to a finding on purpose. Only people with write permission can decline. */
export type Decline = {
  readonly by: string;
  /** `dismissed`: by a line `/postil dismiss`. `evidence`: an answer of ours says that a line of source excludes it, `fixed`: that a new line ended it. */
  readonly how: 'resolved' | 'thumbs-down' | 'reply' | 'dismissed' | 'evidence' | 'fixed';
  /** Null when that could not be found out: then it does not count. */
  readonly canWrite: boolean | null;
  /** ISO 8601; empty where GitHub does not say. */
  readonly date: string;
  /** The beginning of what they wrote, on one line; left out where they wrote nothing. */
  readonly words?: string;
  /** Of the comment in which they did. */
  readonly url?: string | null;
};

/** Where a comment of ours holds a finding. */
export type Held =
  | { readonly in: 'thread'; readonly thread: ReviewThread; readonly comment: Comment }
  | { readonly in: 'review'; readonly review: PostedReview }
  /** `deleted`: it should have a comment, and there is none: it could not be posted, or somebody deleted it. */
  | { readonly in: 'sticky'; readonly deleted?: true };

/** Where a finding of an earlier run is at the present head. */
export type Present =
  | { readonly kind: 'here'; readonly path: string; readonly anchor: Anchor }
  /** Every line that it was about is gone, or the file is. `path` is what the file is called now, where it is another name. */
  | { readonly kind: 'gone'; readonly path?: string }
  /** The old commit is gone: only the digests of its lines can know it again. */
  | { readonly kind: 'unmapped'; readonly path: string };

/** A finding of an earlier run, as our own comments hold it. */
export type PriorFinding = {
  /** The same in every run while the finding stands, such as `p-3f09ab12`: the model names it in `same_as`, people in `/postil dismiss`. */
  readonly id: string;
  readonly mark: FindingMark;
  readonly held: Held;
  readonly url: string | null;
  /** Without a valid signature it only keeps the same finding from being posted again: it does not stand, and nobody declined it. */
  readonly signed: boolean;
  readonly present: Present;
  /** What changed in its file since it was made. */
  readonly newLines: NewLines;
  /** What became of its lines and of those around them. */
  readonly change: CodeChange;
  /** What the last run made of it; once this one is composed, what it makes of it. */
  readonly life: Life;
  /** All of what ended it was taken back: its code is there as it was made. */
  readonly isBack: boolean;
  /** Somebody who may write resolved its thread, and its lines had changed: they say that it is fixed. */
  readonly saidFixed: boolean;
  /** An answer of ours proved that it is fixed, and the line that proves it still stands. */
  readonly provenFixed?: boolean;
  /** This run found it, or found it still there. */
  readonly seen?: boolean;
  /** Everything that looks like a no, with and without weight. */
  readonly declines: readonly Decline[];
  /** True when one of the answers counts: the finding is not raised again. */
  readonly declined: boolean;
};

/** Of a finding to which nothing happened since it was made. */
export const asMade = { change: { kind: 'same' }, life: 'open', isBack: true, saidFixed: false } as const;

/** What is looked at, and why. */
export type ReviewedScope = Infer<typeof scopeSchema>;

const fullReasons = [
  'first review',
  'incremental is off',
  'the base changed',
  'the settings changed',
  'the earlier commit cannot be read',
  'the earlier state is not signed',
  'nothing was complete',
  'what it rests on changed',
  'everything changed',
  'without git',
  'no model',
] as const;
export type FullReason = (typeof fullReasons)[number];

export const fullHash = { type: 'string', pattern: hash.source } as const;

export const scopeSchema = oneOf('kind', [
  exactly({ kind: { enum: ['full'] }, why: { enum: fullReasons } }),
  exactly({ kind: { enum: ['incremental'] }, since: { ...fullHash, description: 'The last reviewed head.' } }),
]);

/** What the last run left. Hashes are full. */
export type State = {
  readonly head: string;
  readonly mergeBase: string;
  /** Name of the base branch. */
  readonly base: string;
  readonly settings: string;
  /** Null where nothing was reviewed whole. */
  readonly readings: Readings | null;
};

export type Memory = {
  /** What the log should say of it, one sentence each. */
  readonly notes?: readonly string[];
  /** The state of the earlier run; null when there is none. */
  readonly sticky: StickyMark | null;
  /** What it says of the last run. */
  readonly state: State | null;
  /** There was a run, and no key of this one signed what it left. */
  readonly isUnsigned?: boolean;
  readonly prior: readonly PriorFinding[];
  /** How many runs of this name reviewed the pull request before. */
  readonly reviews: number;
  /** Who asked for no reviews on pushes; null or left out where nobody did. */
  readonly paused?: { readonly by: string; readonly url: string | null } | null;
  /** Whether what earlier runs found is known; `not-kept` where no key of this run could have signed it. */
  readonly earlier: 'known' | 'not-kept' | 'unknown';
  /** What changed since a commit in the file that is called `path` now; null when the commit is gone. Left out where nothing is remembered. */
  readonly linesSince?: (commit: string, path: string) => Promise<NewLines | null>;
};

/** Where there is nothing to remember: a laptop. */
export const noMemory: Memory = {
  ...{ sticky: null, state: null, prior: [], reviews: 0 },
  earlier: 'known',
};

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
  const known = {
    ...(finding.earlierId === undefined ? {} : { id: finding.earlierId }),
    ...(finding.unplaced === undefined ? {} : { unplaced: true }),
  };
  return { kind: 'finding', ...seen, title, severity, category, ruleId, ...known, source: finding.source };
}

/** What is kept of a finding that a comment holds, with the number that the comment's address ends in. */
export function heldMark(mark: FindingMark, url: string | null): HeldFindingMark {
  const number = /[^\d](\d{1,15})$/.exec(url ?? '')?.[1];
  return { ...mark, comment: number === undefined ? null : Number(number) };
}

function markedLines(anchor: Anchor): MarkedLines | null {
  if (anchor.kind === 'file') return null;
  const { side, startLine, endLine, quote } = anchor;
  return { side, startLine, endLine, digests: digestsOf(quote) };
}

/** Short digests of the lines of a quote, white space included; blank lines have none. */
export function digestsOf(quote: string, most = digestsAtMost): readonly string[] {
  const filled = quote.split('\n').filter((line) => line.trim() !== '');
  return filled.slice(0, most).map((line) => digestOf(`line ${line}`, 8));
}

/** An earlier finding as one of this review: what its mark kept, where it is now, and what the earlier comment says of it. */
export function findingOf(prior: PriorFinding): Finding {
  const { id, mark, present } = prior;
  const { title, severity, category, ruleId, source } = mark;
  const anchor = present.kind === 'here' ? present.anchor : { kind: 'file' as const };
  const said = wordsOf(prior) ?? `An earlier review raised this${whatNow(prior)}`;
  const known = { title, review: said, evidence: '', severity, category };
  const rest = { suggestion: null, ruleId, confidence: 1, source, alsoAt: [] } as const;
  const lost =
    mark.unplaced === true && anchor.kind === 'file'
      ? { unplaced: { reason: { code: 'unplaced.earlier' } as const, quote: null } }
      : {};
  return { id, earlierId: id, path: pathNow(prior), anchor, ...known, ...rest, ...lost };
}

/** What its file is called at head. */
export function pathNow({ mark, present }: Pick<PriorFinding, 'mark' | 'present'>): string {
  return present.path ?? mark.path;
}

function whatNow(prior: PriorFinding): string {
  const { life, held, present } = prior;
  const read = `Read ${whereSaid(prior)}.`;
  if (life === 'changed')
    return `. The lines that it is about, or those around them, changed since, and nobody has checked yet whether that fixes it. ${read}`;
  if (life === 'returned') return `, it was fixed, and its code came back. ${read}`;
  if (present.kind !== 'here') return `, and it was not checked again. ${read}`;
  if (held.in !== 'sticky' || held.deleted !== true) return `, and the lines that it is about are still there. ${read}`;
  return '. No comment says so any more, and the lines that it is about are still there: change them, or resolve this thread to decline it (that takes write permission).';
}

const wordsCharacters = 4_000;

/** What the comment of a thread says between its title and its evidence, as it was written: a signature holds for these words. Null elsewhere. */
function wordsOf({ held, signed }: PriorFinding): string | null {
  if (held.in !== 'thread' || !signed) return null;
  const paragraphs = withoutMarks(held.comment.body).split(/(?:\r?\n){2}/);
  const title = paragraphs.findIndex((paragraph) => paragraph.startsWith('**'));
  const rest = paragraphs.slice(title + 1);
  const end = rest.findIndex((paragraph) => /^<(?:details|sub)>/.test(paragraph));
  const words = (end === -1 ? rest : rest.slice(0, end)).join('\n\n').trim();
  return words === '' ? null : cutLine(words, wordsCharacters);
}

function whereSaid({ url, mark }: PriorFinding): string {
  return url ?? `the job summary of the review of ${mark.commit.slice(0, 7)}`;
}
