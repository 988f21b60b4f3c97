import { type Orientation, swapsSides } from '../../core/images/image-size.ts';
import type { Pixels } from './pixels.ts';

/** Turns and mirrors an image as EXIF says it is to be looked at. */
export function orient(image: Pixels, orientation: Orientation): Pixels {
  if (orientation === 1) return image;
  const { width, height } = image;
  const size = swapsSides(orientation) ? { width: height, height: width } : { width, height };
  const source = new Uint32Array(image.data.buffer, image.data.byteOffset, width * height);
  const target = new Uint32Array(source.length);
  const find = sources[orientation];
  for (let y = 0; y < size.height; y++) {
    for (let x = 0; x < size.width; x++) {
      const [fromX, fromY] = find({ x, y, right: width - 1, bottom: height - 1 });
      target[y * size.width + x] = source[fromY * width + fromX] ?? 0;
    }
  }
  return { ...size, data: new Uint8Array(target.buffer) };
}

type Place = { readonly x: number; readonly y: number; readonly right: number; readonly bottom: number };

/** Where the pixel at a place comes from, in the image as it is stored. */
const sources: { readonly [orientation in Orientation]: (place: Place) => readonly [number, number] } = {
  1: ({ x, y }) => [x, y],
  2: ({ x, y, right }) => [right - x, y],
  3: ({ x, y, right, bottom }) => [right - x, bottom - y],
  4: ({ x, y, bottom }) => [x, bottom - y],
  5: ({ x, y }) => [y, x],
  6: ({ x, y, bottom }) => [y, bottom - x],
  7: ({ x, y, right, bottom }) => [right - y, bottom - x],
  8: ({ x, y, right }) => [right - y, x],
};
