import { GifReader } from 'omggif';
import type { Pixels } from './pixels.ts';

/** The first frame on its screen; what it leaves free is transparent. @throws Error for what is no GIF or has no frame inside its screen */
export function decodeGif(file: Uint8Array): Pixels {
  const reader = new GifReader(Buffer.from(file.buffer, file.byteOffset, file.byteLength));
  const { width, height } = reader;
  const frame = reader.frameInfo(0);
  // The screen's pixels were limited, a frame has a size of its own.
  if (frame.x + frame.width > width || frame.y + frame.height > height) throw new Error('the frame leaves the screen');
  const data = new Uint8Array(width * height * 4);
  reader.decodeAndBlitFrameRGBA(0, data);
  return { width, height, data };
}
