import { describe, expect, it } from 'vitest';
import type { ImageCodec } from '../../../src/core/images/image-codec.ts';
import { createImageQuota, type ImageQuota } from '../../../src/core/images/image-quota.ts';
import { repositoryImages } from '../../../src/core/images/images.ts';
import { viewImage } from '../../../src/core/tools/view-image.ts';
import { changedFile } from '../../fakes/changed-files.ts';
import { pngOf } from '../../fakes/draw-image.ts';
import { convertedFrom, MemoryImages, ScriptedCodec } from '../../fakes/memory-images.ts';
import { MemoryRepository } from '../../fakes/memory-repository.ts';
import { sampleImages } from '../../fakes/sample-images.ts';

const source = new MemoryImages({
  'docs/logo.gif': sampleImages.gif.bytes,
  'notes.png': Buffer.from('text'),
  'bomb.png': pngOf({ width: 99_999, height: 99_999, pixels: Buffer.alloc(1) }),
  'big.png': { kind: 'unreadable', reason: 'lfs-pointer', bytes: 130 },
  docs: { kind: 'unreadable', reason: 'directory', bytes: null },
  'secret.png': sampleImages.jpeg.bytes,
});

type Given = {
  readonly source?: MemoryImages;
  readonly codec?: ImageCodec;
  readonly quota?: ImageQuota;
  readonly signal?: AbortSignal;
};

async function view(path: string, given: Given = {}) {
  const files = {
    repository: new MemoryRepository({ 'docs/logo.gif': 'binary' }),
    files: [changedFile('gone.png', { status: 'deleted', kind: 'binary' })],
    isDenied: (denied: string) => (denied === 'secret.png' ? 'secret.png is denied by deny-paths.' : null),
  };
  const codec = given.codec ?? new ScriptedCodec(() => convertedFrom(48, 32));
  const images = repositoryImages(given.source ?? source, codec);
  const tool = viewImage(files, { images, quota: given.quota ?? createImageQuota(), detail: 'high' });
  const answer = tool.run({ path }, given.signal ?? new AbortController().signal);
  const result = await answer.catch((error: unknown) => String(error));
  return typeof result === 'string' ? { text: result, images: [] } : result;
}

describe('view_image', () => {
  it('answers with text and the image at head', async () => {
    expect(await view('./docs//logo.gif')).toEqual({
      text: 'docs/logo.gif at head, 48x32, first frame: the image is in the message after the answers of this turn.',
      images: [
        {
          mediaType: 'image/jpeg',
          base64: 'AQID',
          digest: '039058c6f2c0cb492c533b0a4d14ef77',
          width: 48,
          height: 32,
          detail: 'high',
          tokens: 255,
          label: 'docs/logo.gif at head, 48x32, first frame',
        },
      ],
    });
  });

  it.each([
    ['secret.png', 'ToolError: secret.png is denied by deny-paths.'],
    ['../logo.gif', 'ToolError: ../logo.gif is refused: paths stay inside the repository: `..` is not allowed.'],
    ['', 'ToolError: Name a file. list_files lists what there is.'],
    ['logo.gif', 'ToolError: There is no logo.gif at the reviewed commit. Did you mean docs/logo.gif?'],
    ['docs', 'ToolError: docs is a directory. It cannot be shown.'],
    ['notes.png', 'ToolError: notes.png is not a PNG, JPEG, WebP or GIF image. It cannot be shown.'],
    ['big.png', 'ToolError: big.png is stored in Git LFS: the repository holds a pointer to it. It cannot be shown.'],
    [
      'bomb.png',
      'ToolError: bomb.png has 99,999 x 99,999 pixels: more than 40,000,000 are not decoded. It cannot be shown.',
    ],
  ])('refuses %j with the reason and shows nothing', async (path, text) => {
    expect(await view(path)).toEqual({ text, images: [] });
  });

  it('says what a deleted image was', async () => {
    expect((await view('gone.png')).text).toMatch(/^ToolError: There is no gone\.png .* This pull request deletes it/);
  });

  it('never reads what is denied', async () => {
    const unread = new MemoryImages({ 'secret.png': sampleImages.jpeg.bytes });
    await view('secret.png', { source: unread });
    expect(unread.reads).toEqual([]);
  });

  it('shows no more than a run may', async () => {
    const quota = createImageQuota({ images: 1, sentBytes: 1_000 });
    const texts = [(await view('docs/logo.gif', { quota })).text, (await view('docs/logo.gif', { quota })).text];
    expect(texts).toEqual([
      expect.stringMatching(/^docs\/logo\.gif at head/),
      'ToolError: docs/logo.gif is not shown: a run shows at most 1 images and 1,000 bytes of them.',
    ]);
  });

  it('tells why an image could not be converted', async () => {
    const codec = new ScriptedCodec(() => ({ kind: 'failed', reason: 'is broken' }));
    expect(await view('docs/logo.gif', { codec })).toEqual({
      text: 'ToolError: docs/logo.gif is broken.',
      images: [],
    });
  });

  it('takes no place of the run for what nobody waits for any more', async () => {
    const quota = createImageQuota({ images: 1, sentBytes: 1_000 });
    await view('docs/logo.gif', { quota, signal: AbortSignal.abort() });
    expect(quota.reserve(1)).toBe(true);
  });
});
