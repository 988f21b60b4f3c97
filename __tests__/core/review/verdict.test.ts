import { describe, expect, it } from 'vitest';
import { conclusionOf, type Decision, decide, type Facts, type Gate } from '../../../src/core/review/verdict.ts';
import { atLeast, severities } from '../../../src/core/settings/setting.ts';
import { allProven } from '../../fakes/review-record.ts';

/** Every value of every fact, each list from the best to the worst. */
const values = {
  run: ['whole', 'nothing', 'left', 'waived', 'no-key', 'cancelled', 'failed'],
  files: ['proven', 'no-code', 'broken', 'unknown'],
  open: [[], ...severities.toReversed().map((severity) => [severity]), ['nitpick', 'critical']],
  places: ['proven', 'broken', 'unknown'],
  earlier: ['known', 'not-kept', 'unknown'],
  word: ['approves', 'none', 'asks-for-changes'],
  approval: ['proven', 'not-asked', 'broken', 'unknown'],
  delivery: ['proven', 'broken', 'unknown'],
  dismissals: ['proven', 'broken', 'unknown'],
} as const satisfies { readonly [name in keyof Facts]: readonly Facts[name][] };

const gates: readonly Gate[] = (['never', ...severities] as const).flatMap((failOn) =>
  [false, true].map((requireComplete) => ({ failOn, requireComplete })),
);

function* combinations(): Generator<Facts> {
  for (const run of values.run)
    for (const files of values.files)
      for (const open of values.open)
        for (const places of values.places)
          for (const earlier of values.earlier)
            for (const word of values.word)
              for (const approval of values.approval)
                for (const delivery of values.delivery)
                  for (const dismissals of values.dismissals)
                    yield { run, files, open, places, earlier, word, approval, delivery, dismissals };
}

/** The first combination of facts and gate for which something does not hold; undefined when it always does. */
function counterexample(holds: (decision: Decision, facts: Facts, gate: Gate) => boolean, of = gates) {
  for (const facts of combinations()) {
    for (const gate of of) if (!holds(decide(facts, gate), facts, gate)) return { facts, gate };
  }
  return undefined;
}

/** For what compares several decisions: without a gate, and with all that one can ask. */
const fewGates = gates.filter(
  ({ failOn, requireComplete }) => failOn === 'critical' || (failOn === 'never' && !requireComplete),
);

const isProven = ({ run, files, places, earlier }: Facts) =>
  run === 'whole' && files === 'proven' && places === 'proven' && earlier !== 'unknown';

const passes = ({ gate }: Pick<Decision, 'gate'>) => gate === 'fine' || gate === 'warn';

