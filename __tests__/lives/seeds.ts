import fc from 'fast-check';
import { broken, leftOut, type Property } from './holds.ts';
import { inItsTime, type Life, Lived, type Round } from './life.ts';
import type { Mood } from './moods.ts';
import { actKinds } from './people.ts';
import { type Push, pushKinds } from './pushes.ts';

const rounds = 8;
const number = fc.nat(30);
/** What an author does who reads the review comes more often: only what is nearly mended can turn green. */
const mending = ['guard what is raised', 'replace what is raised', 'replace the first that is raised'] as const;
const push = fc.record({
  do: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...pushKinds) },
    { weight: 1, arbitrary: fc.constantFrom(...mending) },
  ),
  a: number,
  b: number,
});
const act = fc.record({ do: fc.constantFrom(...actKinds), a: number });
const whole = { kind: 'whole', at: 0 } as const;
const otherRun = fc.record({
  kind: fc.constantFrom('dies before the diff', 'dies', 'two at once', 'two on two heads', 'model fails'),
  at: fc.integer({ min: 1, max: 4 }),
});

const round: fc.Arbitrary<Round> = fc.record({
  acts: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.array(act, { maxLength: 2 }) }),
  pushes: fc.array(push, { maxLength: 3 }),
  // What breaks a life is sought among the first: a push that no run saw tells least.
  run: fc.oneof(
    { withCrossShrink: true },
    { weight: 1, arbitrary: fc.constant({ kind: 'none', at: 0 } as const) },
    { weight: 8, arbitrary: fc.constant(whole) },
    { weight: 3, arbitrary: otherRun },
  ),
});

const inputs: readonly Life['inputs'][] = [
  {},
  { 'review-event': 'approve' },
  { 'max-comments': '2' },
  { exclude: `docs/**\n${leftOut}` },
];

/** `first` chooses what the first push adds. */
export type Seeded = Life & { readonly first: Omit<Push, 'do'> };

const moods: fc.Arbitrary<Mood> = fc.oneof(
  { weight: 3, arbitrary: fc.constant('honest') },
  { weight: 2, arbitrary: fc.constantFrom('lazy', 'chatty', 'liar') },
);

/** Lives of eight rounds behind the first. */
export const lives: fc.Arbitrary<Seeded> = fc.record({
  manner: fc.record({ titles: fc.constantFrom('own', 'alike'), gathers: fc.boolean(), obeys: fc.boolean() }),
  mood: moods,
  closing: fc.constantFrom('resolve', 'minimise'),
  inputs: fc.constantFrom(...inputs),
  forgets: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  first: fc.record({ a: number, b: number }),
  rounds: fc.array(round, { minLength: rounds, maxLength: rounds }),
});

const seed = 37;

/** The first lives, the same in every run. */
export function firstLives(count: number): readonly Seeded[] {
  return fc.sample(lives, { seed, numRuns: count });
}

export type Ended = {
  readonly story: readonly string[];
  /** By what broke, how. */
  readonly broken: ReadonlyMap<Property, string>;
};

/** Lives it to its end, or until one of these properties breaks. */
export function liveThrough(life: Seeded, until: readonly Property[] = []): Promise<Ended> {
  return inItsTime(async () => {
    const lived = new Lived(life);
    const all = new Map<Property, string>();
    const first = { acts: [], pushes: [{ do: 'add', ...life.first }], run: whole } as const;
    for (const round of [first, ...life.rounds]) {
      await lived.live(round);
      for (const [property, why] of broken(lived)) {
        if (!all.has(property)) lived.story.push(`BROKEN: ${property} ${why}`);
        if (!all.has(property)) all.set(property, why);
      }
      if (until.some((property) => all.has(property))) break;
    }
    return { story: lived.story, broken: all };
  });
}

/** A life told, a line for all that happened. */
export function storyOf({ manner, mood, closing, forgets, inputs }: Seeded, { story }: Ended): string {
  const traits = [mood, ...Object.entries(manner).map(([name, value]) => `${name} ${value}`)];
  const around = [closing, `forgets ${forgets}`, JSON.stringify(inputs)];
  return [`The model: ${traits.join(', ')}; the rest: ${around.join(', ')}`, ...story].join('\n');
}

/** The smallest life found in which it breaks, told; null where none of so many breaks it. */
export async function smallest(property: Property, count: number, start = seed): Promise<string | null> {
  const holds = async (life: Seeded) => !(await liveThrough(life, [property])).broken.has(property);
  const { counterexample } = await fc.check(fc.asyncProperty(lives, holds), { seed: start, numRuns: count });
  const [life] = counterexample ?? [];
  return life === undefined ? null : storyOf(life, await liveThrough(life, [property]));
}
