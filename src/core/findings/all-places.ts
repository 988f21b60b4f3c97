import type { ShownLine } from '../repository/shown.ts';
import { type Finding, fullPlaceOf, type LinesAnchor, limits } from './finding.ts';
import { inOnePlace, isOne, wordsOf } from './similarity.ts';
import { parsePlace } from './words.ts';

/**
 * One finding of those that say the same of several places: the first one, with the places of the others. Who says it in other words, or twice of
 * one line, means another defect. What is about removed lines or no lines stays alone.
 */
export function gatherCauses(findings: readonly Finding[]): readonly Finding[] {
  const causes = new Map<Finding, Finding>();
  const byWords = new Map<string, Finding[]>();
  for (const finding of findings) {
    const words = causeOf(finding);
    const alike = (words === null ? undefined : byWords.get(words)) ?? [];
    const first = alike.find((one) => one.sameAs === finding.sameAs && isOne.elsewhere(one, finding));
    if (first !== undefined) causes.set(first, withPlacesOf(causes.get(first) ?? first, finding));
    else {
      causes.set(finding, finding);
      if (words !== null && alike.length < limits.samePlace) byWords.set(words, [...alike, finding]);
    }
  }
  return [...causes.values()];
}

/** Fewer words, such as "Missing check", name a kind of defect and no defect. */
const fewestWords = 3;

function causeOf({ title, source, anchor, suppressed }: Finding): string | null {
  if (source === 'rule' || suppressed !== undefined || anchor.kind === 'file' || anchor.side === 'LEFT') return null;
  const words = [...wordsOf(title)].sort();
  return words.length < fewestWords ? null : words.join(' ');
}

function withPlacesOf(first: Finding, other: Finding): Finding {
  const places = [...first.alsoAt, fullPlaceOf(other), ...other.alsoAt].filter((place) => place !== fullPlaceOf(first));
  return { ...first, confidence: Math.max(first.confidence, other.confidence), alsoAt: [...new Set(places)] };
}

/** Lines of a file at head as people see them; null where there is no text. */
type ReadHead = (path: string) => Promise<readonly ShownLine[] | null>;

/**
 * The same findings with their other places looked up. What is not there, and what is beyond `limits.places`, is counted in `alsoMore`; what meets
 * a place before it is no other one.
 */
export function withPlaces(findings: readonly Finding[], read: ReadHead): Promise<readonly Finding[]> {
  return Promise.all(findings.map((finding) => (finding.alsoAt.length === 0 ? finding : lookedUp(finding, read))));
}

async function lookedUp(finding: Finding, read: ReadHead): Promise<Finding> {
  const others: OtherPlace[] = [];
  let left = finding.alsoMore ?? 0;
  for (const text of finding.alsoAt) {
    const named = placeIn(text);
    if (named !== null && [finding, ...others].some((one) => inOnePlace(one, named))) continue;
    const place = named === null || others.length + 1 === limits.places ? null : await withQuote(named, read);
    if (place === null) left += 1;
    else others.push(place);
  }
  const more = left === 0 ? {} : { alsoMore: left };
  return { ...finding, others, alsoAt: others.map(fullPlaceOf), ...more };
}

type OtherPlace = NonNullable<Finding['others']>[number];

function placeIn(text: string): OtherPlace | null {
  const named = parsePlace(text);
  if (named === null) return null;
  const { start, end } = named.range;
  return { path: named.path, anchor: { kind: 'lines', side: 'RIGHT', startLine: start, endLine: end, quote: '' } };
}

async function withQuote({ path, anchor }: OtherPlace, read: ReadHead): Promise<OtherPlace | null> {
  const lines = (await read(path).catch(() => null)) ?? [];
  if (anchor.endLine > lines.length) return null;
  const quoted = lines.slice(anchor.startLine - 1, anchor.endLine).map(({ text }) => text);
  const found: LinesAnchor = { ...anchor, quote: quoted.join('\n') };
  return { path, anchor: found };
}
