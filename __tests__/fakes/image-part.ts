import type { ImagePart } from '../../src/core/agent/image-part.ts';

/** The smallest beginning of a JPEG, called after what it shows. */
export function imagePart(label: string, more: Partial<ImagePart> = {}): ImagePart {
  const base64 = Buffer.from(`\xff\xd8\xff${label}`, 'latin1').toString('base64');
  const size = { width: 64, height: 32, detail: 'low', tokens: 100 } as const;
  return { mediaType: 'image/jpeg', base64, digest: `digest of ${label}`, ...size, label, ...more };
}
