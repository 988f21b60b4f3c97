import { givenOf } from '../codec.ts';
import { type Finding, type PlacedFinding, places } from '../findings/finding.ts';
import { overlaps } from '../findings/similarity.ts';
import type { WalkthroughLine } from '../findings/walkthrough.ts';
import { hasEnded, isOpen, lifeOfAll } from '../history/life.ts';
import { findingId, markedLines, type PriorFinding, stoodIn } from '../history/memory.ts';
import { contentOf, withoutFiles } from '../history/receipts/receipts.ts';
import { noKeys } from '../history/signed-marks.ts';
import { type KnownFinding, type KnownPlace, kept, type State } from '../history/state.ts';
import type { Review } from '../review/review.ts';
import type { ReviewRecord } from '../review/sink.ts';
import { severities } from '../settings/setting.ts';
import { groupBy } from '../text.ts';
import { groups, type RenderContext } from './wording.ts';

type Context = Pick<RenderContext, 'redact' | 'keys'>;

/** What the next round goes on from; null where nothing is remembered. */
export function nextStateOf(record: ReviewRecord, context: Context): State | null {
  const { review } = record;
  const { identity, pullRequest, round } = review;
  if (identity === null || pullRequest === null || round === null) return null;
  const lost = [...review.unproven, ...[...heldBy(record).undelivered].map(({ path }) => path)];
  const { seal } = context.keys ?? noKeys;
  const readings = withoutFiles(
    review.readings ?? null,
    lost.map((path) => seal(contentOf.path(path)) ?? ''),
  );
  const earlier = earlierFindings(record);
  const fresh = record.placed.flatMap((finding) => freshFinding(finding, { record, context, earlier }));
  const twins = [...(round.before?.twins ?? []), ...round.twins.map(findingId)].filter((id) => !earlier.has(id));
  return {
    number: round.number,
    run: identity.run,
    head: pullRequest.head.sha,
    mergeBase: pullRequest.mergeBase,
    base: pullRequest.base.ref,
    settings: identity.settings,
    // A run of the rules alone, after the most that a pull request gets, is none.
    reviews: round.reviews + (review.stop.reason === 'skipped' ? 0 : 1),
    findings: mostImportantFirst([...earlier.values(), ...fresh]),
    beyond: [],
    walkthrough: review.walkthrough.map(shortened(context.redact)),
    ...(readings === null ? {} : { readings }),
    ...(twins.length === 0 ? {} : { twins: [...new Set(twins)] }),
  };
}

/** What the state keeps of a title, and of a line of the walkthrough. */
export const titleCharacters = 200;
const lineCharacters = 300;

function shortened(redact: (text: string) => string): (line: WalkthroughLine) => WalkthroughLine {
  const short = (text: string) => redact(text).slice(0, lineCharacters);
  return ({ paths, changes, checked }) => ({ paths, changes: short(changes), checked: short(checked) });
}

/** Open ones first, and of these the most severe. */
function mostImportantFirst(findings: readonly KnownFinding[]): readonly KnownFinding[] {
  const rank = ({ places: all }: KnownFinding) => (isOpen(lifeOfAll(all.map(({ life }) => life))) ? 0 : 1);
  return findings.toSorted(
    (one, other) => rank(one) - rank(other) || severities.indexOf(one.severity) - severities.indexOf(other.severity),
  );
}

