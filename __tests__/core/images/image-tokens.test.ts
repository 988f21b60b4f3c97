import { describe, expect, it } from 'vitest';
import { toBase64 } from '../../../src/core/images/base64.ts';
import { imageTokens } from '../../../src/core/images/image-tokens.ts';

describe('imageTokens', () => {
  it.each([
    ['a small one', 32, 32, 'low', 85],
    ['a large one in low detail, seen at 512 pixels', 2_048, 2_048, 'low', 630],
    ['tiles where they are dearer', 512, 64, 'high', 255],
    ['1,024 patches of a square', 1_024, 1_024, 'high', 2_520],
    ['at most 1,536 patches', 2_048, 2_048, 'high', 3_779],
  ] as const)('counts %s', (_, width, height, detail, tokens) => {
    expect(imageTokens({ width, height }, detail)).toBe(tokens);
  });
});

describe('toBase64', () => {
  it.each([0, 1, 8_191, 8_192, 8_193, 100_000])('encodes %i bytes', (length) => {
    const bytes = Uint8Array.from({ length }, (_, index) => (index * 31) % 256);
    expect(toBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'));
  });
});
