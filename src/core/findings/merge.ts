import { severities } from '../settings/setting.ts';
import { type Anchor, type Finding, fullPlaceOf, type LinesAnchor, limits } from './finding.ts';
import { placesIndex } from './place.ts';

/**
 * Makes one finding of those that several batches, passes or the rule engine have at the same place about the same matter. It keeps the
 * richer text and the higher severity. Within a group nothing is merged: who names two things on one line means two.
 */
export function mergeFindings(
  groups: readonly (readonly Finding[])[],
  isSame: (one: Finding, other: Finding) => boolean = isSameFinding,
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
  const words = ({ path, anchor, title, review }: Finding) => JSON.stringify([path, anchor, title, review]);
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
  const own = isInside(given, kept) ? [] : [fullPlaceOf(given)];
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

/** What decides whether two findings are one. */
type Matter = Pick<Finding, 'path' | 'anchor' | 'title' | 'ruleId' | 'source'>;

/** True when both point at the same place and speak of the same matter. When unsure they are two: a lost bug costs more than an echo. */
function isSameFinding(one: Matter, other: Matter): boolean {
  return inOnePlace(one, other) && isSameMatter(one, other);
}

/** True when both are about a common line of a file, or about the whole of it. */
export function inOnePlace(one: Pick<Finding, 'path' | 'anchor'>, other: Pick<Finding, 'path' | 'anchor'>): boolean {
  return one.path === other.path && overlaps(one.anchor, other.anchor);
}

/** True when the places share a line on the same side, or are both the whole file. */
export function overlaps(one: Anchor, other: Anchor): boolean {
  if (one.kind === 'file' || other.kind === 'file') return one.kind === other.kind;
  return one.side === other.side && one.startLine <= other.endLine && other.startLine <= one.endLine;
}

/**
 * The same for findings of two reviewers: also when their titles speak of the same names of the code that they quote, and both
 * are of one category. A rule knows no names: it and a model mean the same when they share a word on mostly the same lines.
 */
export function inOtherWords(one: Finding, other: Finding): boolean {
  if (isSameFinding(one, other)) return true;
  if (!inOnePlace(one, other)) return false;
  if (one.anchor.kind === 'file' || other.anchor.kind === 'file' || one.category !== other.category) return false;
  if (one.source !== other.source) {
    return shareInCommon(one.anchor, other.anchor) >= mostlyShared && sharesRuleWord(one, other);
  }
  if (one.ruleId !== other.ruleId && one.ruleId !== null && other.ruleId !== null) return false;
  const code = [namesIn(one.anchor), namesIn(other.anchor)];
  const names = [one, other].map(({ title }) =>
    [...wordsOf(title)]
      .filter((word) => code.some((some) => some.has(word)))
      .sort()
      .join(' '),
  );
  return names[0] !== '' && names[0] === names[1];
}

const mostlyShared = 1 / 3;

/** Whether two findings of a model are about the same code of a file. */
export function onMostlyTheSameLines(one: Finding, other: Finding): boolean {
  if (one.source !== other.source || !inOnePlace(one, other)) return false;
  if (one.anchor.kind === 'file' || other.anchor.kind === 'file') return false;
  return shareInCommon(one.anchor, other.anchor) >= mostlyShared;
}

/** True when the model's title has a word of the rule's title or of its id, such as `sql` of `sql-concatenation`, and the model names no rule. */
function sharesRuleWord(one: Finding, other: Finding): boolean {
  const [rule, model] = one.source === 'rule' ? [one, other] : [other, one];
  if (rule.ruleId === null || model.ruleId !== null) return false;
  const words = wordsOf(`${rule.title} ${rule.ruleId.replaceAll('-', ' ')}`);
  return [...wordsOf(model.title)].some((word) => words.has(word) && !vagueWords.has(word));
}

const vagueWords = new Set('code file from line lines source text used value values written'.split(' '));

/** Of one quote, in characters: what a title speaks of stands early. */
const quoteCharacters = 4_000;
/** Of each place once: it is compared with all that is there. */
const namesOf = new WeakMap<LinesAnchor, ReadonlySet<string>>();

function namesIn(anchor: LinesAnchor): ReadonlySet<string> {
  const names = namesOf.get(anchor) ?? significantWords(anchor.quote.slice(0, quoteCharacters));
  namesOf.set(anchor, names);
  return names;
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

export function wordsOf(title: string): ReadonlySet<string> {
  const text = title.slice(0, limits.titleCharacters).toLowerCase();
  const words = known.get(text) ?? significantWords(text);
  if (known.size >= mostKnown) known.clear();
  known.set(text, words);
  return words;
}

function significantWords(text: string): ReadonlySet<string> {
  return new Set(
    text
      .toLowerCase()
      .match(/[\p{L}\p{N}_]+/gu)
      ?.filter((word) => !littleWords.has(word)),
  );
}

type MergedPasses = {
  /** Each matter once, in the words of the pass that proved it best. */
  readonly findings: readonly Finding[];
  /** Ids of those that only one pass made. */
  readonly once: ReadonlySet<string>;
};

/**
 * What several passes over the same files found, merged by agreement. Two findings are one when they are about a common line of a path and do
 * not name two rules, however they are worded; one to one, the best match first. Within a pass nothing is merged.
 */
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
  if (!inOnePlace(one, other)) return null;
  const bothNameRules = one.ruleId !== null && other.ruleId !== null;
  if (bothNameRules && one.ruleId !== other.ruleId) return null;
  const sameTitle = isSameTitle(one.title, other.title);
  // Two findings about a whole file have nothing but their words in common.
  if (one.anchor.kind === 'file' || other.anchor.kind === 'file') return bothNameRules || sameTitle ? 2 : null;
  return (bothNameRules ? 2 : 0) + (sameTitle ? 1 : 0) + shareInCommon(one.anchor, other.anchor);
}

/** Of all lines of two places that overlap, the part that both have. */
export function shareInCommon(one: LinesAnchor, other: LinesAnchor): number {
  const common = Math.min(one.endLine, other.endLine) - Math.max(one.startLine, other.startLine) + 1;
  return common / (Math.max(one.endLine, other.endLine) - Math.min(one.startLine, other.startLine) + 1);
}

/** The most severe, and of these the one with the longest evidence. */
function bestOf(matter: readonly Finding[]): Finding {
  const [best] = matter.toSorted(
    (one, other) =>
      severities.indexOf(one.severity) - severities.indexOf(other.severity) ||
      other.evidence.length - one.evidence.length,
  );
  if (best === undefined) throw new Error('a matter without findings');
  return best;
}
