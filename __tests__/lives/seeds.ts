import fc from 'fast-check';
import { allProperties, broken, type Property } from './holds.ts';
import { inItsTime, type Life, Lived, type Round } from './life.ts';
import { actKinds } from './people.ts';
import { type Push, pushKinds } from './pushes.ts';

const number = fc.nat(30);
const push = fc.record({ do: fc.constantFrom(...pushKinds), a: number, b: number });
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

/** Lives of so many rounds. The first push adds something. */
export function lives(rounds: number): fc.Arbitrary<Seeded> {
  return fc.record({
    manner: fc.record({
      titles: fc.constantFrom('own', 'alike'),
      gathers: fc.boolean(),
      obeys: fc.boolean(),
    }),
    mood: fc.oneof(
      { weight: 3, arbitrary: fc.constant('honest' as const) },
      { weight: 2, arbitrary: fc.constantFrom('lazy', 'chatty', 'liar') },
    ),
    closing: fc.constantFrom('resolve', 'minimise'),
    inputs: fc.constantFrom({}, { 'review-event': 'approve' }),
    first: fc.record({ a: number, b: number }),
    rounds: fc.array(round, { minLength: rounds, maxLength: rounds }),
  });
}

/** `first` chooses what the first push adds. */
export type Seeded = Life & { readonly first: Omit<Push, 'do'> };

export type Ended = { readonly story: readonly string[]; readonly broken: readonly string[] };

/** Lives it until something breaks. */
export function liveThrough(life: Seeded, meant: readonly Property[] = allProperties): Promise<Ended> {
  return inItsTime(async () => {
    const lived = new Lived(life);
    const rounds = [{ acts: [], pushes: [{ do: 'add', ...life.first }], run: whole } as const, ...life.rounds];
    for (const round of rounds) {
      await lived.live(round);
      const why = broken(lived, meant);
      if (why.length > 0) return { story: lived.story, broken: why };
    }
    return { story: lived.story, broken: [] };
  });
}

/** What the seed makes of it, told. */
export function told(life: Seeded, { story, broken }: Ended): string {
  const { manner, mood, closing, inputs } = life;
  const traits = [
    mood,
    ...Object.entries(manner).map(([name, value]) => `${name} ${value}`),
    closing,
    JSON.stringify(inputs),
  ];
  return [`A life with a model that is ${traits.join(', ')}`, ...story, ...broken.map((why) => `BROKEN: ${why}`)].join(
    '\n',
  );
}

/** The life of one seed. */
export function lifeOf(seed: number, rounds: number): Seeded {
  const [life] = fc.sample(lives(rounds), { seed, numRuns: 1 });
  if (life === undefined) throw new Error('No life.');
  return life;
}
