import type { Size } from '../../core/images/image-size.ts';

/** Red, green, blue and opacity of each pixel, row by row from the top, each 0 to 255; the colours are not multiplied by the opacity. */
export type Pixels = Size & { readonly data: Uint8Array | Uint8ClampedArray };
