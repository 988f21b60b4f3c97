import { beforeAll, describe, expect, it } from 'vitest';
import { allProperties, type Property } from './holds.ts';
import { type Ended, firstLives, liveThrough, smallest, storyOf } from './seeds.ts';

const isFull = process.env['POSTIL_TEST_FULL'] !== undefined;
const lives = firstLives(isFull ? 1_000 : 60);
/** Bounded work, whatever the machine. */
const timeout = isFull ? 3_600_000 : 600_000;

/** What does not hold yet. */
const later: readonly Property[] = [
  'A defect that is not in the head does not stay open for ever.',
  'Nothing is posted twice.',
];

/** With POSTIL_LIFE, that one alone, told. */
const one = process.env['POSTIL_LIFE'];

describe.runIf(one === undefined)('in random lives', () => {
  const ended: Ended[] = [];

  beforeAll(async () => {
    for (const life of lives) ended.push(await liveThrough(life));
  }, timeout);

  const brokenIn = (property: Property) => ended.flatMap(({ broken }, index) => (broken.has(property) ? [index] : []));

  it.each(allProperties.filter((property) => !later.includes(property)))(
    '%s',
    async (property) => {
      expect(brokenIn(property).length === 0 ? null : await smallest(property, lives.length)).toBe(null);
    },
    timeout,
  );

  it.fails.each(later)('not yet: %s', (property) => {
    expect(brokenIn(property)).toEqual([]);
  });
});

it.runIf(one !== undefined)('prints one life', async () => {
  const [life] = lives.slice(Number(one));
  expect(life).toBeDefined();
  if (life !== undefined) console.log(storyOf(life, await liveThrough(life)));
});
