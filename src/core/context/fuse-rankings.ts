/** Usual for reciprocal rank fusion: how little the first places of a ranking count more than those behind them. */
const smoothing = 60;

/**
 * One ranking of several, the best first: what stands high in one or well in all. Scores of words and of meaning have no common
 * scale, so only places count. Equal ones in the order of the first ranking that holds them.
 */
export function fuseRankings<T>(rankings: readonly (readonly T[])[]): readonly T[] {
  const scores = new Map<T, number>();
  for (const ranking of rankings) {
    for (const [place, item] of ranking.entries())
      scores.set(item, (scores.get(item) ?? 0) + 1 / (smoothing + place + 1));
  }
  return [...scores].sort(([, one], [, other]) => other - one).map(([item]) => item);
}
