import { type Finding, fullPlaceOf } from './finding.ts';
import { inOnePlace, wordsOf } from './merge.ts';

/**
 * One finding of those that say the same of several places: the first one, with the places of the others. The same words of the title, category,
 * severity and rule decide; who says it in other words, or twice of one line, means another defect. What is about removed lines or no lines stays alone.
 */
export function gatherCauses(findings: readonly Finding[]): readonly Finding[] {
  const causes = new Map<string, Finding>();
  for (const finding of findings) {
    const key = keyOf(finding) ?? finding.id;
    const first = causes.get(key);
    if (first === undefined) causes.set(key, finding);
    else if (inOnePlace(first, finding)) causes.set(finding.id, finding);
    else causes.set(key, withPlacesOf(first, finding));
  }
  return [...causes.values()];
}

/** Fewer words, such as "Missing check", name a kind of defect and no defect. */
const fewestWords = 3;

function keyOf({ title, category, severity, ruleId, source, anchor, sameAs, suppressed }: Finding): string | null {
  if (source === 'rule' || suppressed !== undefined || anchor.kind === 'file' || anchor.side === 'LEFT') return null;
  const words = [...wordsOf(title)].sort();
  return words.length < fewestWords ? null : JSON.stringify([words, category, severity, ruleId, sameAs]);
}

function withPlacesOf(first: Finding, other: Finding): Finding {
  const places = [...first.alsoAt, fullPlaceOf(other), ...other.alsoAt].filter((place) => place !== fullPlaceOf(first));
  return { ...first, confidence: Math.max(first.confidence, other.confidence), alsoAt: [...new Set(places)] };
}