/** By their ids, with the places that they have now. */
function earlierFindings({ review, placed }: ReviewRecord): ReadonlyMap<string, KnownFinding> {
  const { round, pullRequest } = review;
  if (round === null || pullRequest === null) return new Map();
  const placedById = new Map(placed.map((finding) => [finding.knownAs, finding]));
  const commits = { commit: pullRequest.head.sha, mergeBase: pullRequest.mergeBase };
  const byId = groupBy(round.parts, ({ mark }) => mark.id);
  return new Map(
    [...byId].flatMap(([id, parts]) => {
      const [first] = parts;
      if (first === undefined) return [];
      const finding = placedById.get(id);
      const { title, category, ruleId, source, unplaced } = first.mark;
      const { more, quiet, outside, from, generation, muted } = first.known?.finding ?? {};
      const own = { title, severity: finding?.severity ?? first.mark.severity, category, ruleId, source };
      const lost = (finding === undefined ? unplaced === true : finding.unplaced !== undefined)
        ? { unplaced: true as const }
        : {};
      const rest = givenOf({ more, quiet, outside, from, generation, muted });
      return [
        [id, { id, ...own, ...lost, ...rest, places: parts.map((part) => placeNow(part, { commits, finding })) }],
      ];
    }),
  );
}

type Now = {
  readonly commits: Pick<KnownPlace, 'commit' | 'mergeBase'>;
  /** What this run says of the finding; undefined where it says nothing. */
  readonly finding: PlacedFinding | undefined;
};

/** Until somebody has looked again, what is known is where it was. */
function placeNow(part: PriorFinding, { commits, finding }: Now): KnownPlace {
  const { mark, life, present, change, around, proof } = part;
  const { path, oldPath, lines, commit, mergeBase } = mark;
  const stood = stoodIn(part);
  const before = { path, ...(oldPath === undefined || oldPath === path ? {} : { oldPath }), lines, commit, mergeBase };
  if (!isOpen(life)) {
    const isIntact = hasEnded(life) && change.kind === 'changed' && change.isIntact;
    const shown = proof ?? (life === 'fixed' ? part.known?.place.proof : undefined);
    // A decline covers what stood when it was given.
    const own = { ...before, around: stood, life };
    return { ...own, ...(isIntact ? { isIntact } : {}), ...(shown === undefined ? {} : { proof: shown }) };
  }
  const isSame = change.kind === 'same' && present.kind === 'here';
  if (present.kind !== 'here' || !(part.seen === true || isSame)) return { ...before, around: stood, life };
  const quoted = quotedAt(part, finding);
  const now = markedLines(quoted ?? present.anchor);
  const isIntact = isSame || (change.kind === 'changed' && change.isIntact);
  // Nobody said on which lines: whoever reviews it next is asked again.
  if (lines !== null && quoted === null && !isIntact) return { ...before, around: stood, life };
  const digests = quoted === null ? (lines?.digests ?? []) : (now?.digests ?? []);
  const { path: at, oldPath: was } = present;
  const where = { path: at, ...(was === undefined ? {} : { oldPath: was }) };
  return { ...where, lines: now === null ? null : { ...now, digests }, ...commits, around, life };
}

/** The lines that this run quotes for a place; null where it quotes none. */
function quotedAt({ present }: PriorFinding, finding: PlacedFinding | undefined): Finding['anchor'] | null {
  if (finding === undefined || present.kind !== 'here') return null;
  const spots = [{ path: finding.path, anchor: finding.anchor }, ...(finding.others ?? [])];
  const spot = spots.find(
    ({ path, anchor }) =>
      path === present.path && anchor.kind === 'lines' && anchor.quote !== '' && overlaps(anchor, present.anchor),
  );
  return spot?.anchor ?? null;
}

