import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Life, lifeOfAll, lives } from '../../../src/core/history/life.ts';
import { joinStates, type KnownFinding, packState, unpackState } from '../../../src/core/history/state.ts';
import { stateOf } from '../../fakes/earlier-rounds.ts';
import { anyState, known, readingsOf, restsOn } from './states.ts';

const lifeOf = ({ places }: KnownFinding) => lifeOfAll(places.map(({ life }) => life));
const findingsOf = (all: readonly KnownFinding[]) => new Map(all.map((one) => [one.id, one]));
const joined = (ours: Life, theirs: Life) => {
  const [one] = joinStates(stateOf({ findings: [known(1, ours)] }), stateOf({ findings: [known(1, theirs)] })).findings;
  return one === undefined ? null : lifeOf(one);
};

describe('what two runs at once know', () => {
  it('is of one finding the worse state, whoever of the two writes last', () => {
    const worstFirst: readonly Life[] = ['returned', 'open', 'changed', 'withdrawn', 'declined', 'fixed', 'gone'];
    const wrong = lives.flatMap((ours) =>
      lives.filter((theirs) => {
        const worse = worstFirst.find((life) => life === ours || life === theirs);
        return joined(ours, theirs) !== worse || joined(theirs, ours) !== worse;
      }),
    );
    expect([wrong, worstFirst.toSorted()]).toEqual([[], lives.toSorted()]);
  });

  it('is every finding of both, each as one of them has it, what ended behind what did not', () => {
    fc.assert(
      fc.property(anyState, anyState, (ours, theirs) => {
        const { findings } = joinStates(ours, theirs);
        const [own, other] = [findingsOf(ours.findings), findingsOf(theirs.findings)];
        expect(new Set(findings.map(({ id }) => id))).toEqual(new Set([...own.keys(), ...other.keys()]));
        expect(findings.filter((one) => one !== own.get(one.id) && one !== other.get(one.id))).toEqual([]);
        const isOver = findings.map((one) => ['fixed', 'gone'].includes(lifeOf(one)));
        expect(isOver).toEqual(isOver.toSorted());
      }),
    );
  });

  it('is newer than what was there, and says the same when it is joined again', () => {
    fc.assert(
      fc.property(anyState, anyState, (ours, theirs) => {
        const both = joinStates(ours, theirs);
        expect(both.number > theirs.number && both.number >= ours.number).toBe(true);
        const again = joinStates(both, theirs);
        expect([again.findings, again.readings]).toEqual([both.findings, both.readings]);
        expect(unpackState(packState(both), both)).toEqual(both);
      }),
    );
  });

  it('is of the head and the settings of the run that writes', () => {
    const ours = stateOf({ head: '1'.repeat(40), settings: 'ours', reviews: 2 });
    const both = joinStates(ours, stateOf({ head: '2'.repeat(40), settings: 'theirs', reviews: 5, run: '9-1' }));
    expect(both).toEqual({ ...ours, number: 2, reviews: 5 });
  });

  it('is each receipt with what it rests on, where both read by the same rules', () => {
    const [ours, theirs] = [readingsOf(25, 'ours'), readingsOf(12, 'theirs')];
    const { readings } = joinStates(stateOf({ readings: ours }), stateOf({ readings: theirs }));
    const expected = new Map([...restsOn(ours), ...restsOn(theirs)]);
    expect(restsOn(readings ?? readingsOf(0))).toEqual(expected);
    expect(readings?.read.length).toBe(new Set([...expected.values()].flat()).size);
    const other = { ...theirs, basis: 'other' };
    expect(joinStates(stateOf({ readings: ours }), stateOf({ readings: other })).readings).toEqual(ours);
  });

  it('is one receipt where both read the same file', () => {
    const same = readingsOf(12, 'same');
    expect(joinStates(stateOf({ readings: same }), stateOf({ readings: same })).readings?.receipts).toEqual(
      same.receipts,
    );
  });
});
