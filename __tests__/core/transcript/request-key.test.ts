import { expect, it } from 'vitest';
import type { ImagePart } from '../../../src/core/agent/image-part.ts';
import { requestKey } from '../../../src/core/transcript/request-key.ts';
import { imagePart } from '../../fakes/image-part.ts';

const keyOf = (...images: readonly ImagePart[]) => {
  const message = { role: 'user', text: 'See:', ...(images.length === 0 ? {} : { images }) } as const;
  return requestKey({ messages: [message], tools: [], toolChoice: 'auto', maxOutputTokens: 100 }, (text) => text);
};

it('the key of a request tells images apart by their digests, so that a replay needs none of their bytes', () => {
  const logo = imagePart('logo');
  const keys = [keyOf(), keyOf(logo), keyOf({ ...logo, digest: 'another' }), keyOf(logo, logo)];
  expect(new Set(keys).size).toBe(4);
  expect(keyOf({ ...logo, base64: '' })).toBe(keyOf(logo));
});
