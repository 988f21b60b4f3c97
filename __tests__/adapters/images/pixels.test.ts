import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { orient } from '../../../src/adapters/images/orient.ts';
import type { Pixels } from '../../../src/adapters/images/pixels.ts';
import { shrink } from '../../../src/adapters/images/shrink.ts';

/** An opaque grey image, a row a list. */
function grey(rows: readonly (readonly number[])[]): Pixels {
  const data = new Uint8Array(rows.flat().flatMap((value) => [value, value, value, 255]));
  return { width: rows[0]?.length ?? 0, height: rows.length, data };
}

function rowsOf({ width, height, data }: Pixels): readonly (readonly number[])[] {
  const row = (y: number) => Array.from({ length: width }, (_, x) => data[(y * width + x) * 4] ?? -1);
  return Array.from({ length: height }, (_, y) => row(y));
}

describe('orient', () => {
  it.each([
    [
      1,
      [
        [1, 2, 3],
        [4, 5, 6],
      ],
    ],
    [
      2,
      [
        [3, 2, 1],
        [6, 5, 4],
      ],
    ],
    [
      3,
      [
        [6, 5, 4],
        [3, 2, 1],
      ],
    ],
    [
      4,
      [
        [4, 5, 6],
        [1, 2, 3],
      ],
    ],
    [
      5,
      [
        [1, 4],
        [2, 5],
        [3, 6],
      ],
    ],
    [
      6,
      [
        [4, 1],
        [5, 2],
        [6, 3],
      ],
    ],
    [
      7,
      [
        [6, 3],
        [5, 2],
        [4, 1],
      ],
    ],
    [
      8,
      [
        [3, 6],
        [2, 5],
        [1, 4],
      ],
    ],
  ] as const)('turns an image as orientation %i says', (orientation, rows) => {
    expect(
      rowsOf(
        orient(
          grey([
            [1, 2, 3],
            [4, 5, 6],
          ]),
          orientation,
        ),
      ),
    ).toEqual(rows);
  });
});

describe('shrink', () => {
  it('makes each pixel the mean of what it covers', () => {
    const image = grey([
      [0, 100, 200, 200],
      [0, 100, 200, 200],
    ]);
    expect(rowsOf(shrink(image, { width: 2, height: 1 }))).toEqual([[50, 200]]);
  });

  it('shares a pixel between the two that cover it', () => {
    expect(rowsOf(shrink(grey([[0, 90, 240]]), { width: 2, height: 1 }))).toEqual([[30, 190]]);
    expect(rowsOf(shrink(grey([[0], [90], [240]]), { width: 1, height: 2 }))).toEqual([[30], [190]]);
  });

  it('changes nothing but transparency at its own size', () => {
    const image: Pixels = { width: 2, height: 1, data: new Uint8Array([10, 20, 30, 255, 10, 20, 30, 0]) };
    expect([...shrink(image, image).data]).toEqual([10, 20, 30, 255, 255, 255, 255, 255]);
  });

  it('keeps an image of one colour as it is, whatever the sizes', () => {
    const side = fc.integer({ min: 1, max: 40 });
    fc.assert(
      fc.property(side, side, fc.nat(), fc.nat(), fc.nat(255), (width, height, narrower, lower, value) => {
        const image = grey(Array.from({ length: height }, () => Array.from({ length: width }, () => value)));
        const size = { width: 1 + (narrower % width), height: 1 + (lower % height) };
        expect(new Set(rowsOf(shrink(image, size)).flat())).toEqual(new Set([value]));
      }),
    );
  });
});
