import { describe, expect, it } from 'vitest';
import { changedImages } from '../../../src/core/images/changed-images.ts';
import { type ImageCodec, repositoryImages } from '../../../src/core/images/images.ts';
import { createImageQuota, type ImageParts } from '../../../src/core/images/part.ts';
import { inEnglish } from '../../../src/core/messages/languages.ts';
import { verbatim } from '../../../src/core/messages/message.ts';
import type { ChangedFile } from '../../../src/core/pull-request/changed-file.ts';
import { convertedFrom, drawPng, MemoryImages, pngOf, ScriptedCodec, sampleImages } from '../../fakes/images.ts';
import { changedFile } from '../../fakes/memory-repository.ts';

const { jpeg, gif } = sampleImages;
const png = drawPng({ width: 7, height: 5, colourAt: () => [0, 0, 0, 255] });
const plain = new ScriptedCodec(() => convertedFrom(48, 32));

const binary = (path: string, more: Partial<ChangedFile> = {}) => changedFile(path, { kind: 'binary', ...more });
const added = (...paths: readonly string[]) => paths.map((path) => binary(path, { status: 'added' }));

function partsOver(
  source: MemoryImages,
  { codec = plain, ...more }: Partial<ImageParts> & { readonly codec?: ImageCodec } = {},
): ImageParts {
  return { images: repositoryImages(source, codec), quota: createImageQuota(), detail: 'low', ...more };
}

async function imagesOf(
  parts: ImageParts,
  files: readonly ChangedFile[],
  more: Partial<Parameters<typeof changedImages>[1]> = {},
) {
  const never = new AbortController().signal;
  const change = { files, isDenied: () => null, now: () => 0, signal: never, ...more };
  const { images, skipped } = await changedImages(parts, change);
  return {
    labels: images.flatMap((image) => image.parts.map(({ label }) => label)),
    skipped: skipped.map(({ path, reason }) => `${path} ${inEnglish(reason)}`),
    images,
  };
}

