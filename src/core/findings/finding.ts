import type { Side } from '../repository/repository.ts';
import type { Severity } from '../settings/severity.ts';

export const categories = [
  'bug',
  'security',
  'performance',
  'maintainability',
  'test',
  'style',
  'documentation',
  'other',
] as const;
export type Category = (typeof categories)[number];

/** Where a finding points. Lines are 1-based and inclusive, at head (RIGHT) or at the merge base (LEFT). */
export type Anchor =
  | {
      readonly kind: 'lines';
      readonly side: Side;
      readonly startLine: number;
      readonly endLine: number;
      /** The source lines as `shown()` renders them, without gutter. */
      readonly quote: string;
    }
  | { readonly kind: 'file' };

/** A finding whose quote was found: the line is computed by Postil, never taken from the model. */
export type Finding = {
  /** Unique in the run, such as `f1`. */
  readonly id: string;
  /** As the diff knows it: the new path, for a deleted file the old one. Any file at head when it is outside the diff. */
  readonly path: string;
  readonly anchor: Anchor;
  readonly title: string;
  readonly review: string;
  readonly evidence: string;
  readonly severity: Severity;
  readonly category: Category;
  /** Replacement for the quoted lines. */
  readonly suggestion: string | null;
  /** The anchor is only the part of its lines that the diff shows: the suggestion can be read there, not applied. */
  readonly narrowed?: true;
  readonly ruleId: string | null;
  /** Id of the earlier finding that it repeats, in the model's word. Decides only where the places agree. */
  readonly sameAs?: string;
  /** 0 to 1, the model's own. */
  readonly confidence: number;
  readonly source: 'model' | 'rule';
  /** Other places where the same matter was found, such as `src/a.ts:12`. */
  readonly alsoAt: readonly string[];
};
