import type { ImageSize } from './image-size.ts';

/** GIF89a, section 18: the screen, on which the first frame is drawn. @throws RangeError when the file is cut off */
export function readGifSize(file: DataView): ImageSize {
  return { width: file.getUint16(6, true), height: file.getUint16(8, true), orientation: 1 };
}
