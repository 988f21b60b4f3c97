import { stateMarkIn } from '../../src/core/history/known-findings.ts';
import type { FindingMark, StateMark } from '../../src/core/history/mark.ts';
import { asMade, type Past, type PriorFinding } from '../../src/core/history/memory.ts';
import {
  type KnownFinding,
  type KnownPlace,
  packState,
  type State,
  unpackState,
} from '../../src/core/history/state.ts';
import type { Surroundings } from '../../src/core/history/surroundings.ts';
import type { ComposeContext } from '../../src/core/review/compose-review.ts';
import type { Round } from '../../src/core/review/review.ts';
import { finding, keys, marked, pullRequest, reviewer } from './review-record.ts';

/** The same as the state keeps it, at one place that was open. */
export function knownFinding(mark = marked(), place: Partial<KnownPlace> = {}): KnownFinding {
  const { id, title, severity, category, ruleId, source, path, lines, commit, mergeBase } = mark;
  const where = { path, lines, commit, mergeBase, around: 'around', life: 'open' } as const;
  return { id, title, severity, category, ruleId, source, places: [{ ...where, ...place }] };
}

/** A finding of an earlier run, whose lines are there, in what they stood in, and which nobody answered. */
export function prior(one = finding(), changes: Partial<PriorFinding> = {}): PriorFinding {
  const { mark = marked(one), life = 'open' } = changes;
  const known = knownAt(knownFinding(mark, { life }));
  const posted = { held: { in: 'sticky' }, url: null, signed: true, part: 0, known, declines: [] } as const;
  const present = { kind: 'here', path: one.path, anchor: one.anchor } as const;
  return { ...posted, ...asMade, around: 'around', id: mark.id, mark, present, declined: false, ...changes };
}

/** A finding with the first of its places, or another. */
export function knownAt(finding: KnownFinding, part = 0): NonNullable<PriorFinding['known']> {
  const place = finding.places[part];
  if (place === undefined) throw new RangeError(`${finding.id} has no place ${part}`);
  return { finding, place };
}

/** A finding of the review at the commit 1111…, whose lines changed since. */
export function goneFinding(changes: Partial<FindingMark> = {}, url: string | null = null): PriorFinding {
  const mark = marked(finding(), { id: 'p-1', commit: '1'.repeat(40), ...changes });
  const change = { kind: 'changed', isIntact: false, hunks: [] } as const;
  return prior(finding(), { mark, url, present: { kind: 'gone' }, change, life: 'fixed', isBack: false });
}

/** Of a first review. */
export function roundOf(changes: Partial<Round> = {}): Round {
  return { number: 1, before: null, reviews: 0, reading: 1, parts: [], twins: [], ...changes };
}

/** Of a round that knows of no earlier reading: findings have the ids that `marked` gives them. */
export const firstReading: Pick<ComposeContext, 'mint' | 'readBefore'> = {
  mint: ({ id }) => `p-${id}`,
  readBefore: () => null,
};

/** Every place stands in the same, and no line is found again. */
export const sameAround: Surroundings = { around: async () => 'around', find: async () => [] };

/** Nothing changed between two commits, and everybody may write. */
export const past: Past = {
  canWrite: async () => true,
  changesBetween: async () => [],
  blobs: async (paths) => paths.map((path) => `blob of ${path}`),
  seal: async (contents, key) => (key > 0 ? null : contents.map((content) => keys.seal(content) ?? '')),
};

/** What this reviewer knows after a first review. */
export function stateOf(changes: Partial<State> = {}): State {
  const { head, mergeBase, base } = pullRequest;
  return {
    ...{
      number: 1,
      run: reviewer.run,
      head: head.sha,
      mergeBase,
      base: base.ref,
      settings: reviewer.settings,
      reviews: 1,
    },
    ...{ findings: [], beyond: [], walkthrough: [] },
    ...changes,
  };
}

/** The mark of the summary comment that keeps it. */
export function stateMark(changes: Partial<State> = {}, name = reviewer.name): StateMark {
  const state = stateOf(changes);
  const { run, number, head } = state;
  return { kind: 'state', name, run, number, head, data: packState(state) };
}

/** What a summary comment keeps, whoever signed it; null where it keeps nothing. */
export function stateIn(body: string, name = reviewer.name): State | null {
  const mark = stateMarkIn(body, name);
  return mark === null || mark.data === null ? null : unpackState(mark.data, mark);
}
