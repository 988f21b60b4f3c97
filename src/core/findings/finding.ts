import type { Message } from '../messages/message.ts';
import type { Side } from '../repository/repository.ts';
import type { Category, Severity } from '../settings/setting.ts';
import { type Citation, formatLineRange } from './words.ts';

/** Where a finding points. Lines are 1-based and inclusive, at head (RIGHT) or at the merge base (LEFT). */
export type Anchor =
  | {
      readonly kind: 'lines';
      readonly side: Side;
      readonly startLine: number;
      readonly endLine: number;
      /** The source lines as `shown()` renders them, without gutter. */
      readonly quote: string;
      /** Where in a long first line of the quote it is: 1-based characters, the end exclusive. */
      readonly columns?: { readonly start: number; readonly end: number };
    }
  | { readonly kind: 'file' };

export type LinesAnchor = Extract<Anchor, { kind: 'lines' }>;

/** A finding whose quote was found: the line is computed by Postil, never taken from the model. */
export type Finding = {
  /** Unique in the run, such as `f1`. */
  readonly id: string;
  /** As the diff knows it: the new path, for a deleted file the old one. Any file at head when it is outside the diff. */
  readonly path: string;
  readonly anchor: Anchor;
  readonly title: string;
  readonly review: string;
  /** What was read that proves it, in words, with its places. */
  readonly evidence: string;
  /** The places of it whose lines are there; left out where nothing is cited. */
  readonly citations?: readonly Citation[];
  readonly severity: Severity;
  readonly category: Category;
  /** Replacement for the quoted lines. */
  readonly suggestion: string | null;
  /** The anchor is only the part of its lines that the diff shows: the suggestion can be read there, not applied. */
  readonly narrowed?: true;
  readonly ruleId: string | null;
  /** Id of the earlier finding that it repeats, in the model's word. Decides only where the places agree. */
  readonly sameAs?: string;
  /** The id by which every round knows it, such as `p-3f09ab12`: minted once. */
  readonly knownAs?: string;
  /** 0 to 1, the model's own. */
  readonly confidence: number;
  /** Verification bore it out, or looked at it and could not decide; absent where nothing verified it. */
  readonly verification?: 'confirmed' | 'undecided';
  readonly source: 'model' | 'rule';
  /** Other places of the same matter at head, such as `src/a.ts:12`: they count with this finding. */
  readonly alsoAt: readonly string[];
  /** How many more places there are than `alsoAt` names. */
  readonly alsoMore?: number;
  /** Those of `alsoAt`, looked up at head. Left out before that. */
  readonly others?: readonly { readonly path: string; readonly anchor: LinesAnchor }[];
  /** What the definitions around its places come to, its own first: see `Surroundings`. */
  readonly around?: readonly (string | null)[];
  /** Where it comes from, in a later round; left out for what every round says. */
  readonly origin?: Origin;
  /** It came late and below the floor: it has an id, and no comment. */
  readonly muted?: true;
  /** What its file is called at the merge base, where that is another name. */
  readonly oldPath?: string;
  /** Stands behind `review`, in the language of the pull request. */
  readonly note?: Message;
  /** The words of `review` where Postil wrote them and no rule has them. */
  readonly reviewMessages?: readonly Message[];
  /** Set where the code that it is about was not found: it stands on its file, or in the summary, and counts like any other. */
  readonly unplaced?: Unplaced;
  /** Set where something keeps it from being raised: it is listed, and counts nowhere. */
  readonly suppressed?: Suppressed;
  /** The batch whose conversation found it; left out for a rule. */
  readonly batch?: string;
  /** Lines of the diff around it, under their `@@` line; left out outside of the diff. */
  readonly hunk?: string;
  /** At head, where the lines that it is about were removed; left out for lines that are there, and where the file is gone. */
  readonly lineAtHead?: number;
};

/** Where a finding comes from that no earlier round knew. */
export type Origin =
  | { readonly kind: 'new' }
  /** Its file was read as a whole before, and nothing of what it is about changed. `reading` counts complete readings of the file. */
  | { readonly kind: 'late'; readonly reading: number }
  /** It stands in the lines that fixed another finding, whose id this is. */
  | { readonly kind: 'fix'; readonly of: string; readonly url: string | null; readonly generation: number };