describe('over every combination of facts and gates', () => {
  it('only a run of which all is proven and nothing is open is clean', () => {
    const isRight = ({ outcome }: Decision, facts: Facts) =>
      (outcome === 'clean') === (isProven(facts) && facts.open.length === 0);
    expect(counterexample(isRight)).toBeUndefined();
  });

  it('only a clean run approves, with everything that an approval takes', () => {
    const isRight = ({ outcome, approves }: Decision, { earlier, word, approval, delivery, dismissals }: Facts) => {
      const isPermitted = approval === 'proven' || approval === 'not-asked';
      const isSettled = delivery === 'proven' && dismissals === 'proven';
      const all = outcome === 'clean' && earlier === 'known' && word === 'approves' && isPermitted && isSettled;
      return approves === all;
    };
    expect(counterexample(isRight)).toBeUndefined();
  });

  it('`fail-on` passes only when earlier findings are known and none at or above it is open', () => {
    const isRight = (decision: Decision, { open, earlier }: Facts, { failOn }: Gate) =>
      failOn === 'never' || !passes(decision) || (earlier !== 'unknown' && !open.some((one) => atLeast(one, failOn)));
    expect(counterexample(isRight)).toBeUndefined();
  });

  it('`require-complete` passes only when every file is proven, or there is none', () => {
    const isRight = (decision: Decision, facts: Facts, { requireComplete }: Gate) =>
      !requireComplete ||
      !passes(decision) ||
      isProven(facts) ||
      (facts.run === 'nothing' && facts.earlier !== 'unknown');
    expect(counterexample(isRight)).toBeUndefined();
  });

  it('a paused run is skipped, approves nothing, and passes no gate', () => {
    const isRight = ({ outcome, approves, ...decision }: Decision, { run }: Facts, { failOn, requireComplete }: Gate) =>
      run !== 'waived' ||
      (outcome === 'skipped' && !approves && passes(decision) === (failOn === 'never' && !requireComplete));
    const settled = (decision: Decision, facts: Facts, gate: Gate) =>
      facts.dismissals !== 'proven' || isRight(decision, facts, gate);
    expect(counterexample(settled)).toBeUndefined();
  });

  it('unknown counts as broken', () => {
    const isSame = (decision: Decision, facts: Facts, gate: Gate) => {
      const known = <T>(fact: T) => (fact === 'unknown' ? 'broken' : fact);
      const { files, places, approval, delivery, dismissals } = facts;
      const told = { files: known(files), places: known(places), approval: known(approval) };
      const done = { delivery: known(delivery), dismissals: known(dismissals) };
      const { outcome, gate: kind, approves } = decide({ ...facts, ...told, ...done }, gate);
      return outcome === decision.outcome && kind === decision.gate && approves === decision.approves;
    };
    expect(counterexample(isSame, fewGates)).toBeUndefined();
  });

  it('no fact that turns worse makes the verdict better', () => {
    const isNeverBetter = (decision: Decision, facts: Facts, gate: Gate) =>
      worsened(facts).every((worse) => !isBetter(decide(worse, gate), decision));
    expect(counterexample(isNeverBetter, fewGates)).toBeUndefined();
  });
});

/** The same facts with one of them a step worse. What a run was is worse only in that it is not whole. */
function worsened(facts: Facts): readonly Facts[] {
  const next = <T>(list: readonly T[], value: T) => list.slice(list.indexOf(value) + 1, list.indexOf(value) + 2);
  const open = values.open.findIndex((one) => one.join() === facts.open.join());
  return [
    ...(facts.run === 'whole' ? (['cancelled', 'failed'] as const) : []).map((run) => ({ ...facts, run })),
    ...next(values.files, facts.files).map((files) => ({ ...facts, files })),
    ...values.open.slice(open + 1, open + 2).map((severe) => ({ ...facts, open: severe })),
    ...next(values.places, facts.places).map((places) => ({ ...facts, places })),
    ...next(values.earlier, facts.earlier).map((earlier) => ({ ...facts, earlier })),
    ...next(values.word, facts.word).map((word) => ({ ...facts, word })),
    ...next(values.approval, facts.approval).map((approval) => ({ ...facts, approval })),
    ...next(values.delivery, facts.delivery).map((delivery) => ({ ...facts, delivery })),
    ...next(values.dismissals, facts.dismissals).map((dismissals) => ({ ...facts, dismissals })),
  ];
}

const fromBest = ['clean', 'skipped', 'findings', 'partial', 'failed'] as const;

function isBetter(one: Decision, other: Decision): boolean {
  if ((passes(one) && !passes(other)) || (one.approves && !other.approves)) return true;
  return fromBest.indexOf(one.outcome) < fromBest.indexOf(other.outcome);
}

it.each([
  [{}, 'success'],
  [{ run: 'nothing' }, 'skipped'],
  [{ run: 'left' }, 'skipped'],
  [{ run: 'waived' }, 'failure'],
  [{ run: 'no-key' }, 'neutral'],
  [{ files: 'no-code' }, 'success'],
  [{ files: 'broken' }, 'neutral'],
  [{ delivery: 'broken' }, 'neutral'],
  [{ open: ['critical'] }, 'failure'],
  [{ earlier: 'unknown' }, 'failure'],
  [{ earlier: 'not-kept' }, 'success'],
  [{ run: 'failed' }, 'failure'],
  [{ dismissals: 'broken' }, 'failure'],
] as const)('a check with `fail-on: critical` and %j ends as %s', (facts, conclusion) => {
  const decision = decide({ ...allProven, ...facts }, { failOn: 'critical', requireComplete: false });
  expect(conclusionOf(decision)).toBe(conclusion);
});
