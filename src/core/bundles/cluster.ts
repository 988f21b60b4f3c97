import type { Relations } from './relations.ts';

/** Something that goes into a batch whole. */
export type Clustered = { readonly paths: readonly string[]; readonly files: number; readonly tokens: number };

type Limits = { readonly maxFiles: number; readonly maxTokens: number };

/**
 * Groups of what is related, by index, within the limits: each begins with the first that is left, and takes in whatever is related to most of
 * what it holds, the earlier one when two are alike. What is related to nothing stays alone.
 */
export function cluster(
  parts: readonly Clustered[],
  { relations, limits }: { readonly relations: Relations; readonly limits: Limits },
): readonly (readonly number[])[] {
  const partsOf = new Map<string, number[]>();
  for (const [index, { paths }] of parts.entries()) {
    for (const path of new Set(paths)) {
      const known = partsOf.get(path) ?? [];
      partsOf.set(path, known);
      known.push(index);
    }
  }
  const taken = new Set<number>();
  return parts.flatMap((_, first) => {
    if (taken.has(first)) return [];
    const group = grow(first, { parts, partsOf, relations, limits, taken });
    return [group];
  });
}

type Growing = {
  readonly parts: readonly Clustered[];
  readonly partsOf: ReadonlyMap<string, readonly number[]>;
  readonly relations: Relations;
  readonly limits: Limits;
  readonly taken: Set<number>;
};

function grow(first: number, { parts, partsOf, relations, limits, taken }: Growing): readonly number[] {
  const group: number[] = [];
  const size = { files: 0, tokens: 0 };
  /** How many relations each candidate has to the group. */
  const scores = new Map<number, number>();
  const take = (index: number) => {
    const part = parts[index];
    if (part === undefined) return;
    taken.add(index);
    scores.delete(index);
    group.push(index);
    size.files += part.files;
    size.tokens += part.tokens;
    for (const path of part.paths.flatMap((own) => [...(relations.get(own) ?? [])])) {
      for (const other of partsOf.get(path) ?? []) {
        if (!taken.has(other)) scores.set(other, (scores.get(other) ?? 0) + 1);
      }
    }
  };
  const fits = (index: number) => {
    const part = parts[index];
    return (
      part !== undefined && size.files + part.files <= limits.maxFiles && size.tokens + part.tokens <= limits.maxTokens
    );
  };
  take(first);
  for (let next = best(scores, fits); next !== null; next = best(scores, fits)) take(next);
  return group;
}

/** What does not fit now never will: it goes at once, or each look would pass all of it again. */
function best(scores: Map<number, number>, fits: (index: number) => boolean): number | null {
  let found: number | null = null;
  for (const [index, score] of scores) {
    if (!fits(index)) {
      scores.delete(index);
      continue;
    }
    const most = found === null ? 0 : (scores.get(found) ?? 0);
    if (score > most || (score === most && found !== null && index < found)) found = index;
  }
  return found;
}
