import type { ImagePart } from '../agent/message.ts';
import type { Message } from '../messages/message.ts';
import type { Revision } from '../repository/repository.ts';
import { shown } from '../repository/shown.ts';
import { fitSize, type Size, uprightSize } from './header.ts';
import { type FailedImage, type FoundImage, type Images, imageLimits, type ReadyImage } from './images.ts';

/** What images are made from. */
export type ImageParts = {
  readonly images: Images;
  readonly quota: ImageQuota;
  readonly detail: ImageDetail;
};

type ConvertedImage = { readonly kind: 'image'; readonly image: ImagePart } | FailedImage;

type ReadableImage = Extract<FoundImage, { readonly kind: 'image' }>;
type Ready = Extract<ReadyImage, { readonly kind: 'ready' }>;

type Wanted = {
  readonly path: string;
  readonly at: Revision;
  /** Which state of the file it is, such as `before (merge base)`. */
  readonly state: string;
  readonly found: ReadableImage;
};

/** Makes what is sent of an image. Its place must have been reserved, and is given back when nothing comes of it. */
export async function convertImage({ images, quota, detail }: ImageParts, wanted: Wanted): Promise<ConvertedImage> {
  const ready = await images.convert(wanted.path, wanted.at);
  if (ready.kind === 'failed') {
    quota.release(1);
    return ready;
  }
  if (!quota.takeBytes(ready.bytes)) {
    quota.release(1);
    return { kind: 'failed', reason: { code: 'image.not-shown', why: quota.exhausted }, limit: quota.exhausted };
  }
  const { base64, digest, width, height } = ready;
  const sent = { mediaType: 'image/jpeg', base64, digest, width, height, detail } as const;
  return { kind: 'image', image: { ...sent, tokens: imageTokens(ready, detail), label: labelOf(wanted, ready) } };
}

function labelOf({ path, state, found }: Wanted, ready: Ready): string {
  const { width, height } = uprightSize(found.header);
  const resized = width !== ready.width || height !== ready.height;
  return [
    `${shown([path])[0]?.text ?? ''} ${state}`,
    `${width}x${height}`,
    ...(resized ? [`resized to ${ready.width}x${ready.height}`] : []),
    ...(found.header.format === 'gif' ? ['first frame'] : []),
  ].join(', ');
}

type ImageDetail = 'low' | 'high';

/**
 * Input tokens that an image may cost, for a reservation: the dearer of OpenAI's two ways to count (guide "Images and vision"), since
 * nothing tells which one a model has. Reported usage corrects it. The base64 text of an image says nothing of its cost.
 */
export function imageTokens(size: Size, detail: ImageDetail): number {
  return Math.max(tileTokens(size, detail), patchTokens(detail === 'low' ? fitSize(size, lowSide) : size));
}

const lowSide = 512;
const tile = { base: 85, each: 170, side: 512, shortSide: 768 } as const;
const patch = { side: 32, most: 1_536, dearest: 2.46 } as const;

function tileTokens({ width, height }: Size, detail: ImageDetail): number {
  if (detail === 'low') return tile.base;
  const scale = Math.min(1, tile.shortSide / Math.min(width, height));
  const tiles = Math.ceil((width * scale) / tile.side) * Math.ceil((height * scale) / tile.side);
  return tile.base + tiles * tile.each;
}

function patchTokens({ width, height }: Size): number {
  const patches = Math.ceil(width / patch.side) * Math.ceil(height / patch.side);
  return Math.ceil(Math.min(patches, patch.most) * patch.dearest);
}

/** What a run may still send. One for all batches: they run side by side. */
export type ImageQuota = {
  /** Keeps places free while images are converted; false when there are not so many left. */
  reserve(images: number): boolean;
  /** Gives places back that were not used. */
  release(images: number): void;
  /** Counts a JPEG against the bytes of the run; false, and nothing is counted, when it does not fit. */
  takeBytes(bytes: number): boolean;
  /** Why nothing more is sent, for a model or a person. */
  readonly exhausted: Message;
};

export function createImageQuota(limits: { images: number; sentBytes: number } = imageLimits): ImageQuota {
  let images = limits.images;
  let bytes = limits.sentBytes;
  return {
    reserve: (wanted) => {
      if (wanted > images) return false;
      images -= wanted;
      return true;
    },
    release: (unused) => {
      images += unused;
    },
    takeBytes: (wanted) => {
      if (wanted > bytes) return false;
      bytes -= wanted;
      return true;
    },
    exhausted: { code: 'image.quota', images: limits.images, bytes: limits.sentBytes },
  };
}
