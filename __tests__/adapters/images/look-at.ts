import { openImageCodec } from '../../../src/adapters/images/codec.ts';
import {
  type Conversion,
  type ConversionLimits,
  type EncodedImage,
  imageLimits,
} from '../../../src/core/images/images.ts';
import { type Seen, seen } from '../../fakes/decode-jpeg.ts';
import { sourceImageFiles } from '../../fakes/images.ts';

export { fields } from '../../fakes/decode-jpeg.ts';

/** Converts one image as a run does, with time enough for a busy machine. */
export async function convert(
  image: Omit<EncodedImage, 'orientation'> & Partial<EncodedImage>,
  limits: Partial<ConversionLimits> = {},
): Promise<Conversion> {
  const codec = openImageCodec({ files: sourceImageFiles, onProblem: () => undefined });
  return codec.toJpeg({ orientation: 1, ...image }, { ...imageLimits, milliseconds: 25_000, ...limits });
}

export async function lookAt(conversion: Conversion): Promise<Seen> {
  if (conversion.kind === 'failed') throw new Error(conversion.reason);
  return seen(conversion.jpeg);
}
