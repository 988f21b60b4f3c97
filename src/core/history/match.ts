import { type Finding, fullPlaceOf } from '../findings/finding.ts';
import { placesIndex } from '../findings/place.ts';
import { isOne, isSameDeclined, isSameDefect, overlaps, shareInCommon } from '../findings/similarity.ts';
import { atLeast, severities } from '../settings/setting.ts';
import { digestsOf, findingId, type PriorFinding, stoodIn } from './memory.ts';

/** A finding of this run at one of its places, and what that place was before. */
type Matched = { readonly finding: Finding; readonly prior: PriorFinding };

/** What the findings of this run are to those of earlier ones. Every place of each is in exactly one list. */
export type Matching = {
  /** With the places that nobody raised before. */
  readonly fresh: readonly Finding[];
  /** Raised before, found again. */
  readonly standing: readonly Matched[];
  /** Raised before and declined by somebody who may. */
  readonly declinedAgain: readonly Matched[];
  /** Raised before, not found again: not being mentioned is no dismissal. */
  readonly unseen: readonly PriorFinding[];
};

type Place = Pick<Finding, 'path' | 'anchor'>;
/** One place of a finding of this run: the finding as it is there. */
type Spot = { readonly finding: Finding; readonly of: Finding; readonly quote: readonly string[] };

/** One to one, best overlap first, place by place: two findings on one line stay two (identity is a match, not a hash). */
export function matchFindings(findings: readonly Finding[], prior: readonly PriorFinding[]): Matching {
  const matched = new Map<Spot, PriorFinding>();
  const taken = new Set<PriorFinding>();
  const spots = findings.flatMap(spotsOf);
  for (const { spot, prior: candidate } of pairsOf(spots, prior)) {
    if (matched.has(spot) || taken.has(candidate)) continue;
    matched.set(spot, candidate);
    taken.add(candidate);
  }
  const pairs = [...matched].map(([{ finding }, one]) => ({ finding, prior: one }));
  const left = spots.filter((spot) => !matched.has(spot) && !isBeyond(spot, matched));
  return {
    fresh: withTheirDeclines(regathered(left), prior),
    standing: pairs.filter((pair) => !pair.prior.declined),
    declinedAgain: pairs.filter((pair) => pair.prior.declined),
    unseen: prior.filter((one) => !taken.has(one)),
  };
}

function spotsOf(finding: Finding): readonly Spot[] {
  const places: readonly Place[] = [finding, ...(finding.others ?? [])];
  return places.map(({ path, anchor }) => {
    // Hashed once, not for each of a hundred at its place.
    const quote = anchor.kind === 'file' ? [] : digestsOf(anchor.quote);
    return { finding: { ...finding, path, anchor }, of: finding, quote };
  });
}

/** One of the places of an earlier finding that were too many to be kept. */
function isBeyond({ of }: Spot, matched: ReadonlyMap<Spot, PriorFinding>): boolean {
  return [...matched].some(([spot, { known }]) => spot.of === of && (known?.finding.more ?? 0) > 0);
}

/** Findings again, each with the places that are left of it: the first of them is its own. */
function regathered(spots: readonly Spot[]): readonly Finding[] {
  const byFinding = new Map<Finding, Spot[]>();
  for (const spot of spots) byFinding.set(spot.of, [...(byFinding.get(spot.of) ?? []), spot]);
  return [...byFinding].flatMap(([of, [first, ...rest]]) => {
    if (first === undefined) return [];
    const isWhole = rest.length === (of.others ?? []).length;
    if (isWhole) return [of];
    const others = rest.flatMap(({ finding: { path, anchor } }) => (anchor.kind === 'file' ? [] : [{ path, anchor }]));
    const moved = first.finding.path !== of.path || first.finding.anchor !== of.anchor;
    return [{ ...first.finding, others, alsoAt: others.map(fullPlaceOf), ...(moved ? { suggestion: null } : {}) }];
  });
}

/** One that somebody declined before what it stands in changed, or elsewhere: they have not seen this. */
function withTheirDeclines(fresh: readonly Finding[], prior: readonly PriorFinding[]): readonly Finding[] {
  const declined = prior.filter((one) => one.declined && one.signed);
  if (declined.length === 0) return fresh;
  return fresh.map((finding): Finding => {
    const earlier = declined.find(({ mark }) => isAlike(mark, finding));
    const by = earlier?.declines.find(({ canWrite }) => canWrite)?.by;
    if (by === undefined) return finding;
    return { ...finding, note: { code: 'note.declined-changed', person: by } as const };
  });
}

type Pair = { readonly spot: Spot; readonly prior: PriorFinding; readonly score: readonly number[] };

