import type { Anchor, Finding } from './finding.ts';
import { limits } from './limits.ts';

/** What decides whether two findings are one. */
export type Matter = Pick<Finding, 'path' | 'anchor' | 'title' | 'ruleId' | 'source'>;

/** True when both point at the same place and speak of the same matter. When unsure they are two: a lost bug costs more than an echo. */
export function isSameFinding(one: Matter, other: Matter): boolean {
  return one.path === other.path && overlaps(one.anchor, other.anchor) && isSameMatter(one, other);
}

/** True when the places share a line on the same side, or are both the whole file. */
export function overlaps(one: Anchor, other: Anchor): boolean {
  if (one.kind === 'file' || other.kind === 'file') return one.kind === other.kind;
  return one.side === other.side && one.startLine <= other.endLine && other.startLine <= one.endLine;
}

/** Two rules are never one matter. A rule that a pattern and a model both report is. Otherwise the titles decide. */
function isSameMatter(one: Matter, other: Matter): boolean {
  const bothNameRules = one.ruleId !== null && other.ruleId !== null;
  if (bothNameRules && one.ruleId !== other.ruleId) return false;
  if (bothNameRules && one.source !== other.source) return true;
  return isSameTitle(one.title, other.title);
}

// With 0.8 "user may be null" and "order may be null" stay two: three of four words are not enough.
const commonShare = 0.8;

/** True when the shorter title's words, little words apart, are nearly all in the longer one. */
export function isSameTitle(one: string, other: string): boolean {
  const words = wordsOf(one);
  const otherWords = wordsOf(other);
  const common = [...words].filter((word) => otherWords.has(word)).length;
  const fewer = Math.min(words.size, otherWords.size);
  if (common < 2) return one.trim().toLowerCase() === other.trim().toLowerCase();
  return common / fewer >= commonShare;
}

const littleWords = new Set(
  'a an the is are be was may can could might will to of in on at by for from with and or not no it its this that when if'.split(
    ' ',
  ),
);

// A title is compared with each of a hundred others at its place.
const known = new Map<string, ReadonlySet<string>>();
const mostKnown = 20_000;

function wordsOf(title: string): ReadonlySet<string> {
  const text = title.slice(0, limits.titleCharacters).toLowerCase();
  const words = known.get(text) ?? new Set(text.match(/[\p{L}\p{N}_]+/gu)?.filter((word) => !littleWords.has(word)));
  if (known.size >= mostKnown) known.clear();
  known.set(text, words);
  return words;
}
