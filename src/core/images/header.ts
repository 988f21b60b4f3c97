/** PNG, third edition: IHDR comes first; eXIf, if any, before the pixels. @throws RangeError when the file is cut off */
function readPngSize(file: DataView): ImageSize | null {
  if (file.getUint32(12) !== ihdr) return null;
  return { width: file.getUint32(16), height: file.getUint32(20), orientation: pngOrientation(file) };
}

const signatureBytes = 8;
const ihdr = 0x49484452;
const idat = 0x49444154;
const pngExif = 0x65584966;
/** Length, type and checksum. */
const pngChunkFrame = 12;

function pngOrientation(file: DataView): ImageSize['orientation'] {
  let at = signatureBytes;
  while (at + pngChunkFrame <= file.byteLength) {
    const length = file.getUint32(at);
    const type = file.getUint32(at + 4);
    if (type === idat) return 1;
    if (type === pngExif) return readOrientation(file, { from: at + 8, to: at + 8 + length });
    at += pngChunkFrame + length;
  }
  return 1;
}

/** ITU T.81, annex B: segments up to the frame header. @throws RangeError when the file is cut off */
function readJpegSize(file: DataView): ImageSize | null {
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

/** GIF89a, section 18: the screen, on which the first frame is drawn. @throws RangeError when the file is cut off */
function readGifSize(file: DataView): ImageSize {
  return { width: file.getUint16(6, true), height: file.getUint16(8, true), orientation: 1 };
}

/** RFC 9649: one lossy or lossless chunk, or an extended header with chunks behind it. @throws RangeError when the file is cut off */
function readWebpSize(file: DataView): ImageSize | null {
  const type = file.getUint32(firstChunk);
  if (type === lossy) return lossySize(file, firstChunk + webpChunkFrame);
  if (type === lossless) return losslessSize(file, firstChunk + webpChunkFrame);
  return type === extended ? extendedSize(file, firstChunk + webpChunkFrame) : null;
}

const firstChunk = 12;
const webpChunkFrame = 8;
const lossy = 0x56503820;
const lossless = 0x5650384c;
const extended = 0x56503858;
const webpExif = 0x45584946;

/** RFC 6386, section 9.1: a key frame's start code, then 14 bits each. */
function lossySize(file: DataView, at: number): ImageSize | null {
  if (file.getUint8(at + 3) !== 0x9d || file.getUint16(at + 4) !== 0x012a) return null;
  const width = file.getUint16(at + 6, true) & 0x3fff;
  return { width, height: file.getUint16(at + 8, true) & 0x3fff, orientation: 1 };
}

function losslessSize(file: DataView, at: number): ImageSize | null {
  if (file.getUint8(at) !== 0x2f) return null;
  const bits = file.getUint32(at + 1, true);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1, orientation: 1 };
}

function extendedSize(file: DataView, at: number): ImageSize {
  const width = 1 + uint24(file, at + 4);
  return { width, height: 1 + uint24(file, at + 7), orientation: webpOrientation(file) };
}

function uint24(file: DataView, at: number): number {
  return file.getUint16(at, true) | (file.getUint8(at + 2) << 16);
}

function webpOrientation(file: DataView): ImageSize['orientation'] {
  let at = firstChunk;
  while (at + webpChunkFrame <= file.byteLength) {
    const length = file.getUint32(at + 4, true);
    const from = at + webpChunkFrame;
    if (file.getUint32(at) === webpExif)
      return readOrientation(file, { from: afterStart(file, from), to: from + length });
    // Chunks are padded to an even length.
    at = from + length + (length % 2);
  }
  return 1;
}

/** Some writers keep the start that EXIF has inside a JPEG. */
function afterStart(file: DataView, at: number): number {
  return isExif(file, at) ? at + exifStart.length : at;
}

/** `Exif\0\0`, before the TIFF header inside a JPEG. */
const exifStart = [0x45, 0x78, 0x69, 0x66, 0, 0] as const;

