import { shown } from '../repository/shown.ts';
import { toBase64 } from './base64.ts';
import type { FoundImage } from './find-image.ts';
import type { Conversion, ImageCodec } from './image-codec.ts';
import { imageLimits } from './image-limits.ts';
import type { ImagePart } from './image-part.ts';
import type { ImageQuota } from './image-quota.ts';
import { uprightSize } from './image-size.ts';

export type ConvertedImage =
  | { readonly kind: 'image'; readonly image: ImagePart }
  /** The reason ends a sentence that begins with the file's name. */
  | { readonly kind: 'failed'; readonly reason: string };

type Found = Extract<FoundImage, { readonly kind: 'image' }>;
type Named = {
  readonly path: string;
  /** Which state of the file it is, such as `before (merge base)`. */
  readonly state: string;
};

/** Makes what is sent of an image. Its place must have been reserved, and is given back when nothing comes of it. */
export async function convertImage(
  { codec, quota }: { readonly codec: ImageCodec; readonly quota: ImageQuota },
  { found, ...named }: Named & { readonly found: Found },
): Promise<ConvertedImage> {
  const { format, orientation } = found.header;
  const conversion = await codec.toJpeg({ bytes: found.bytes, format, orientation }, imageLimits);
  if (conversion.kind === 'failed') {
    quota.release(1);
    return conversion;
  }
  const { jpeg, width, height } = conversion;
  if (!quota.takeBytes(jpeg.length)) {
    quota.release(1);
    return { kind: 'failed', reason: `is not shown: ${quota.exhausted}` };
  }
  const label = labelOf(named, { found, conversion });
  return { kind: 'image', image: { mediaType: 'image/jpeg', base64: toBase64(jpeg), width, height, label } };
}

type Converted = { readonly found: Found; readonly conversion: Extract<Conversion, { readonly kind: 'converted' }> };

function labelOf({ path, state }: Named, { found, conversion }: Converted): string {
  const { width, height } = uprightSize(found.header);
  const resized = width !== conversion.width || height !== conversion.height;
  return [
    `${shown([path])[0]?.text ?? ''} ${state}`,
    `${width}x${height}`,
    ...(resized ? [`resized to ${conversion.width}x${conversion.height}`] : []),
    ...(found.header.format === 'gif' ? ['first frame'] : []),
  ].join(', ');
}
