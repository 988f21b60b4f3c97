import { describe, expect, it } from 'vitest';
import type { ImagePart } from '../../../src/core/agent/message.ts';
import type { ReviewEvent } from '../../../src/core/events.ts';
import { type Images, repositoryImages } from '../../../src/core/images/images.ts';
import { inEnglish } from '../../../src/core/messages/languages.ts';
import { verbatim } from '../../../src/core/messages/message.ts';
import type { ChangedFile } from '../../../src/core/pull-request/changed-file.ts';
import { selectFiles } from '../../../src/core/pull-request/select-files.ts';
import { coverageOf, unseenImages, visionNotes } from '../../../src/core/reviewing/coverage.ts';
import { lookAtImages, withImages } from '../../../src/core/reviewing/vision.ts';
import { convertedFrom, MemoryImages, ScriptedCodec, sampleImages } from '../../fakes/images.ts';
import { changedFile } from '../../fakes/memory-repository.ts';
import { batchWith, reviewParts } from '../../fakes/rich-record.ts';
import { ScriptedModel } from '../../fakes/scripted-model.ts';

const { jpeg, gif } = sampleImages;
const all = { 'a.jpg': jpeg.bytes, 'b.gif': gif.bytes, 'vendor/c.jpg': jpeg.bytes, 'gen.gif': gif.bytes };
const source = new MemoryImages({ ...all, 'data.bin': Buffer.from('\0data') }, { 'a.jpg': gif.bytes });
const plain = new ScriptedCodec(() => convertedFrom(48, 32));
const noGif = new ScriptedCodec(({ format }) =>
  format === 'gif' ? { kind: 'failed', reason: verbatim('is broken') } : convertedFrom(48, 32),
);
/** Why an image that this codec cannot read is not reviewed. */
const notShown = {
  code: 'file.image-not-shown',
  why: { code: 'file.image' },
  image: { code: 'image.in-state', state: 'added (head)', why: verbatim('is broken') },
};
const binary = (path: string, more: Partial<ChangedFile> = {}) => changedFile(path, { kind: 'binary', ...more });
const added = (path: string) => binary(path, { status: 'added', media: path.endsWith('.bin') ? null : 'image' });

type Given = { readonly earlier?: readonly string[]; readonly include?: string; readonly images?: Images };

/** Images that are shown to a model that is never asked. */
async function look(files: readonly ChangedFile[], given: Given = {}) {
  const { earlier = [], include = '', images = repositoryImages(source, plain) } = given;
  const told: string[] = [];
  const report = (event: ReviewEvent) => void (event.type === 'warning' && told.push(event.text));
  const parts = reviewParts({ report, images, model: new ScriptedModel() }, { vision: true, include });
  const texts = selectFiles(files, parts.settings);
  const narrow = (some: readonly ChangedFile[]) => {
    return { kept: some.filter(({ path }) => !earlier.includes(path)), earlier, narrowed: [] };
  };
  const vision = await lookAtImages(parts, { selection: texts, narrow, isDenied: () => null });
  return { vision, selection: withImages(texts, vision), told };
}

const paths = (files: readonly { readonly path: string }[]) => files.map(({ path }) => path);

describe('the selection with `vision`', () => {
  it('keeps changed images beside what has text; all other binary files stay out', async () => {
    const source = changedFile('x.ts', { lines: ['+x'] });
    const { selection } = await look([source, binary('a.jpg'), added('b.gif'), added('data.bin')]);
    expect(paths(selection.kept)).toEqual(['x.ts', 'a.jpg', 'b.gif']);
    expect(selection.unread).toEqual([{ path: 'data.bin', reason: { code: 'file.binary' }, code: true }]);
  });

  it('tells why an image is not shown, and of a file that is shown which state is missing', async () => {
    const images = repositoryImages(source, noGif);
    const { vision, selection } = await look([binary('a.jpg'), added('b.gif')], { images });
    expect(selection.unread).toEqual([{ path: 'b.gif', reason: notShown, code: false }]);
    expect([paths(selection.kept), visionNotes(vision).map(inEnglish)]).toEqual([
      ['a.jpg'],
      ['a.jpg before (merge base) is broken.'],
    ]);
  });

  it('does not show again what an earlier run looked at', async () => {
    const earlier = ['a.jpg'];
    const { vision, selection } = await look([binary('a.jpg'), added('b.gif'), added('data.bin')], { earlier });
    expect([paths(selection.kept), vision?.earlier]).toEqual([['b.gif'], ['a.jpg']]);
    expect(paths(selection.unread)).toEqual(['data.bin']);
  });

  it('lacks the images when they cannot be read: that is reported, and they count as not reviewed', async () => {
    const images: Images = {
      find: () => Promise.reject(new Error('GitHub answers 502.')),
      convert: async () => ({ kind: 'failed', reason: verbatim('is gone') }),
    };
    const { vision, selection, told } = await look([binary('a.jpg')], { images });
    expect(selection).toEqual({ kept: [], skipped: [], unread: [], unshown: [] });
    expect(unseenImages(vision, []).files).toEqual([{ path: 'a.jpg', reason: { code: 'image.unreadable' } }]);
    expect(told).toEqual(['The changed images could not be read, so none are shown. GitHub answers 502.']);
  });
});

describe('images beyond a limit of the run', () => {
  const names = Array.from({ length: 22 }, (_name, index) => `${String(index).padStart(2, '0')}.jpg`);
  const files = [...names.map(added), added('z.gif')];
  const many = new MemoryImages(Object.fromEntries([...names.map((name) => [name, jpeg.bytes]), ['z.gif', gif.bytes]]));

  it('are not reviewed, and what is broken is skipped with its own reason', async () => {
    const { vision, selection } = await look(files, { images: repositoryImages(many, noGif) });
    vision?.noteSeen([...(vision?.changed.values() ?? [])].flat());
    expect(selection.kept.length).toBe(20);
    expect(selection.unread).toEqual([{ path: 'z.gif', reason: notShown, code: false }]);
    const reason = { code: 'image.quota', images: 20, bytes: 20_000_000 } as const;
    const unseen = ['20.jpg', '21.jpg'].map((path) => ({ path, reason }));
    const missing = [{ code: 'coverage.images-cut', count: 2, why: [reason] } as const];
    expect(unseenImages(vision, [])).toEqual({ files: unseen, sentences: missing });
    const coverage = coverageOf({ selection, missing, earlier: [], unseen }, []);
    expect([coverage.reviewed.length, coverage.unreviewed]).toEqual([20, unseen]);
  });
});

describe('images that the model did not see', () => {
  const reviewed = [batchWith([], { paths: ['a.jpg', 'b.gif'] })];

  async function unseen(seen: (images: readonly ImagePart[]) => readonly ImagePart[], batches = reviewed) {
    const { vision } = await look([binary('a.jpg'), added('b.gif')]);
    vision?.noteSeen(seen([...(vision?.changed.values() ?? [])].flat()));
    return unseenImages(vision, batches);
  }

  it('are named when a call had one state of a file only', async () => {
    expect(await unseen(([, ...others]) => others)).toEqual({
      files: [{ path: 'a.jpg', reason: { code: 'file.images-not-sent' } }],
      sentences: [{ code: 'coverage.images-unseen', count: 1 }],
    });
  });

  it('are not reported twice when their batch was not reviewed at all', async () => {
    const batches = [batchWith([], { paths: ['a.jpg', 'b.gif'], reviewed: false })];
    expect((await unseen(() => [], batches)).files).toEqual([]);
  });
});