function pairsOf(spots: readonly Spot[], prior: readonly PriorFinding[]): readonly Pair[] {
  const here = placesIndex(prior, ({ present }) => (present.kind === 'here' ? present : null));
  // Without a line to meet at, those of a file stand for the file.
  const unmapped = placesIndex(prior, ({ present }) =>
    present.kind === 'unmapped' ? { path: present.path, anchor: { kind: 'file' } } : null,
  );
  const candidates = ({ finding }: Spot) => [
    ...here(finding),
    ...unmapped({ ...finding, anchor: { kind: 'file' as const } }),
  ];
  const pairs = spots.flatMap((spot) =>
    candidates(spot).flatMap((one): readonly Pair[] => {
      const score = scoreOf(spot, one);
      return score === null ? [] : [{ spot, prior: one, score }];
    }),
  );
  return pairs.toSorted((one, other) => compareScores(other.score, one.score) || compareIds(one, other));
}

/**
 * How well they fit, most important first; null when they are not the same matter. That takes a common place and one more thing in common. When
 * unsure they are two: a lost bug costs more than an echo.
 */
function scoreOf({ finding, quote }: Spot, prior: PriorFinding): readonly number[] | null {
  const { mark } = prior;
  const shared = sharedLines(finding, prior);
  if (shared === null || (prior.declined && !isCovered(finding, prior))) return null;
  const digests = mark.lines?.digests ?? [];
  const [earlier, now] = [matterOf(mark, digests), matterOf(finding, quote)];
  const isNamed = finding.sameAs === prior.id || finding.sameAs === findingId(prior);
  // That something in other words is what was declined is a claim: it must quote the same lines.
  const isQuoted = digests.length > 0 && digests.every((digest) => quote.includes(digest));
  const isWorse = !atLeast(mark.severity, finding.severity);
  const isClaimed = isNamed && isOne.named(earlier, now) && (!prior.declined || (isQuoted && !isWorse));
  const isSame = prior.declined ? isSameDeclined(earlier, now) : isSameDefect(earlier, now);
  const same = [isSame, isClaimed, isAlike(mark, finding)].filter((one) => one).length;
  if (!isSame && !isClaimed) return null;
  return [same, shared, -distance(finding, prior)];
}

/** Whoever declined a finding declined this one defect, where it stood, in what it stood in. */
function isCovered(finding: Finding, prior: PriorFinding): boolean {
  const { mark, around, present } = prior;
  const isThere = present.kind === 'here' && present.path === mark.path;
  return isThere && around !== null && around === stoodIn(prior) && finding.category === mark.category;
}

type Matter = Pick<Finding, 'title' | 'category' | 'ruleId' | 'severity' | 'source'>;

/** Whether an earlier finding and one of this run, whose places meet, speak of one defect. */
export function isAlike(earlier: Matter, now: Matter): boolean {
  return isSameDefect(matterOf(earlier), matterOf(now));
}

/** What is compared of either, with the digests of its lines where these count. */
function matterOf({ title, category, ruleId, severity, source }: Matter, digests?: readonly string[]) {
  return { title, category, ruleId, severity, source, ...(digests === undefined ? {} : { digests }) };
}

/** The share of lines that both are about, 0 for the whole file; null when they share none. */
function sharedLines({ anchor }: Place, prior: PriorFinding): number | null {
  const { present } = prior;
  if (present.kind === 'unmapped') return sharedDigests(anchor, prior);
  if (present.kind === 'gone' || !overlaps(anchor, present.anchor)) return null;
  if (anchor.kind === 'file' || present.anchor.kind === 'file') return 0;
  return shareInCommon(anchor, present.anchor);
}

function sharedDigests(anchor: Finding['anchor'], { mark: { lines } }: PriorFinding): number | null {
  if (anchor.kind === 'file' || lines === null) return anchor.kind === 'file' && lines === null ? 0 : null;
  if (anchor.side !== lines.side) return null;
  const old = new Set(lines.digests);
  const own = digestsOf(anchor.quote);
  const shared = own.filter((digest) => old.has(digest)).length;
  return shared === 0 ? null : shared / Math.max(own.length, old.size);
}

function distance(finding: Finding, { mark }: PriorFinding): number {
  return Math.abs(severities.indexOf(finding.severity) - severities.indexOf(mark.severity));
}

function compareScores(one: readonly number[], other: readonly number[]): number {
  const index = one.findIndex((value, at) => value !== other[at]);
  return (one[index] ?? 0) - (other[index] ?? 0);
}

function compareIds(one: Pair, other: Pair): number {
  return one.spot.of.id.localeCompare(other.spot.of.id) || one.prior.id.localeCompare(other.prior.id);
}
