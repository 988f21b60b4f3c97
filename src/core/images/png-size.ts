import { readOrientation } from './exif-orientation.ts';
import type { ImageSize } from './image-size.ts';

/** PNG, third edition: IHDR comes first; eXIf, if any, before the pixels. @throws RangeError when the file is cut off */
export function readPngSize(file: DataView): ImageSize | null {
  if (file.getUint32(12) !== ihdr) return null;
  return { width: file.getUint32(16), height: file.getUint32(20), orientation: orientationOf(file) };
}

const signatureBytes = 8;
const ihdr = 0x49484452;
const idat = 0x49444154;
const exif = 0x65584966;
/** Length, type and checksum. */
const chunkFrame = 12;

function orientationOf(file: DataView): ImageSize['orientation'] {
  let at = signatureBytes;
  while (at + chunkFrame <= file.byteLength) {
    const length = file.getUint32(at);
    const type = file.getUint32(at + 4);
    if (type === idat) return 1;
    if (type === exif) return readOrientation(file, { from: at + 8, to: at + 8 + length });
    at += chunkFrame + length;
  }
  return 1;
}
