import { exifStart, readOrientation } from './exif-orientation.ts';
import type { ImageSize } from './image-size.ts';

/** ITU T.81, annex B: segments up to the frame header. @throws RangeError when the file is cut off */
export function readJpegSize(file: DataView): ImageSize | null {
  let orientation: ImageSize['orientation'] = 1;
  let at = 2;
  for (;;) {
    at = nextMarker(file, at);
    const marker = file.getUint8(at);
    if (standsAlone(marker)) {
      at += 1;
      continue;
    }
    // The pixels, or the end, without a frame header before them.
    if (marker === startOfScan || marker === endOfImage) return null;
    const length = file.getUint16(at + 1);
    if (length < 2) return null;
    if (isFrame(marker)) return { width: file.getUint16(at + 6), height: file.getUint16(at + 4), orientation };
    if (marker === app1 && isExif(file, at + 3)) {
      orientation = readOrientation(file, { from: at + 3 + exifStart.length, to: at + 1 + length });
    }
    at += 1 + length;
  }
}

const startOfScan = 0xda;
const endOfImage = 0xd9;
const app1 = 0xe1;

/** The place of a marker's second byte. As libjpeg does, whatever stands before the next 0xFF is passed over. */
function nextMarker(file: DataView, from: number): number {
  let at = from;
  for (;;) {
    while (file.getUint8(at) !== 0xff) at += 1;
    while (file.getUint8(at) === 0xff) at += 1;
    if (file.getUint8(at) !== 0) return at;
  }
}

function standsAlone(marker: number): boolean {
  return marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
}

/** SOF0 to SOF15; between them stand DHT, JPG and DAC. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

function isExif(file: DataView, at: number): boolean {
  return (
    at + exifStart.length <= file.byteLength && exifStart.every((byte, index) => file.getUint8(at + index) === byte)
  );
}
