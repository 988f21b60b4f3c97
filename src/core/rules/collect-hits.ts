import type { Hunk } from '../pull-request/changed-file.ts';
import { shown } from '../repository/shown.ts';
import type { Rule } from './rule.ts';

export type Hit = {
  readonly path: string;
  /** At head, 1-based and inclusive. */
  readonly startLine: number;
  readonly endLine: number;
  readonly quote: string;
};

export type RuleHits = {
  readonly rule: Rule;
  readonly first: readonly Hit[];
  /** Such as `src/a.ts:12`, and at the end `and 120 more`. */
  readonly otherPlaces: readonly string[];
};

/** Added lines of a hunk that a rule matched. */
export type Place = {
  readonly path: string;
  readonly hunk: Hunk;
  /** Of its first line among the lines of the hunk. */
  readonly index: number;
  /** Of that line at head, 1-based. */
  readonly line: number;
  readonly lines: number;
};
type Hide = (text: string) => string;
type Collected = { readonly rule: Rule; readonly first: Hit[]; readonly places: string[]; left: number };

const maxPlaces = 20;
// A finding points at the beginning of a longer match: nobody reads a comment on hundreds of lines.
const maxLines = 20;

/** Keeps the first hits of each rule and counts the others: a change may break a rule a million times. */
export function collectHits(hide: Hide): { add(rule: Rule, place: Place): void; all(): readonly RuleHits[] } {
  const byRule = new Map<Rule, Collected>();
  return {
    add: (rule, place) => {
      const collected = byRule.get(rule) ?? { rule, first: [], places: [], left: 0 };
      byRule.set(rule, collected);
      if (collected.first.length < rule.maxFindings) collected.first.push(hitAt(place, hide));
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

/** The lines as readers see them: rendered with those around, because a private key is only known from its borders. */
export function hitAt({ path, hunk, index, line, lines }: Place, hide: Hide): Hit {
  const start = Math.max(0, index - linesAround);
  const before = headSide(hunk.lines.slice(start, index));
  const from = headSide(hunk.lines.slice(index, index + linesAround));
  const count = Math.min(lines, maxLines, from.length);
  const quoted = shown([...before, ...from].map(hide)).slice(before.length, before.length + count);
  const quote = quoted.map(({ text }) => text).join('\n');
  return { path, startLine: line, endLine: line + count - 1, quote };
}

function headSide(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => line.startsWith('+') || line.startsWith(' ')).map((line) => line.slice(1));
}
