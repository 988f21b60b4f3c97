import { severities } from '../settings/setting.ts';
import { type Finding, fullPlaceOf, limits } from './finding.ts';
import { placesIndex } from './place.ts';
import { isOne, isSameTitle, similarity, wordsOf } from './similarity.ts';

/**
 * Makes one finding of those that are one in several batches, answers or the rule engine. It keeps the richer text and the higher severity. Within
 * a group nothing is merged: who names two things on one line means two.
 */
export function mergeFindings(
  groups: readonly (readonly Finding[])[],
  isSame: (one: Finding, other: Finding) => boolean,
): readonly Finding[] {
  return groups.reduce((earlier, group) => mergeGroup(earlier, { group, isSame }), []);
}

function mergeGroup(
  earlier: readonly Finding[],
  { group, isSame }: { group: readonly Finding[]; isSame: (one: Finding, other: Finding) => boolean },
): readonly Finding[] {
  const mergedInto = new Map<Finding, Finding>();
  const others: Finding[] = [];
  const near = placesIndex(earlier, (one) => one);
  for (const finding of group) {
    const one = near(finding).find((candidate) => !mergedInto.has(candidate) && isSame(candidate, finding));
    if (one === undefined) others.push(finding);
    else mergedInto.set(one, mergeTwo(one, finding));
  }
  return [...earlier.map((one) => mergedInto.get(one) ?? one), ...others];
}

/** Without the items that say word for word what one before them says at the same place. */
export function withoutEchoes(findings: readonly Finding[]): readonly Finding[] {
  const words = ({ path, anchor, title, review, ruleId, category, severity }: Finding) =>
    JSON.stringify([path, anchor, title, review, ruleId, category, severity]);
  return [...new Map(findings.toReversed().map((finding) => [words(finding), finding])).values()].toReversed();
}

function mergeTwo(one: Finding, other: Finding): Finding {
  const [kept, given] = isRicher(other, one) ? [other, one] : [one, other];
  return {
    ...kept,
    id: one.id,
    review: reviewOf(kept, given),
    severity: severities.find((severity) => severity === one.severity || severity === other.severity) ?? kept.severity,
    suggestion: kept.suggestion ?? (samePlace(kept, given) ? given.suggestion : null),
    ...evidenceOf(kept, given),
    ruleId: kept.ruleId ?? given.ruleId,
    ...(given.sameAs === undefined ? {} : { sameAs: kept.sameAs ?? given.sameAs }),
    confidence: Math.max(one.confidence, other.confidence),
    alsoAt: alsoAt(kept, given),
    ...alsoMore(kept, given),
  };
}

/** What was said in other words is not lost: it may have been another defect after all. */
function reviewOf(kept: Finding, given: Finding): string {
  if (given.source === 'rule' || kept.source === 'rule' || isSameTitle(kept.title, given.title)) return kept.review;
  return `${kept.review}\n\nAlso reported as: ${given.title}`;
}

/** Of the one that cites more: a corrected citation comes with a finding that was accepted before. */
function evidenceOf(kept: Finding, given: Finding): Pick<Finding, 'evidence' | 'citations'> {
  const cites = ({ citations = [] }: Finding) => citations.length;
  const isBetter = kept.evidence === '' || cites(given) > cites(kept);
  const { evidence, citations } = isBetter ? given : kept;
  return { evidence, ...(citations === undefined ? {} : { citations }) };
}

/** A model explains this case, a rule explains the rule; then the longer text tells more. */
function isRicher(one: Finding, other: Finding): boolean {
  if (one.source !== other.source) return one.source === 'model';
  return textLength(one) > textLength(other);
}

function textLength({ review, evidence }: Finding): number {
  return review.length + evidence.length;
}

function samePlace(one: Finding, other: Finding): boolean {
  return one.anchor.kind === other.anchor.kind && fullPlaceOf(one) === fullPlaceOf(other);
}

function alsoAt(kept: Finding, given: Finding): readonly string[] {
  const { anchor } = given;
  // Named places are at head.
  const isNamed = !isInside(given, kept) && anchor.kind === 'lines' && anchor.side === 'RIGHT';
  const own = isNamed ? [fullPlaceOf(given)] : [];
  return [...new Set([...kept.alsoAt, ...given.alsoAt, ...own])].filter((other) => other !== fullPlaceOf(kept));
}

function alsoMore(kept: Finding, given: Finding): Pick<Finding, 'alsoMore'> {
  const count = (kept.alsoMore ?? 0) + (given.alsoMore ?? 0);
  return count === 0 ? {} : { alsoMore: count };
}

function isInside({ anchor: inner }: Finding, { anchor: outer }: Finding): boolean {
  if (inner.kind === 'file' || outer.kind === 'file') return true;
  return outer.startLine <= inner.startLine && inner.endLine <= outer.endLine;
}

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

type MergedPasses = {
  /** Each matter once, in the words of the pass that proved it best. */
  readonly findings: readonly Finding[];
  /** Ids of those that only one pass made. */
  readonly once: ReadonlySet<string>;
};

/** What several passes over the same files found, merged by agreement: one to one, the best match first. Within a pass nothing is merged. */
export function mergePasses(passes: readonly (readonly Finding[])[]): MergedPasses {
  const matters: Finding[][] = [];
  for (const pass of passes) addPass(matters, pass);
  const merged = matters.map((matter) => ({ finding: bestOf(matter), count: matter.length }));
  return {
    findings: merged.map(({ finding }) => finding),
    once: new Set(merged.filter(({ count }) => count === 1).map(({ finding }) => finding.id)),
  };
}

function addPass(matters: Finding[][], pass: readonly Finding[]): void {
  // By the first of each: the others were found to share lines with it.
  const near = placesIndex([...matters], ([first]) => first ?? null);
  const pairs = pass.flatMap((finding) => near(finding).flatMap((matter) => pairOf(finding, matter)));
  const met = new Set<Finding | Finding[]>();
  for (const { finding, matter } of pairs.toSorted((one, other) => other.score - one.score)) {
    if (met.has(finding) || met.has(matter)) continue;
    met.add(finding).add(matter);
    matter.push(finding);
  }
  matters.push(...pass.filter((finding) => !met.has(finding)).map((finding) => [finding]));
}

type Pair = { readonly finding: Finding; readonly matter: Finding[]; readonly score: number };

/** The same rule or title counts more than any overlap. */
function pairOf(finding: Finding, matter: Finding[]): readonly Pair[] {
  const scores = matter.map((one) => scoreOf(finding, one));
  return scores.includes(null) ? [] : [{ finding, matter, score: Math.max(...scores.map(Number)) }];
}

function scoreOf(one: Finding, other: Finding): number | null {
  if (!isOne.inPasses(one, other)) return null;
  const { rule, shared } = similarity(one, other);
  return (rule === 'same' ? 2 : 0) + (isSameTitle(one.title, other.title) ? 1 : 0) + (shared ?? 0);
}

/** The most severe, and of these the one with the longest evidence; with the places of all. */
function bestOf(matter: readonly Finding[]): Finding {
  const [best] = matter.toSorted(
    (one, other) =>
      severities.indexOf(one.severity) - severities.indexOf(other.severity) ||
      other.evidence.length - one.evidence.length,
  );
  if (best === undefined) throw new Error('a matter without findings');
  const places = new Set(matter.flatMap((one) => one.alsoAt));
  return { ...best, alsoAt: [...places].filter((place) => place !== fullPlaceOf(best)) };
}
