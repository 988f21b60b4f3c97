import type { Finding } from './finding.ts';

/** The places a finding can be delivered to, best first. `report` is the last: always written when a file is named. */
export const places = ['inline', 'file', 'body', 'annotation', 'summary'] as const;
export type Place = (typeof places)[number];

/** What keeps a finding from being raised, where that is not a person's refusal. */
export const suppressors = ['verification', 'follow-up', 'rule-comment'] as const;
export type SuppressedBy = (typeof suppressors)[number];

/** Where a finding may go, decided before anything is posted. */
export type Placement =
  | { readonly finding: Finding; readonly place: 'inline' | 'file' }
  | { readonly finding: Finding; readonly place: 'body' | 'summary'; readonly reason: string }
  /** Somebody with write permission refused it earlier, the verification refuted it, or a comment in the code asks for it. */
  | {
      readonly finding: Finding;
      readonly place: 'suppressed';
      readonly reason: string;
      /** People refused it when this is left out. */
      readonly by?: SuppressedBy;
    }
  /** Raised by an earlier run and not fixed: an earlier comment says it, so it is counted and not said again. */
  | {
      readonly finding: Finding;
      readonly place: 'standing';
      readonly reason: string;
      readonly url: string | null;
      /** Where the earlier run said it; `sticky`: no comment of its own holds it. */
      readonly held: 'thread' | 'review' | 'sticky';
    };
