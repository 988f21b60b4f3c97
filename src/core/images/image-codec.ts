import type { ImageFormat, Orientation } from './image-size.ts';

export type EncodedImage = {
  readonly bytes: Uint8Array;
  readonly format: ImageFormat;
  readonly orientation: Orientation;
};

export type Conversion =
  | { readonly kind: 'converted'; readonly jpeg: Uint8Array; readonly width: number; readonly height: number }
  | FailedImage;

export type FailedImage = {
  readonly kind: 'failed';
  /** Ends a sentence that begins with the file's name. */
  readonly reason: string;
  /** The limit of the run that it is beyond; absent when it fails for what it is. */
  readonly limit?: string;
};

export type ConversionLimits = {
  /** Pixels of the longer side: larger images are made smaller, none larger. */
  readonly side: number;
  /** Pixels that a decoder may unfold. */
  readonly pixels: number;
  /** JPEG quality, 1 to 100. */
  readonly quality: number;
  readonly milliseconds: number;
};

/** Makes JPEGs: upright, without metadata, transparency on white. Never throws, whatever the bytes. */
export interface ImageCodec {
  toJpeg(image: EncodedImage, limits: ConversionLimits): Promise<Conversion>;
}
