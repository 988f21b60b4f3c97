import { fitSize } from '../../core/images/image-size.ts';
import type { Codecs } from './codecs.ts';
import type { Job } from './image-thread.ts';
import { orient } from './orient.ts';
import { shrink } from './shrink.ts';

export type Converted = { readonly jpeg: Uint8Array; readonly width: number; readonly height: number };

/** Decodes, makes smaller, lays on white, turns upright, encodes. Rejects for what cannot be decoded. */
export async function convert(job: Job, codecs: Codecs): Promise<Converted> {
  const decoded = await codecs.decode(new Uint8Array(job.bytes));
  // The decoder has its own mind about the size, whatever the header said.
  if (decoded.width * decoded.height > job.pixels) throw new Error('more pixels than the header said');
  const upright = orient(shrink(decoded, fitSize(decoded, job.side)), job.orientation);
  const jpeg = await codecs.encode(upright, job.quality);
  return { jpeg, width: upright.width, height: upright.height };
}
