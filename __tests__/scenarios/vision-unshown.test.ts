import { describe, expect, it } from 'vitest';
import { drawPng, pngOf } from '../fakes/draw-image.ts';
import type { NormalisedRequest } from '../fakes/model-server/normalise.ts';
import { call, submit } from '../fakes/model-server/script.ts';
import { sampleImages } from '../fakes/sample-images.ts';
import { review } from './review.ts';

const { jpeg, lossyWebp, gif } = sampleImages;
const small = drawPng({ width: 20, height: 10, colourAt: () => [0, 0, 200, 255] });

function labelsOf(request: NormalisedRequest | undefined): readonly string[] {
  const opening = request?.messages.find(({ images }) => images.length > 0);
  return opening?.text.split('\n').filter((line) => /^\d+\. /.test(line)) ?? [];
}

describe('images that are not shown', () => {
  it('are all of them without `vision`: nothing is sent, no tool is offered, and the reason is told', async () => {
    const { model, run } = await review({
      world: { base: { 'logo.png': small }, head: { 'logo.png': jpeg.bytes, 'new.gif': gif.bytes, 'a.txt': 'a\n' } },
      model: [submit([])],
    });
    expect([model.requests[0]?.images, model.requests[0]?.tools.includes('view_image')]).toEqual([[], false]);
    expect(JSON.stringify(model.attempts.map(({ body }) => body))).not.toContain('data:image');
    expect(run.summary).toContain('**Not read: 2 files**');
    expect(run.summary).toContain('`logo.png` (image)');
  });

  it('are told with their reasons, and the run goes on: bombs, broken ones, what is denied, what only has the name', async () => {
    const head = {
      'bomb.png': pngOf({ width: 60_000, height: 60_000, pixels: Buffer.alloc(10) }),
      'broken.webp': lossyWebp.bytes.subarray(0, 60),
      'huge.gif': Buffer.concat([gif.bytes, Buffer.alloc(11_000_000)]),
      'private/face.jpg': jpeg.bytes,
      'fake.png': Buffer.from('\0nothing'),
      'icon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>\n',
      'vendor/logo.gif': gif.bytes,
      'good.png': small,
    };
    const { model, run } = await review({
      world: { base: { 'README.md': '# Spoon\n' }, head },
      model: [call('view_image', { path: 'icon.svg' }), call('view_image', { path: 'private/face.jpg' }), submit([])],
      inputs: { vision: 'true', 'deny-paths': 'private/**' },
    });
    expect(labelsOf(model.requests[0])).toEqual(['1. good.png added (head), 20x10']);
    expect(model.requests[2]?.results('view_image')).toEqual([
      expect.stringMatching(/icon\.svg is not a PNG, JPEG, WebP or GIF image/),
      expect.stringMatching(/denied by deny-paths/),
    ]);
    expect(model.requests.flatMap(({ images }) => images).length).toBe(3);
    expect(run.summary).toContain('more than 40,000,000 are not decoded');
    expect(run.summary).toContain('is broken, or of a kind that cannot be decoded');
    expect(run.summary).toContain('has more than 10,000,000 bytes');
    expect([run.outputs['outcome'], model.complaints]).toEqual(['partial', []]);
  });

  it('make the review partial and no approval when a limit kept them out; a broken one is skipped with its own reason', async () => {
    const names = Array.from({ length: 25 }, (_name, index) => `icons/${index}.png`);
    const { model, run, github } = await review({
      world: {
        base: { 'README.md': '# Spoon\n' },
        head: {
          ...Object.fromEntries(names.map((name) => [name, small])),
          'icons/zz.webp': lossyWebp.bytes.subarray(0, 60),
        },
      },
      model: { answers: () => submit([]) },
      inputs: { vision: 'true', 'review-event': 'approve' },
    });
    expect(model.requests.slice(0, 2).flatMap(labelsOf).length).toBe(20);
    expect([run.outputs['outcome'], run.outputs['approved']]).toEqual(['partial', 'false']);
    expect(github.reviews().map(({ state }) => state)).not.toContain('APPROVED');
    expect(run.summary).toContain('**Not reviewed: 5 files**');
    expect(run.summary).toContain('5 changed images were not shown in full: a run shows at most 20 images');
    expect(run.summary).toMatch(/> - `icons\/zz\.webp` \(image, and added \(head\) is broken/);
  });
});
