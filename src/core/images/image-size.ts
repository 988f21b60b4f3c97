export type ImageFormat = 'png' | 'jpeg' | 'webp' | 'gif';

/** EXIF's numbers (CIPA DC-008, tag 0x0112): 1 is upright, 2–4 keep the sides, 5–8 swap width and height. */
export type Orientation = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

/** In pixels. */
export type Size = { readonly width: number; readonly height: number };

/** The size as it is stored: `orientation` is not applied yet. */
export type ImageSize = Size & { readonly orientation: Orientation };

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
