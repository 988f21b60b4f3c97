import type { ImagePart } from '../../core/agent/image-part.ts';

/** The form in which both APIs take an image that no server has to fetch. */
export function dataUrl({ mediaType, base64 }: ImagePart): string {
  return `data:${mediaType};base64,${base64}`;
}
