import { distance } from 'fastest-levenshtein';

/** The name that a misspelled one probably means; null when none is near. */
export function nearest(name: string, names: readonly string[]): string | null {
  const ranked = names
    .map((candidate) => ({ candidate, far: distance(name.toLowerCase().replaceAll('_', '-'), candidate) }))
    .sort((one, other) => one.far - other.far);
  const best = ranked[0];
  return best !== undefined && best.far <= Math.max(2, Math.floor(name.length / 3)) ? best.candidate : null;
}