/** The orientation in a block of EXIF (TIFF 6.0, section 2; CIPA DC-008). 1 when there is none or it makes no sense: never throws. */
function readOrientation(file: DataView, { from, to }: { from: number; to: number }): Orientation {
  const end = Math.min(to, file.byteLength);
  if (end - from < tiffHeader) return 1;
  const block = new DataView(file.buffer, file.byteOffset + from, end - from);
  const order = block.getUint16(0);
  if (order !== littleEndian && order !== bigEndian) return 1;
  const little = order === littleEndian;
  const directory = block.getUint32(4, little);
  if (directory + 2 > block.byteLength) return 1;
  const count = block.getUint16(directory, little);
  const fitting = Math.floor((block.byteLength - directory - 2) / entryBytes);
  for (let index = 0; index < Math.min(count, fitting); index++) {
    const at = directory + 2 + index * entryBytes;
    if (block.getUint16(at, little) === orientationTag) return orientations[block.getUint16(at + 8, little) - 1] ?? 1;
  }
  return 1;
}

const tiffHeader = 8;
const littleEndian = 0x4949;
const bigEndian = 0x4d4d;
const entryBytes = 12;
const orientationTag = 0x0112;
const orientations: readonly Orientation[] = [1, 2, 3, 4, 5, 6, 7, 8];

export type ImageHeader =
  | ({ readonly kind: 'image'; readonly format: ImageFormat } & ImageSize)
  /** It begins like an image, and its size cannot be read. */
  | { readonly kind: 'broken'; readonly format: ImageFormat }
  | { readonly kind: 'other' };

/** Tells an image by its first bytes, never by its name, and reads its size without decoding it. Never throws. */
export function readImageHeader(bytes: Uint8Array): ImageHeader {
  const format = formatOf(bytes);
  if (format === null) return { kind: 'other' };
  const size = sizeOf(bytes, format);
  if (size === null || size.width === 0 || size.height === 0) return { kind: 'broken', format };
  return { kind: 'image', format, ...size };
}

function formatOf(bytes: Uint8Array): ImageFormat | null {
  const start = String.fromCharCode(...bytes.subarray(0, 12));
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (start.startsWith('\xff\xd8\xff')) return 'jpeg';
  if (start.startsWith('GIF87a') || start.startsWith('GIF89a')) return 'gif';
  return start.startsWith('RIFF') && start.slice(8) === 'WEBP' ? 'webp' : null;
}

const readers = { png: readPngSize, jpeg: readJpegSize, webp: readWebpSize, gif: readGifSize } as const;

function sizeOf(bytes: Uint8Array, format: ImageFormat): ImageSize | null {
  try {
    return readers[format](new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  } catch (error) {
    // What a DataView throws behind its end: the file is cut off.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

export type ImageFormat = 'png' | 'jpeg' | 'webp' | 'gif';

/** EXIF's numbers (CIPA DC-008, tag 0x0112): 1 is upright, 2–4 keep the sides, 5–8 swap width and height. */
export type Orientation = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

/** In pixels. */
export type Size = { readonly width: number; readonly height: number };

/** The size as it is stored: `orientation` is not applied yet. */
type ImageSize = Size & { readonly orientation: Orientation };

/** The size as a person sees the image. */
export function uprightSize({ width, height, orientation }: ImageSize): Size {
  return swapsSides(orientation) ? { width: height, height: width } : { width, height };
}

export function swapsSides(orientation: Orientation): boolean {
  return orientation >= 5;
}

/** The size at which the longer side has at most `side` pixels and the shape stays. Never larger than it was, never empty. */
export function fitSize({ width, height }: Size, side: number): Size {
  const scale = Math.min(1, side / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/** True for the names that images usually have. A name proves nothing: what a file is, its first bytes tell. */
export function isImageName(path: string): boolean {
  return /\.(?:png|jpe?g|webp|gif)$/i.test(path);
}
