import type { Anchor, Finding } from '../findings/finding.ts';
import type { ChangedFile } from '../pull-request/changed-file.ts';
import type { Comment, PostedReview, ReviewThread } from '../pull-request/pull-request.ts';
import type { Revision } from '../repository/repository.ts';
import { exactly, type Infer, oneOf } from '../schema.ts';
import { cutLine, fullHash as hash } from '../text.ts';
import type { Life } from './life.ts';
import { digestOf, type FindingMark, type MarkedLines, withoutMarks } from './mark.ts';
import type { CodeChange, Present } from './positions.ts';
import type { Sealing } from './receipts/receipts.ts';
import { type KnownFinding, type KnownPlace, kept, type State } from './state.ts';

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

/** One place of a finding of an earlier round, as the state or a comment of its own knows it. */
export type KnownPart = {
  /** The finding's for its first place; `p-3f09ab12.2` for the second. */
  readonly id: string;
  /** From 0 on. */
  readonly part: number;
  readonly mark: FindingMark;
  readonly held: Held;
  readonly url: string | null;
  /** A mark without a valid signature says no more than that something was posted here. */
  readonly signed: boolean;
  /** What the last run made of it. */
  readonly life: Life;
  /** As the state keeps them; null where only its own comment tells of it. */
  readonly known: { readonly finding: KnownFinding; readonly place: KnownPlace } | null;
};

/** One place of a finding of an earlier round: all places of one finding share what people said of it. */
export type PriorFinding = KnownPart & {
  readonly present: Present;
  /** What became of its lines and of those around them. */
  readonly change: CodeChange;
  /** Digest of the definition around it at head; null where it is not there, or cannot be read. */
  readonly around: string | null;
  /** All of what ended it was taken back: its code is there as it was made. */
  readonly isBack: boolean;
  /** Somebody who may write resolved its thread, and its lines had changed: they say that it is fixed. */
  readonly saidFixed: boolean;
  /** An answer of ours proved that it is fixed, and the code that proves it still stands. */
  readonly provenFixed?: boolean;
  /** The code that proved that it is fixed, or that excludes it, changed since. */
  readonly isLoose?: boolean;
  /** This run found it, or found it still there. */
  readonly seen?: boolean;
  /** What this run quotes for its end. */
  readonly proof?: Proof;
  /** Everything that looks like a no, with and without weight. */
  readonly declines: readonly Decline[];
  /** True when one of the answers counts: the finding is not raised again. */
  readonly declined: boolean;
};

/** Code at head that proves a fix, and what it stands in. */
type Proof = NonNullable<State['findings'][number]['places'][number]['proof']>;

/** Of a finding to which nothing happened since it was made. */
export const asMade = { change: { kind: 'same' }, life: 'open', isBack: true, saidFixed: false, around: null } as const;

/** What the definition around it came to when somebody looked at it last; null where that is not known. */
export function stoodIn({ known, mark }: Pick<PriorFinding, 'known' | 'mark'>): string | null {
  return known === null ? (mark.around ?? null) : known.place.around;
}

/** The id of the finding that a place belongs to. */
export function findingId({ mark }: Pick<PriorFinding, 'mark'>): string {
  return mark.id;
}

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

/** A comment that says what another one says. */
export type Twin = Pick<KnownPart, 'mark' | 'held'>;

export type Memory = {
  /** What the log should say of it, one sentence each. */
  readonly notes?: readonly string[];
  /** What the rounds before knew; null when there is none, or it is lost. */
  readonly state: State | null;
  /** The number of the state that this run writes. */
  readonly nextState: number;
  /** Findings of two threads: these are said elsewhere, too. */
  readonly twins?: readonly KnownPart[];
  /** There were rounds before, and what they knew cannot be believed. */
  readonly isLost?: boolean;
  readonly prior: readonly PriorFinding[];
  /** How many runs of this name reviewed the pull request before. */
  readonly reviews: number;
  /** Who asked for no reviews on pushes; null or left out where nobody did. */
  readonly paused?: { readonly by: string; readonly url: string | null } | null;
  /** Whether what earlier runs found is known; `not-kept` where no key of this run could have signed it. */
  readonly earlier: 'known' | 'not-kept' | 'unknown';
};

/** Where there is nothing to remember: a laptop. */
export const noMemory: Memory = {
  ...{ state: null, nextState: 1, prior: [], reviews: 0 },
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

/** A place as it is kept: where it is, and by which lines it is known again. */
export function markedLines(anchor: Anchor): MarkedLines | null {
  if (anchor.kind === 'file') return null;
  const { side, startLine, endLine, quote } = anchor;
  return { side, startLine, endLine, digests: digestsOf(quote) };
}

/** Short digests of the lines of a quote, without the white space around them; blank lines have none. */
export function digestsOf(quote: string, most: number = kept.digests): readonly string[] {
  const filled = quote.split('\n').filter((line) => line.trim() !== '');
  return filled.slice(0, most).map((line) => digestOf(`line ${line.trim()}`, 8));
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
  return { id, knownAs: mark.id, path: pathNow(prior), anchor, ...known, ...rest, ...lost };
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
