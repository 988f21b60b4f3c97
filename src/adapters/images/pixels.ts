import { type Orientation, type Size, swapsSides } from '../../core/images/header.ts';

/**
 * Lays an image on white and makes it smaller: each new pixel is the mean of the area it covers, so that thin lines and small text grey
 * instead of vanishing. `size` is at most the image's own.
 */
export function shrink(image: Pixels, size: Size): Pixels {
  const columns = shares(image.width, size.width);
  const rows = shares(image.height, size.height);
  const data = new Uint8Array(size.width * size.height * 4);
  const line = new Float64Array(size.width * 3);
  let current = new Float64Array(line.length);
  let next = new Float64Array(line.length);
  for (let y = 0; y < image.height; y++) {
    gather(image, { y, columns, line });
    const share = rows.first[y] ?? 0;
    for (let at = 0; at < line.length; at++) {
      const value = line[at] ?? 0;
      current[at] = (current[at] ?? 0) + value * share;
      next[at] = (next[at] ?? 0) + value * ((rows.whole ?? 0) - share);
    }
    const row = rows.target[y] ?? 0;
    if (rows.target[y + 1] === row) continue;
    write(data, { row, colours: current });
    [current, next] = [next, current.fill(0)];
  }
  return { ...size, data };
}

/** How the pixels of one side are shared out: `first` to `target`, the rest of `whole` to the one behind it. */
type Shares = { readonly target: Int32Array; readonly first: Float64Array; readonly whole: number };

function shares(from: number, to: number): Shares {
  const whole = to / from;
  const target = new Int32Array(from);
  const first = new Float64Array(from);
  for (let at = 0; at < from; at++) {
    // In whole numbers: rounding must not move a border by a pixel.
    const index = Math.floor((at * to) / from);
    target[at] = index;
    first[at] = Math.min(whole, ((index + 1) * from - at * to) / from);
  }
  return { target, first, whole };
}

/** One row, laid on white and shared out among the new columns. */
function gather(
  { width, data }: Pixels,
  { y, columns, line }: { y: number; columns: Shares; line: Float64Array },
): void {
  line.fill(0);
  for (let x = 0; x < width; x++) {
    const from = (y * width + x) * 4;
    const opacity = (data[from + 3] ?? 0) / 255;
    const to = (columns.target[x] ?? 0) * 3;
    const share = columns.first[x] ?? 0;
    const rest = columns.whole - share;
    for (let colour = 0; colour < 3; colour++) {
      const value = (data[from + colour] ?? 0) * opacity + 255 * (1 - opacity);
      line[to + colour] = (line[to + colour] ?? 0) + value * share;
      // Without a column behind the last one there is no rest either.
      if (rest > 0) line[to + colour + 3] = (line[to + colour + 3] ?? 0) + value * rest;
    }
  }
}

function write(data: Uint8Array, { row, colours }: { row: number; colours: Float64Array }): void {
  const width = colours.length / 3;
  for (let x = 0; x < width; x++) {
    const to = (row * width + x) * 4;
    for (let colour = 0; colour < 3; colour++) data[to + colour] = Math.round(colours[x * 3 + colour] ?? 0);
    data[to + 3] = 255;
  }
}

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

/** Where the pixel at a place comes from, in the image as it is stored. */
const sources: {
  readonly [orientation in Orientation]: (place: {
    x: number;
    y: number;
    right: number;
    bottom: number;
  }) => readonly [number, number];
} = {
  1: ({ x, y }) => [x, y],
  2: ({ x, y, right }) => [right - x, y],
  3: ({ x, y, right, bottom }) => [right - x, bottom - y],
  4: ({ x, y, bottom }) => [x, bottom - y],
  5: ({ x, y }) => [y, x],
  6: ({ x, y, bottom }) => [y, bottom - x],
  7: ({ x, y, right, bottom }) => [right - y, bottom - x],
  8: ({ x, y, right }) => [right - y, x],
};

/** Red, green, blue and opacity of each pixel, row by row from the top, each 0 to 255; the colours are not multiplied by the opacity. */
export type Pixels = Size & { readonly data: Uint8Array | Uint8ClampedArray };
