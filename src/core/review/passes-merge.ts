import type { Finding } from '../findings/finding.ts';
import { placesIndex } from '../findings/places-index.ts';
import { isSameTitle, overlaps } from '../findings/same-matter.ts';
import { severities } from '../settings/severity.ts';

export type MergedPasses = {
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
  if (one.path !== other.path || !overlaps(one.anchor, other.anchor)) return null;
  const bothNameRules = one.ruleId !== null && other.ruleId !== null;
  if (bothNameRules && one.ruleId !== other.ruleId) return null;
  const sameTitle = isSameTitle(one.title, other.title);
  // Two findings about a whole file have nothing but their words in common.
  if (one.anchor.kind === 'file' || other.anchor.kind === 'file') return bothNameRules || sameTitle ? 2 : null;
  const start = Math.max(one.anchor.startLine, other.anchor.startLine);
  const end = Math.min(one.anchor.endLine, other.anchor.endLine);
  const all =
    Math.max(one.anchor.endLine, other.anchor.endLine) - Math.min(one.anchor.startLine, other.anchor.startLine);
  return (bothNameRules ? 2 : 0) + (sameTitle ? 1 : 0) + (end - start + 1) / (all + 1);
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
