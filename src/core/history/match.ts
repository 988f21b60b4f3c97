import type { Finding } from '../findings/finding.ts';
import { isSameTitle, overlaps, shareInCommon } from '../findings/merge.ts';
import { placesIndex } from '../findings/place.ts';
import type { Message } from '../messages/message.ts';
import { atLeast, type Category, severities } from '../settings/setting.ts';
import { groupBy } from '../text.ts';
import { digestsOf, type Memory, type PriorFinding } from './memory.ts';
import { mayDoOtherwise, type NewLines, restsOnNewLine } from './new-lines.ts';

type Matched = { readonly finding: Finding; readonly prior: PriorFinding };

/** What the findings of this run are to those of earlier ones. Every finding and every prior one is in exactly one place. */
export type Matching = {
  readonly fresh: readonly Finding[];
  /** Raised before, found again. */
  readonly standing: readonly Matched[];
  /** Raised before and declined by somebody who may. */
  readonly declinedAgain: readonly Matched[];
  /** Raised before and declined, not found again. */
  readonly declined: readonly PriorFinding[];
  /** Raised before, still in the code, not found again: not being mentioned is no dismissal. */
  readonly unmatched: readonly PriorFinding[];
  /** Raised before, and the code that it was about is gone. */
  readonly gone: readonly PriorFinding[];
};

/** One to one, best overlap first: two findings on one line stay two (identity is a match, not a hash). */
export function matchFindings(findings: readonly Finding[], prior: readonly PriorFinding[]): Matching {
  const matched = new Map<Finding, PriorFinding>();
  const taken = new Set<PriorFinding>();
  for (const { finding, prior: candidate } of pairsOf(findings, prior)) {
    if (matched.has(finding) || taken.has(candidate)) continue;
    matched.set(finding, candidate);
    taken.add(candidate);
  }
  const pairs = [...matched].map(([finding, one]) => ({ finding, prior: one }));
  const fresh = findings.filter((finding) => !matched.has(finding));
  const unseen = prior.filter((one) => !taken.has(one));
  const left = unseen.filter(({ declined }) => !declined);
  return {
    fresh: withTheirDeclines(fresh, unseen),
    standing: pairs.filter((pair) => !pair.prior.declined),
    declinedAgain: pairs.filter((pair) => pair.prior.declined),
    declined: unseen.filter(
      ({ declined, present, newLines }) =>
        declined && !(present.kind === 'here' && mayDoOtherwise(present.anchor, newLines)),
    ),
    unmatched: left.filter(({ present }) => present.kind === 'here'),
    // Without the old commit nothing can tell whether the code is still there; it was looked for and not found.
    gone: left.filter(({ present }) => present.kind !== 'here'),
  };
}

/**
 * For a hit of a rule, since which of its declines the lines are new: '' for lines that all of them cover. Hits of which that is not the same are
 * never one finding, or what came later would be declined with what stood.
 */
export function newSinceDeclined({ prior, linesSince }: Memory): (hit: RuleHit) => '' | Promise<string> {
  const declined = prior.filter((one) => one.declined && one.signed);
  const commits = new Map(
    [...groupBy(declined, ({ mark }) => mark.ruleId ?? '')].map(([id, some]) => [
      id,
      [...new Set(some.map(({ mark }) => mark.commit))],
    ]),
  );
  const known = new Map<string, Promise<NewLines | null>>();
  return ({ ruleId, path, startLine, endLine }) => {
    const since = commits.get(ruleId);
    if (since === undefined || linesSince === undefined) return '';
    const isNew = async (commit: string) => {
      const key = `${commit} ${path}`;
      const asked = known.get(key) ?? linesSince(commit, path);
      known.set(key, asked);
      const lines = await asked;
      const anchor = { kind: 'lines', side: 'RIGHT', startLine, endLine, quote: '' } as const;
      return lines === null || restsOnNewLine(anchor, lines) || mayDoOtherwise(anchor, lines) ? [commit] : [];
    };
    return Promise.all(since.map(isNew)).then((some) => some.flat().join());
  };
}

type RuleHit = { readonly ruleId: string; readonly path: string; readonly startLine: number; readonly endLine: number };

/** One that was declined and may do something else now: whoever declined it has not seen what. */
function withTheirDeclines(fresh: readonly Finding[], prior: readonly PriorFinding[]): readonly Finding[] {
  const may = ({ spaced, elsewhere }: NewLines) => spaced !== undefined || elsewhere === true;
  const changed = prior.filter(({ declined, newLines }) => declined && may(newLines));
  if (changed.length === 0) return fresh;
  const asBefore = changed.map(({ newLines: { added, removed }, ...one }) => ({
    ...one,
    newLines: { added, removed },
  }));
  const before = new Map(
    pairsOf(fresh, asBefore)
      .toReversed()
      .map((pair) => [pair.finding, pair.prior]),
  );
  return fresh.map((finding) => {
    const earlier = before.get(finding);
    const by = earlier?.declines.find(({ canWrite }) => canWrite)?.by;
    if (by === undefined) return finding;
    const moved = changed.some(({ id, newLines }) => id === earlier?.id && newLines.elsewhere === true);
    const note: Message = moved
      ? { code: 'note.declined-moved', person: by }
      : { code: 'note.declined-space', person: by };
    return { ...finding, note };
  });
}

