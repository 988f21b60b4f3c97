import type { Hunk } from '../pull-request/changed-file.ts';
import { shown } from '../repository/shown.ts';
import type { Rule } from './rule.ts';

export type Hit = {
  readonly path: string;
  /** At head, 1-based and inclusive. */
  readonly startLine: number;
  readonly endLine: number;
  readonly quote: string;
  readonly what: string | null;
};

export type RuleHits = {
  readonly rule: Rule;
  readonly hits: readonly CollectedHit[];
};

export type CollectedHit = Hit & {
  /** Such as `src/a.ts:12`, and at the end `and 120 more`. */
  readonly alsoAt: readonly string[];
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
  /** The credential there, as people call it; null for what only the rule knows. */
  readonly what: string | null;
};
type Hide = (text: string) => string;
type Collected = Hit & { readonly places: string[]; left: number };

/** Names another place in a finding. */
export type AlsoAt = (place: Pick<Place, 'path' | 'line'>) => void;

const maxPlaces = 20;
// A finding points at the beginning of a longer match: nobody reads a comment on hundreds of lines.
const maxLines = 20;

/** Keeps the first hits of each rule and counts the others: a change may break a rule a million times. */
export function collectHits(hide: Hide): { add(rule: Rule, place: Place): AlsoAt; all(): readonly RuleHits[] } {
  const byRule = new Map<Rule, Collected[]>();
  let last: { readonly place: Place; readonly hit: Hit } | null = null;
  // Many rules may hit one line, and it may have megabytes: it is rendered once.
  const rendered = (place: Place): Hit => {
    const { hunk, index, lines } = place;
    const known = last !== null && last.place.hunk === hunk && last.place.index === index && last.place.lines === lines;
    const hit = last !== null && known ? { ...last.hit, what: place.what } : hitAt(place, hide);
    last = { place, hit };
    return hit;
  };
  return {
    add: (rule, place) => {
      const collected = byRule.get(rule) ?? [];
      byRule.set(rule, collected);
      const last = collected.at(-1);
      if (last !== undefined && collected.length >= rule.maxFindings) {
        alsoAt(last)(place);
        return alsoAt(last);
      }
      const hit: Collected = { ...rendered(place), places: [], left: 0 };
      collected.push(hit);
      return alsoAt(hit);
    },
    all: () =>
      [...byRule].map(([rule, collected]) => ({
        rule,
        hits: collected.map(({ places, left, ...hit }) => ({
          ...hit,
          alsoAt: left === 0 ? places : [...places, `and ${left} more`],
        })),
      })),
  };
}

function alsoAt(hit: Collected): AlsoAt {
  return ({ path, line }) => {
    if (hit.places.length < maxPlaces) hit.places.push(`${path}:${line}`);
    else hit.left += 1;
  };
}

// A private key of 4,096 bits has 52 lines.
const linesAround = 100;

/** The lines as readers see them: rendered with those around, because a private key is only known from its borders. */
export function hitAt({ path, hunk, index, line, lines, what }: Place, hide: Hide): Hit {
  const start = Math.max(0, index - linesAround);
  const before = headSide(hunk.lines.slice(start, index));
  const from = headSide(hunk.lines.slice(index, index + linesAround));
  const count = Math.min(lines, maxLines, from.length);
  const quoted = shown([...before, ...from].map(hide)).slice(before.length, before.length + count);
  const quote = quoted.map(({ text }) => text).join('\n');
  return { path, startLine: line, endLine: line + count - 1, quote, what };
}

function headSide(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => line.startsWith('+') || line.startsWith(' ')).map((line) => line.slice(1));
}
