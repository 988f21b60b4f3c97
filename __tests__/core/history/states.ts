import fc from 'fast-check';
import { type Life, lives } from '../../../src/core/history/life.ts';
import { digestOf } from '../../../src/core/history/mark.ts';
import type { Readings } from '../../../src/core/history/receipts/receipts.ts';
import type { KnownFinding, KnownPlace, State } from '../../../src/core/history/state.ts';
import { categories, severities } from '../../../src/core/settings/setting.ts';
import { stateOf } from '../../fakes/earlier-rounds.ts';

const digest = (of: string, digits = 8) => digestOf(of, digits);
const commit = (of: string) => digestOf(of, 40);
/** 8 bytes that nothing can make shorter. */
const seal = (of: string) => Buffer.from(digestOf(of, 16), 'hex').toString('base64url');

const words =
  'the order of a cart is lost when its total price may be empty and nobody checks which currency an old row has'.split(
    ' ',
  );

/** Such as people read: seven words of a language. */
function titleOf(index: number): string {
  return Array.from({ length: 7 }, (_, at) => words[(index * 31 + at * (index % 13)) % words.length]).join(' ');
}

/** A place with as much of its own as one may have. */
export function placeOf(index: number, life: Life = 'open', part = 0): KnownPlace {
  const of = `place ${index} ${part}`;
  const digests = Array.from({ length: 6 }, (_, line) => digest(`${of} ${line}`));
  const lines = { side: 'RIGHT', startLine: index + 1, endLine: index + 6, digests } as const;
  const where = {
    path: `src/room-${index % 40}/chapter-${index % 60}.ts`,
    commit: commit('head'),
    mergeBase: commit('base'),
  };
  return { ...where, lines, around: digest(`around ${of}`, 12), life };
}

export function known(index: number, life: Life = 'open'): KnownFinding {
  const severity = severities[index % severities.length] ?? 'info';
  const said = { title: titleOf(index), severity, category: 'bug', ruleId: null, source: 'model' } as const;
  return { id: `p-${digest(`finding ${index}`)}`, ...said, places: [placeOf(index, life)] };
}

export function many<T>(count: number, make: (index: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** Receipts of so many files, ten to a conversation, each of which read eight files of its own and one that all read. */
export function readingsOf(count: number, name = ''): Readings {
  const conversations = Math.ceil(count / 10);
  return {
    basis: digest('basis', 16),
    receipts: many(count, (index) => ({
      ...{
        key: seal(`${name} key ${index}`),
        path: seal(`${name} path ${index}`),
        readings: 1 + (index % 3),
        approves: true,
      },
      conversation: Math.floor(index / 10),
    })),
    read: [seal('read by all'), ...many(conversations * 8, (index) => seal(`${name} read ${index}`))],
    conversations: many(conversations, (index) => [0, ...many(8, (at) => 1 + index * 8 + at)]),
  };
}

/** What each receipt rests on, by its key. */
export function restsOn({ receipts, conversations, read }: Readings): ReadonlyMap<string, readonly string[]> {
  return new Map(
    receipts.map(({ key, conversation }) => [
      key,
      (conversations[conversation] ?? []).map((index) => read[index] ?? ''),
    ]),
  );
}

const anyText = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('a', '-->', '界'.repeat(50)));
const anyCommit = fc.constantFrom(commit('one'), commit('other'));
const line = fc.integer({ min: 1, max: 9_999 });
const optional = <T>(name: string, value: fc.Arbitrary<T>) =>
  fc.option(
    value.map((of) => ({ [name]: of })),
    { nil: {} },
  );

const anyLines = fc.record({
  ...{ side: fc.constantFrom('RIGHT' as const, 'LEFT' as const), startLine: line, endLine: line },
  digests: fc.array(anyText, { maxLength: 6 }),
});

const anyPlace: fc.Arbitrary<KnownPlace> = fc
  .tuple(
    fc.record({
      ...{ path: anyText, lines: fc.option(anyLines), commit: anyCommit, mergeBase: anyCommit },
      ...{ around: fc.option(anyText), life: fc.constantFrom(...lives) },
    }),
    optional('oldPath', anyText),
    optional('isIntact', fc.constant(true as const)),
    optional('proof', fc.record({ path: anyText, digests: fc.array(anyText), around: fc.option(anyText) })),
  )
  .map(([place, ...more]) => Object.assign({}, place, ...more));

export const anyKnown: fc.Arbitrary<KnownFinding> = fc
  .tuple(
    fc.record({
      ...{ id: fc.constantFrom('p-1', 'p-2', 'p-3', 'p-4'), title: anyText, severity: fc.constantFrom(...severities) },
      ...{ category: fc.constantFrom(...categories), ruleId: fc.option(anyText) },
      ...{ source: fc.constantFrom('model' as const, 'rule' as const), places: fc.array(anyPlace, { maxLength: 3 }) },
    }),
    optional('more', fc.nat()),
    optional('quiet', fc.constant(true as const)),
    optional('unplaced', fc.constant(true as const)),
    optional('outside', fc.constant(true as const)),
    optional('muted', fc.constant(true as const)),
    optional('from', anyText),
    optional('generation', fc.nat()),
  )
  .map(([finding, ...more]) => Object.assign({}, finding, ...more));

export const anyState: fc.Arbitrary<State> = fc
  .record({
    number: line,
    run: fc.constantFrom('4711-1', '4712-1'),
    findings: fc.uniqueArray(anyKnown, { selector: ({ id }) => id, maxLength: 4 }),
    beyond: fc.array(fc.record({ path: anyText, severity: fc.constantFrom(...severities), count: fc.nat() }), {
      maxLength: 2,
    }),
    reviews: fc.nat(),
    receipts: fc.option(fc.tuple(fc.nat(30), fc.constantFrom('one', 'other'))),
  })
  .map(({ receipts, ...state }) => ({
    ...stateOf(state),
    ...(receipts === null ? {} : { readings: readingsOf(...receipts) }),
  }));
