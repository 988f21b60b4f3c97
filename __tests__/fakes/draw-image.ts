import { crc32, deflateSync } from 'node:zlib';

/** Red, green, blue, opacity. */
export type Colour = readonly [number, number, number, number];

export type Drawing = {
  readonly width: number;
  readonly height: number;
  readonly colourAt: (x: number, y: number) => Colour;
};

/** A PNG with 8 bits a channel; `chunks` stand between its header and its pixels. */
export function drawPng({ width, height, colourAt }: Drawing, chunks: readonly Buffer[] = []): Buffer {
  const rows = Buffer.alloc(height * (1 + width * 4));
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) rows.set(colourAt(x, y), y * (1 + width * 4) + 1 + x * 4);
  }
  return pngOf({ width, height, pixels: deflateSync(rows, { level: 1 }) }, chunks);
}

/** A PNG whose header says what it likes about its pixels. */
export function pngOf(
  { width, height, pixels }: { readonly width: number; readonly height: number; readonly pixels: Buffer },
  chunks: readonly Buffer[] = [],
): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width);
  header.writeUInt32BE(height, 4);
  header.set([8, 6], 8);
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  const parts = [pngChunk('IHDR', header), ...chunks, pngChunk('IDAT', pixels), pngChunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([signature, ...parts]);
}

export function pngChunk(type: string, content: Buffer): Buffer {
  const chunk = Buffer.alloc(12 + content.length);
  chunk.writeUInt32BE(content.length);
  chunk.write(type, 4, 'latin1');
  chunk.set(content, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + content.length)), 8 + content.length);
  return chunk;
}

/** A block of EXIF that says nothing but the orientation. */
export function exifOf(orientation: number, order: 'II' | 'MM' = 'MM'): Buffer {
  const block = Buffer.alloc(26);
  const little = order === 'II';
  const write16 = (value: number, at: number) =>
    little ? block.writeUInt16LE(value, at) : block.writeUInt16BE(value, at);
  const write32 = (value: number, at: number) =>
    little ? block.writeUInt32LE(value, at) : block.writeUInt32BE(value, at);
  block.write(order, 'latin1');
  write16(42, 2);
  write32(8, 4);
  write16(1, 8);
  write16(0x0112, 10);
  write16(3, 12);
  write32(1, 14);
  write16(orientation, 18);
  return block;
}

/** A JPEG with a block of EXIF put behind its first marker. */
export function withExif(jpeg: Buffer, exif: Buffer): Buffer {
  const segment = Buffer.alloc(10);
  segment.set([0xff, 0xe1]);
  segment.writeUInt16BE(8 + exif.length, 2);
  segment.write('Exif\0\0', 4, 'latin1');
  return Buffer.concat([jpeg.subarray(0, 2), segment, exif, jpeg.subarray(2)]);
}
