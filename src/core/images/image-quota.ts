import { grouped } from '../grouped.ts';
import { imageLimits } from './image-limits.ts';

/** What a run may still send. One for all bundles: they run side by side. */
export type ImageQuota = {
  /** Keeps places free while images are converted; false when there are not so many left. */
  reserve(images: number): boolean;
  /** Gives places back that were not used. */
  release(images: number): void;
  /** Counts a JPEG against the bytes of the run; false, and nothing is counted, when it does not fit. */
  takeBytes(bytes: number): boolean;
  /** Why nothing more is sent, for a model or a person. */
  readonly exhausted: string;
};

export function createImageQuota(
  limits: { readonly images: number; readonly sentBytes: number } = imageLimits,
): ImageQuota {
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
    exhausted: `a run shows at most ${limits.images} images and ${grouped(limits.sentBytes)} bytes of them`,
  };
}
