import fc from 'fast-check';
import { expect, it } from 'vitest';
import { changedImages } from '../../../src/core/images/changed-images.ts';
import type { ImageParts } from '../../../src/core/images/convert-image.ts';
import { createImageQuota } from '../../../src/core/images/image-quota.ts';
import type { Images } from '../../../src/core/images/images.ts';
import { viewImage } from '../../../src/core/tools/view-image.ts';
import { changedFile } from '../../fakes/changed-files.ts';
import { MemoryRepository } from '../../fakes/memory-repository.ts';

/** What a file turns out to be: no image, one that cannot be converted, or one of so many bytes. */
const content = fc.oneof(
  fc.constant('other' as const),
  fc.constant('broken' as const),
  fc.integer({ min: 1, max: 60 }),
);
type Content = 'other' | 'broken' | number;

function imagesOf(contents: readonly Content[]): Images {
  const of = (path: string) => contents[Number.parseInt(path, 10)] ?? 'other';
  return {
    find: async (path, at) => {
      if (of(path) === 'other') return { kind: 'other', reason: 'is no image' };
      const header = { kind: 'image', format: 'png', width: 9_000, height: 3_000, orientation: 1 } as const;
      return { kind: 'image', header, digest: `${at} ${path}` };
    },
    convert: async (path, at) => {
      const found = of(path);
      // Conversions end in another order than they began.
      for (let turn = typeof found === 'number' ? found : 0; turn > 0; turn -= 1) await Promise.resolve();
      if (typeof found !== 'number') return { kind: 'failed', reason: 'is broken' };
      return { kind: 'ready', base64: 'AA==', bytes: found, digest: `${at} ${path}`, width: 2_048, height: 683 };
    },
  };
}

const status = fc.constantFrom('added' as const, 'modified' as const, 'deleted' as const);
const run = fc.record({
  changed: fc.array(fc.record({ content, status }), { maxLength: 12 }),
  asked: fc.array(fc.nat(11), { maxLength: 12 }),
  images: fc.nat(8),
  sentBytes: fc.nat(200),
});

const signal = new AbortController().signal;
const files = { repository: new MemoryRepository({}), files: [], isDenied: () => null };

it('a run never sends more images or bytes than it may, whatever is changed and asked for at the same time', async () => {
  await fc.assert(
    fc.asyncProperty(run, async ({ changed, asked, images: most, sentBytes }) => {
      const contents = changed.map((one) => one.content);
      const parts: ImageParts = {
        images: imagesOf(contents),
        quota: createImageQuota({ images: most, sentBytes }),
        detail: 'low',
      };
      const bytesOf = (label: string) => Number(contents[Number.parseInt(label, 10)]);
      const changedFiles = changed.map((one, index) =>
        changedFile(`${index}.png`, { kind: 'binary', status: one.status }),
      );
      const change = { files: changedFiles, isDenied: () => null, now: () => 0, signal };
      const view = viewImage(files, parts);
      const [opening, ...viewed] = await Promise.all([
        changedImages(parts, change).then(({ images }) => images.flatMap((image) => image.parts)),
        ...asked.map((index) =>
          view.run({ path: `${index}.png` }, signal).then(
            (result) => (typeof result === 'string' ? [] : result.images),
            () => [],
          ),
        ),
      ]);
      const sent = [...(opening ?? []), ...viewed.flat()].map(({ label }) => label);
      expect(sent.length).toBeLessThanOrEqual(most);
      expect(sent.reduce((sum, label) => sum + bytesOf(label), 0)).toBeLessThanOrEqual(sentBytes);
      // And no place is lost: what was not used can still be taken.
      expect(parts.quota.reserve(most - sent.length)).toBe(true);
    }),
  );
});
