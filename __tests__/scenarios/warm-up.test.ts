import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { NormalisedRequest } from '../fakes/model-server/normalise.ts';
import { submit } from '../fakes/model-server/script.ts';
import { review } from './review.ts';

const names = Array.from({ length: 4 }, (_, index) => `part${index}`);
const files = (value: number) =>
  Object.fromEntries(names.map((name) => [`src/${name}.ts`, `export const ${name} = ${value};\n`]));
const world = { base: files(1), head: files(2) };

/** How many requests had come when the first answer went out, and how many came in all. */
async function beforeFirstAnswer(bundles: number): Promise<readonly [number, number]> {
  let asked = 0;
  let early = 0;
  const answers = async () => {
    asked += 1;
    if (asked > 1) return submit([]);
    // Of two, the second comes for certain; of more, none does, however long one waits.
    for (let waits = 0; waits < 10 || (bundles === 2 && asked < 2); waits += 1) await sleep(20);
    early = asked;
    return submit([]);
  };
  await review({ world, model: answers, inputs: { 'files-per-batch': `${names.length / bundles}` } });
  return [early, asked];
}

describe('the first bundle', () => {
  it('of more than two has its prompt at the server before the others start', async () => {
    expect(await beforeFirstAnswer(4)).toEqual([1, 4]);
  });

  it('of two does not make the other wait', async () => {
    expect(await beforeFirstAnswer(2)).toEqual([2, 2]);
  });

  it('begins like the others, byte for byte, up to its own diff', async () => {
    const { model } = await review({ world, model: () => submit([]), inputs: { 'files-per-batch': '1' } });
    const beginnings = model.requests.map(
      (request: NormalisedRequest) => request.prompt.split('# Review these files')[0],
    );
    expect([model.requests.length, new Set(beginnings).size]).toEqual([4, 1]);
  });
});