describe('changedImages', () => {
  it('shows an image before and after', async () => {
    const parts = partsOver(new MemoryImages({ 'logo.jpg': jpeg.bytes }, { 'logo.jpg': gif.bytes }));
    const { images } = await imagesOf(parts, [binary('logo.jpg')]);
    const data = { mediaType: 'image/jpeg', base64: 'AQID', digest: '039058c6f2c0cb492c533b0a4d14ef77' };
    const sent = { ...data, width: 48, height: 32, detail: 'low', tokens: 85 };
    const labels = ['logo.jpg before (merge base), 48x32, first frame', 'logo.jpg after (head), 48x32'];
    expect(images).toEqual([{ path: 'logo.jpg', parts: labels.map((label) => ({ ...sent, label })) }]);
  });

  it('shows one state of what was added or deleted, both paths of what was renamed, and nothing of what stayed', async () => {
    const source = new MemoryImages(
      { 'new.jpg': jpeg.bytes, 'to.jpg': jpeg.bytes, 'moved.jpg': jpeg.bytes },
      { 'old.jpg': jpeg.bytes, 'from.gif': gif.bytes, 'here.jpg': jpeg.bytes },
    );
    const { labels } = await imagesOf(partsOver(source), [
      ...added('new.jpg'),
      binary('old.jpg', { status: 'deleted' }),
      binary('to.jpg', { status: 'renamed', oldPath: 'from.gif' }),
      binary('moved.jpg', { status: 'renamed', oldPath: 'here.jpg' }),
    ]);
    expect(labels).toEqual([
      'new.jpg added (head), 48x32',
      'old.jpg deleted (merge base), 48x32',
      'from.gif before (merge base), 48x32, first frame',
      'to.jpg after (head), 48x32',
    ]);
  });

  it('says how large the file is and how large what is sent', async () => {
    const large = pngOf({ width: 3_000, height: 2_000, pixels: Buffer.alloc(1) });
    const codec = new ScriptedCodec(() => convertedFrom(3_000, 2_000));
    const parts = partsOver(new MemoryImages({ 'a\u202e.png': large }), { codec });
    const { labels } = await imagesOf(parts, added('a\u202e.png'));
    expect(labels).toEqual(['a\\u{202E}.png added (head), 3000x2000, resized to 2048x1365']);
  });

  it('tells images by their bytes, those with the name of one first', async () => {
    const fake = Buffer.from('\0no image');
    const source = { data: png, 'fake.png': fake, 'real.png': png, 'a.zip': jpeg.bytes };
    const { labels, skipped } = await imagesOf(partsOver(new MemoryImages(source)), added(...Object.keys(source)));
    expect([labels.map((label) => label.split(' ')[0]), skipped]).toEqual([['real.png', 'data', 'a.zip'], []]);
  });

  it('never reads what is text or denied, under its old path or its new one', async () => {
    const source = new MemoryImages({ 'a.png': png, 'b.png': png, 'c.png': png });
    const files = [changedFile('a.png'), binary('b.png'), binary('c.png', { oldPath: 'b.png', status: 'renamed' })];
    const isDenied = (path: string) => (path === 'b.png' ? 'denied' : null);
    expect((await imagesOf(partsOver(source), files, { isDenied })).labels).toEqual([]);
    expect(source.reads).toEqual([]);
  });

  it('refuses by the header what would unfold to too many pixels, and decodes nothing of it', async () => {
    const codec = new ScriptedCodec(() => convertedFrom(1, 1));
    const bomb = pngOf({ width: 50_000, height: 50_000, pixels: Buffer.alloc(10) });
    const parts = partsOver(new MemoryImages({ 'bomb.png': bomb }), { codec });
    const { skipped } = await imagesOf(parts, added('bomb.png'));
    expect(skipped).toEqual(['bomb.png added (head) has 50,000 x 50,000 pixels: more than 40,000,000 are not decoded']);
    expect(codec.images).toEqual([]);
  });

  it('tells what cannot be shown, and shows the other state', async () => {
    const large = new Uint8Array(10_000_001);
    const source = new MemoryImages(
      { 'a.png': png, 'b.png': png, 'c.png': png.subarray(0, 20) },
      { 'a.png': large, 'b.png': jpeg.bytes, 'c.png': png, 'video.mp4': large },
    );
    const broken = new ScriptedCodec(({ format }) =>
      format === 'jpeg' ? { kind: 'failed', reason: verbatim('is broken') } : convertedFrom(7, 5),
    );
    const files = ['a.png', 'b.png', 'c.png', 'video.mp4'].map((path) => binary(path));
    const { labels, skipped } = await imagesOf(partsOver(source, { codec: broken }), files);
    expect(labels).toEqual(['a.png after (head), 7x5', 'b.png after (head), 7x5', 'c.png before (merge base), 7x5']);
    expect(skipped).toEqual([
      'a.png before (merge base) has more than 10,000,000 bytes',
      'b.png before (merge base) is broken',
      'c.png after (head) begins like a PNG, but its size cannot be read',
    ]);
  });
});

describe('limits of changedImages', () => {
  const many = Array.from({ length: 70 }, (_, index) => `${index}.png`);
  const files = added(...many);
  const source = new MemoryImages(Object.fromEntries(many.map((path) => [path, png])));

  it('shows 20 images a run and names the others', async () => {
    const { labels, skipped } = await imagesOf(partsOver(source), files);
    expect([labels.length, skipped.length]).toEqual([20, 50]);
    expect(skipped[0]).toBe('20.png is not shown: a run shows at most 20 images and 20,000,000 bytes of them');
    expect(skipped[49]).toBe('69.png is not shown: at most 60 files are opened');
  });

  it('shows both states or none, and gives the place to the next file', async () => {
    const parts = partsOver(new MemoryImages({ 'a.png': png, 'b.png': png }, { 'a.png': jpeg.bytes }), {
      codec: new ScriptedCodec(() => convertedFrom(7, 5)),
      quota: createImageQuota({ images: 1, sentBytes: 100 }),
    });
    const { labels } = await imagesOf(parts, [binary('a.png'), ...added('b.png')]);
    expect(labels).toEqual(['b.png added (head), 7x5']);
  });

  it('stops when its time is over, and when the run is cancelled', async () => {
    let time = 0;
    const now = () => (time += 25_000);
    const late = await imagesOf(partsOver(source), files.slice(0, 4), { now });
    expect([late.labels.length, late.skipped[0]]).toEqual([2, '2.png is not shown: the time for images is used up']);
    time = 0;
    const short = await imagesOf(partsOver(source), files.slice(0, 4), { now, milliseconds: 30_000 });
    expect(short.labels.length).toBe(1);
    const cancelled = await imagesOf(partsOver(source), files.slice(0, 1), { signal: AbortSignal.abort() });
    expect(cancelled.skipped).toEqual(['0.png is not shown: the run was cancelled']);
  });
});
