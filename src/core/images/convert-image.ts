import type { ImagePart } from '../agent/image-part.ts';
import type { Revision } from '../repository/repository.ts';
import { shown } from '../repository/shown.ts';
import type { FailedImage } from './image-codec.ts';
import type { ImageQuota } from './image-quota.ts';
import { uprightSize } from './image-size.ts';
import { type ImageDetail, imageTokens } from './image-tokens.ts';
import type { FoundImage, Images, ReadyImage } from './images.ts';

/** What images are made from. */
export type ImageParts = {
  readonly images: Images;
  readonly quota: ImageQuota;
  readonly detail: ImageDetail;
};

export type ConvertedImage = { readonly kind: 'image'; readonly image: ImagePart } | FailedImage;

type Found = Extract<FoundImage, { readonly kind: 'image' }>;
type Ready = Extract<ReadyImage, { readonly kind: 'ready' }>;

type Wanted = {
  readonly path: string;
  readonly at: Revision;
  /** Which state of the file it is, such as `before (merge base)`. */
  readonly state: string;
  readonly found: Found;
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
    return { kind: 'failed', reason: `is not shown: ${quota.exhausted}`, limit: quota.exhausted };
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