/** Why a finding has no place, for people, and what the model took for the source. */
export type Unplaced = {
  readonly reason: Message;
  readonly quote: string | null;
  /** Nobody could read it as a finding, whatever it quotes. */
  readonly unreadable?: true;
};

/** Such as `src/a.ts:12`; of a whole file its path. */
export function placeOf({ path, anchor }: Pick<Finding, 'path' | 'anchor'>): string {
  return anchor.kind === 'lines' ? `${path}:${anchor.startLine}` : path;
}

/** Such as `src/a.ts:12-14`; of a whole file its path. */
export function fullPlaceOf({ path, anchor }: Pick<Finding, 'path' | 'anchor'>): string {
  return anchor.kind === 'lines'
    ? `${path}:${formatLineRange({ start: anchor.startLine, end: anchor.endLine })}`
    : path;
}

/** The places a finding can be delivered to, best first. `report` is the last: always written when a file is named. */
export const places = ['inline', 'file', 'body', 'annotation', 'summary'] as const;
export type Place = (typeof places)[number];

/** What keeps a finding from being raised. `people`: somebody with write permission declined it. */
export const suppressors = ['verification', 'already-there', 'follow-up', 'rule-comment', 'people'] as const;
export type SuppressedBy = (typeof suppressors)[number];

/**
 * By verification, which refuted it, found it to be older than the change, or did not confirm what one of several passes found; by the model, which
 * withdrew it; by a comment in the code; or by people.
 */
export type Suppressed = {
  readonly by: SuppressedBy;
  readonly reason: Message;
  /** Left out where nobody had to prove it. */
  readonly proof?: Proof;
};

/** Source that disproves a finding: it was found in the file. */
export type Proof = { readonly path: string; readonly quote: string };

export function suppress(finding: Finding, suppressed: Suppressed): Finding {
  return { ...finding, suppressed };
}

/** Where people see a finding: first as it is decided, then as it was delivered. Every finding of a review has one. */
export type Position = {
  /** `standing`: raised by an earlier run and not fixed: an earlier comment says it, so it is counted and not said again. */
  readonly place: Place | 'suppressed' | 'standing';
  /** Why it is there and not inline; null when it is inline. */
  readonly reason: Message | null;
  /** `min-severity` or `min-confidence` leaves it out. */
  readonly belowThreshold?: true;
  /** Of the comment that says it, as far as there is one. */
  readonly url: string | null;
  /** Of an earlier finding whose lines changed unchecked, or that was fixed and came back. */
  readonly life?: 'changed' | 'returned';
  /** Of a standing one, where the earlier run said it; `sticky`: no comment of its own holds it. */
  readonly held?: 'thread' | 'review' | 'sticky';
};

export type PlacedFinding = Finding &
  Position & {
    /** Of a standing one that came back: what is said if its thread cannot be opened again. */
    readonly anew?: PlacedFinding;
  };

/** A finding that is listed, and raised nowhere. */
export function unraised(finding: Finding, suppressed: Suppressed, url: string | null = null): PlacedFinding {
  return placed({ ...finding, suppressed }, 'suppressed', { reason: suppressed.reason, url });
}

/** A finding that is to go there. */
export function placed(
  finding: Finding,
  place: Position['place'],
  more: Partial<Omit<Position, 'place'>> = {},
): PlacedFinding {
  return { ...finding, reason: null, url: null, ...more, place };
}

/** How much of what a model can multiply in its answers, or a pull request in its findings, is looked at. */
export const limits = {
  /** Findings about the same 32 lines, or about a file as a whole, that one more is compared with. Those beyond are taken for other matters. */
  samePlace: 100,
  /** Lines from its first on in which a finding can meet another. */
  placeLines: 16_384,
  /** Characters of a title that tell one matter from another. */
  titleCharacters: 1_000,
  /** Places of one finding that are known one by one, its own among them. */
  places: 10,
} as const;