/** A finding that no round knew before. */
function freshFinding(
  finding: PlacedFinding,
  { record, context, earlier }: { record: ReviewRecord; context: Context; earlier: ReadonlyMap<string, KnownFinding> },
): readonly KnownFinding[] {
  const { pullRequest } = record.review;
  const { knownAs: id } = finding;
  if (finding.place === 'suppressed' || id === undefined || earlier.has(id) || pullRequest === null) return [];
  const { severity, category, ruleId, source, unplaced, alsoMore = 0, others = [] } = finding;
  const commits = { commit: pullRequest.head.sha, mergeBase: pullRequest.mergeBase };
  const spots = [{ path: finding.path, anchor: finding.anchor }, ...others];
  const all = spots.slice(0, kept.places).map(({ path, anchor }, index): KnownPlace => {
    const { oldPath = path } = index === 0 ? finding : {};
    const around = finding.around?.[index] ?? null;
    return {
      path,
      ...(oldPath === path ? {} : { oldPath }),
      lines: markedLines(anchor),
      ...commits,
      around,
      life: 'open',
    };
  });
  const more = alsoMore + spots.length - all.length;
  const title = context.redact(finding.title).slice(0, titleCharacters);
  const isQuiet = heldBy(record).others.includes(finding);
  const flags = {
    ...(more > 0 ? { more } : {}),
    ...(isQuiet ? { quiet: true as const } : {}),
    ...(unplaced === undefined ? {} : { unplaced: true as const }),
    ...(finding.muted === true ? { muted: true as const } : {}),
    ...(finding.origin?.kind === 'fix' ? { from: finding.origin.of, generation: finding.origin.generation } : {}),
    ...(finding.hunk === undefined && finding.place === 'body' ? { outside: true as const } : {}),
  };
  return [{ id, title, severity, category, ruleId, source, places: all, ...flags }];
}

/** The signed finding of an earlier run that one of this run is. */
function priorOf({ lives }: Review, { knownAs }: Finding): PriorFinding | undefined {
  return knownAs === undefined ? undefined : lives.find(({ mark }) => mark.id === knownAs);
}

/**
 * By the id of a finding of this run, the one by which people decline it: of those without a thread of their own that the next run will know. None
 * without a key: then nobody can decline.
 */
export function idsShown(record: ReviewRecord): ReadonlyMap<string, string> {
  const { review, placed } = record;
  if (review.identity === null || review.signs !== true) return new Map();
  const declined = groups(placed).declined.filter((finding) => priorOf(review, finding)?.held.in === 'sticky');
  const inReview = placed.filter((finding) => isHeldByReview(review, finding));
  const { others, undelivered } = heldBy(record);
  return new Map(
    [...others, ...undelivered, ...declined, ...inReview].flatMap(({ id, knownAs }) =>
      knownAs === undefined ? [] : [[id, knownAs] as const],
    ),
  );
}

/**
 * Every open finding: those that the summary comment alone holds, and those that comments of their own hold, or should: without one they are
 * said again, once.
 */
export function heldBy({ review, placed }: Pick<ReviewRecord, 'review' | 'placed'>) {
  const planned = new Map(review.findings.map((finding) => [finding.id, finding]));
  const undelivered = new Set(placed.filter((finding) => wasMeantForPeople(planned, finding)));
  const others = placed.filter((finding) => isHeldNowhere(planned, finding) && !undelivered.has(finding));
  return { others, undelivered };
}

function isHeldByReview(review: Review, finding: PlacedFinding): boolean {
  if (finding.place === 'body') return true;
  const isEarlier = finding.place === 'standing' || finding.suppressed?.by === 'people';
  return isEarlier && priorOf(review, finding)?.held.in === 'review';
}

/** By the id of their finding. */
type Planned = ReadonlyMap<string, PlacedFinding>;

/** Findings that were to be posted and could not be: their files are reviewed again. */
function wasMeantForPeople(plans: Planned, { id, place }: PlacedFinding): boolean {
  const planned = plans.get(id)?.place;
  const isPlanned = planned === 'inline' || planned === 'file' || planned === 'body';
  return isPlanned && place !== 'standing' && place !== 'suppressed' && places.indexOf(place) > places.indexOf('body');
}

/** Findings that no comment of ours holds: below the limits, shown as annotations only, or carried on from the comment before. */
function isHeldNowhere(plans: Planned, { id, place }: PlacedFinding): boolean {
  if (place === 'summary' || place === 'annotation') return true;
  const planned = plans.get(id);
  return planned?.place === 'standing' && planned.held === 'sticky';
}
