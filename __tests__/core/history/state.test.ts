import fc from 'fast-check';
import { deflateSync, strToU8 } from 'fflate';
import { describe, expect, it } from 'vitest';
import { fitState, packState, type State, unpackState } from '../../../src/core/history/state.ts';
import { stateOf } from '../../fakes/earlier-rounds.ts';
import { anyState, known, many, placeOf, readingsOf, restsOn } from './states.ts';

const walkthrough = many(40, (index) => {
  return {
    paths: [`src/${index}.ts`],
    changes: `Reads ${index} prices anew. `.repeat(9),
    checked: `The callers of ${index}.`,
  };
});

/** Half of what did not end is declined: it stands behind what is open. */
const large = stateOf({
  walkthrough,
  readings: readingsOf(400),
  findings: [
    ...many(100, (index) => known(index, index < 50 ? 'open' : 'declined')),
    ...many(100, (index) => known(index + 100, index % 2 === 0 ? 'fixed' : 'gone')),
  ],
});

function shape({ readings, walkthrough: words, findings, beyond }: State): string {
  const ended = findings.filter(({ places }) => places.every(({ life }) => life === 'fixed' || life === 'gone')).length;
  const counted = beyond.reduce((sum, { count }) => sum + count, 0);
  const parts = [readings?.receipts.length ?? 0, words.length, ended, findings.length - ended, counted];
  return parts.map((count) => String(count).padStart(4)).join('');
}

const roomFor = (state: State) => packState(state).length;

describe('a state', () => {
  it('is read back as it was written', () => {
    fc.assert(
      fc.property(anyState, (state) => {
        expect(unpackState(packState(state), state)).toEqual(state);
      }),
    );
  });

  it('fits its comment with 200 findings and 400 receipts, each with all that it may have', () => {
    const whole = { ...large, walkthrough: [] };
    expect([roomFor(whole) <= 46_000, fitState(whole, 46_000) === whole]).toEqual([true, true]);
  });

  it.each<[string, string]>([
    ['nothing', ''],
    ['no base64', '%%%'],
    ['no deflated text', btoa('no deflated text')],
    ['half of one', packState(large).slice(0, 5_000)],
    ['no JSON', packed('{')],
    ['another shape', packed('{"findings":[]}')],
    ['a field that no version of ours writes', packed(JSON.stringify({ ...bare(stateOf()), more: 1 }))],
    [
      'a life that there is not',
      packed(JSON.stringify(bare(stateOf({ findings: [known(1)] }))).replace('"open"', '"lost"')),
    ],
  ])('is none of %s', (_, data) => {
    expect(unpackState(data, stateOf())).toBeNull();
  });

  it('is none of any text, and none of a bomb', () => {
    fc.assert(fc.property(fc.string(), (text) => unpackState(text, stateOf()) === null));
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => unpackState(btoa(String.fromCharCode(...bytes)), stateOf()) === null),
    );
    const titled = (length: number) => stateOf({ findings: [{ ...known(1), title: 'a'.repeat(length) }] });
    const read = (state: State) => unpackState(packState(state), state)?.findings.length ?? null;
    // The second comes to 60,000 characters in a comment and to 40 MB inflated.
    expect([read(titled(3_900_000)), read(titled(40_000_000))]).toEqual([1, null]);
  });
});

function bare({ number: _, run: __, ...state }: State): object {
  return state;
}

function packed(text: string): string {
  return btoa(String.fromCharCode(...deflateSync(strToU8(text))));
}

describe('a state that does not fit', () => {
  it('loses receipts first, then the walkthrough, then what ended; of what is open the rest is counted, of what people declined nothing', () => {
    const shapes = new Set<string>();
    for (let room = roomFor(large); room > 0; room -= 250) shapes.add(shape(fitState(large, room)));
    expect(['receipts, walkthrough, ended, open or declined, counted', ...shapes].join('\n')).toMatchInlineSnapshot(`
      "receipts, walkthrough, ended, open or declined, counted
       400  40 100 100   0
       300  40 100 100   0
       200  40 100 100   0
       100  40 100 100   0
         0  40 100 100   0
         0   0 100 100   0
         0   0  50 100   0
         0   0  25 100   0
         0   0   0 100   0
         0   0   0  80   0
         0   0   0  64   0
         0   0   0  51   0
         0   0   0  40  10
         0   0   0  32  18
         0   0   0  25  25
         0   0   0  20  30
         0   0   0  16  34
         0   0   0  12  38
         0   0   0   9  41
         0   0   0   7  43
         0   0   0   5  45
         0   0   0   3  47
         0   0   0   1  49
         0   0   0   0  50"
    `);
  });

  it('keeps what is most important of what is open, and counts the rest by file and severity', () => {
    const open = stateOf({ findings: many(50, (index) => known(index)) });
    const { findings, beyond } = fitState(open, roomFor(open) / 2);
    const counted = beyond.reduce((sum, { count }) => sum + count, 0);
    expect([findings, counted]).toEqual([open.findings.slice(0, findings.length), 50 - findings.length]);
    const [first] = open.findings.slice(findings.length);
    expect(beyond[0]).toEqual({ path: first?.places[0]?.path, severity: first?.severity, count: 1 });
    expect(fitState({ ...open, beyond }, 1).beyond.reduce((sum, { count }) => sum + count, 0)).toBe(50 + counted);
  });

  it('keeps with each receipt what it rests on, and nothing that no receipt rests on', () => {
    const { readings } = fitState(large, roomFor(large) - 1_000);
    const before = restsOn(readingsOf(400));
    const after = restsOn(readings ?? readingsOf(0));
    expect([...after].filter(([key, read]) => before.get(key)?.join() !== read.join())).toEqual([]);
    expect([after.size, new Set([...after.values()].flat()).size]).toEqual([300, readings?.read.length]);
  });

  it('is as small as it can be where nothing fits', () => {
    fc.assert(
      fc.property(anyState, fc.nat(3_000), (state, room) => {
        const fitted = fitState(state, room);
        const least = { ...state, findings: [], walkthrough: [] };
        expect(roomFor(fitted) <= Math.max(room, roomFor(least) + 500)).toBe(true);
      }),
    );
  });
});

it('ten places of a finding take no more room than ten findings', () => {
  const one = { ...known(1), places: many(10, (part) => placeOf(1, 'open', part)) };
  expect(
    roomFor(stateOf({ findings: [one] })) < roomFor(stateOf({ findings: many(10, (index) => known(index)) })),
  ).toBe(true);
});