type Pair = Matched & { readonly score: readonly number[] };

function pairsOf(findings: readonly Finding[], prior: readonly PriorFinding[]): readonly Pair[] {
  const here = placesIndex(prior, ({ present }) => (present.kind === 'here' ? present : null));
  // Without a line to meet at, those of a file stand for the file.
  const unmapped = placesIndex(prior, ({ present }) =>
    present.kind === 'unmapped' ? { path: present.path, anchor: { kind: 'file' } } : null,
  );
  const candidates = (finding: Finding) => [...here(finding), ...unmapped({ ...finding, anchor: { kind: 'file' } })];
  const pairs = findings.flatMap((finding) => {
    // Hashed once, not for each of a hundred at its place.
    const quote = finding.anchor.kind === 'file' ? '' : digestsOf(finding.anchor.quote).join();
    return candidates(finding).flatMap((one): readonly Pair[] => {
      const score = scoreOf(finding, one, quote);
      return score === null ? [] : [{ finding, prior: one, score }];
    });
  });
  return pairs.toSorted((one, other) => compareScores(other.score, one.score) || compareIds(one, other));
}

/**
 * How well they fit, most important first; null when they are not the same matter. That takes a common place, no line that is new since then,
 * and one more thing in common. When unsure they are two: a lost bug costs more than an echo.
 */
function scoreOf(finding: Finding, prior: PriorFinding, quote: string): readonly number[] | null {
  const { mark } = prior;
  const bothNameRules = finding.ruleId !== null && mark.ruleId !== null;
  if (bothNameRules && finding.ruleId !== mark.ruleId) return null;
  const isWorse = !atLeast(mark.severity, finding.severity);
  // Whoever declined a finding declined that one, not something worse at the same place.
  if (prior.declined && isWorse) return null;
  if (restsOnNewLine(finding.anchor, prior.newLines)) return null;
  // An open one is loud already.
  if (prior.declined && mayDoOtherwise(finding.anchor, prior.newLines)) return null;
  const shared = sharedLines(finding, prior);
  if (shared === null) return null;
  const same = [
    bothNameRules,
    isSameTitle(finding.title, mark.title) && isAlike(finding.category, mark.category),
    // The same lines can be wrong in two ways: the worse one is reported.
    quote !== '' && quote === mark.lines?.digests.join() && !isWorse,
    finding.sameAs === prior.id,
  ].filter((one) => one).length;
  return same === 0 ? null : [same, shared, -distance(finding, prior)];
}

const defects: ReadonlySet<Category> = new Set(['bug', 'security', 'performance']);

/** Models are not sure whether it is a bug or a security hole; a missing test is neither. */
function isAlike(one: Category, other: Category): boolean {
  return one === other || defects.has(one) === defects.has(other);
}

/** The share of lines that both are about, 0 for the whole file; null when they share none. */
function sharedLines({ anchor }: Finding, prior: PriorFinding): number | null {
  const { present } = prior;
  if (present.kind === 'unmapped') return sharedDigests(anchor, prior);
  if (present.kind === 'gone' || !overlaps(anchor, present.anchor)) return null;
  if (anchor.kind === 'file' || present.anchor.kind === 'file') return 0;
  return shareInCommon(anchor, present.anchor);
}

/** Without the old commit a line that the earlier finding does not hold may be new: it is, where that one was declined. */
function sharedDigests(anchor: Finding['anchor'], { mark: { lines }, declined }: PriorFinding): number | null {
  if (anchor.kind === 'file' || lines === null) return anchor.kind === 'file' && lines === null ? 0 : null;
  if (anchor.side !== lines.side) return null;
  const old = new Set(lines.digests);
  const own = digestsOf(anchor.quote);
  const shared = own.filter((digest) => old.has(digest)).length;
  if (shared === 0 || (declined && shared < own.length)) return null;
  return shared / Math.max(own.length, old.size);
}

function distance(finding: Finding, { mark }: PriorFinding): number {
  return Math.abs(severities.indexOf(finding.severity) - severities.indexOf(mark.severity));
}

function compareScores(one: readonly number[], other: readonly number[]): number {
  const index = one.findIndex((value, at) => value !== other[at]);
  return (one[index] ?? 0) - (other[index] ?? 0);
}

function compareIds(one: Pair, other: Pair): number {
  return one.finding.id.localeCompare(other.finding.id) || one.prior.id.localeCompare(other.prior.id);
}
