import { fitSize, type Size } from './image-size.ts';

export type ImageDetail = 'low' | 'high';

/**
 * Input tokens that an image may cost, for a reservation: the dearer of OpenAI's two ways to count (guide "Images and vision"), since
 * nothing tells which one a model has. Reported usage corrects it. The base64 text of an image says nothing of its cost.
 */
export function imageTokens(size: Size, detail: ImageDetail): number {
  return Math.max(tileTokens(size, detail), patchTokens(detail === 'low' ? fitSize(size, lowSide) : size));
}

const lowSide = 512;
const tile = { base: 85, each: 170, side: 512, shortSide: 768 } as const;
const patch = { side: 32, most: 1_536, dearest: 2.46 } as const;

function tileTokens({ width, height }: Size, detail: ImageDetail): number {
  if (detail === 'low') return tile.base;
  const scale = Math.min(1, tile.shortSide / Math.min(width, height));
  const tiles = Math.ceil((width * scale) / tile.side) * Math.ceil((height * scale) / tile.side);
  return tile.base + tiles * tile.each;
}

function patchTokens({ width, height }: Size): number {
  const patches = Math.ceil(width / patch.side) * Math.ceil(height / patch.side);
  return Math.ceil(Math.min(patches, patch.most) * patch.dearest);
}
