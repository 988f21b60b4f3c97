import type { Hunk } from '../pull-request/changed-file.ts';
import { shown } from '../repository/shown.ts';
import type { Rule } from './rule.ts';

export type Hit = { readonly path: string; readonly line: number; readonly quote: string };

export type RuleHits = {
  readonly rule: Rule;
  readonly first: readonly Hit[];
  /** Such as `src/a.ts:12`, and at the end `and 120 more`. */
  readonly otherPlaces: readonly string[];
};

type Place = {
  readonly path: string;
  readonly hunk: Hunk;
  /** Of the line in the hunk. */
  readonly index: number;
  /** Of the line at head, 1-based. */
  readonly line: number;
};
type Collected = { readonly rule: Rule; readonly first: Hit[]; readonly places: string[]; left: number };

const maxFindings = 10;
const maxPlaces = 20;

/** Keeps the first hits of each rule and counts the others: a change may break a rule a million times. */
export function collectHits(): { add(rule: Rule, place: Place): void; all(): readonly RuleHits[] } {
  const byRule = new Map<Rule, Collected>();
  return {
    add: (rule, place) => {
      const collected = byRule.get(rule) ?? { rule, first: [], places: [], left: 0 };
      byRule.set(rule, collected);
      if (collected.first.length < maxFindings) collected.first.push(hitAt(place));
      else if (collected.places.length < maxPlaces) collected.places.push(`${place.path}:${place.line}`);
      else collected.left += 1;
    },
    all: () =>
      [...byRule.values()].map(({ rule, first, places, left }) => ({
        rule,
        first,
        otherPlaces: left === 0 ? places : [...places, `and ${left} more`],
      })),
  };
}

// A private key of 4,096 bits has 52 lines.
const linesAround = 100;

/** The line as readers see it: rendered with those around it, because a private key is only known from its borders. */
function hitAt({ path, hunk, index, line }: Place): Hit {
  const start = Math.max(0, index - linesAround);
  const around = hunk.lines.slice(start, index + linesAround).map((text) => text.slice(1));
  return { path, line, quote: shown(around)[index - start]?.text ?? '' };
}
