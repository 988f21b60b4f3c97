import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fields, type Seen, seen } from '../fakes/decode-jpeg.ts';
import { drawPng } from '../fakes/draw-image.ts';
import { at, parseJson } from '../fakes/json.ts';
import type { NormalisedRequest, SentImage } from '../fakes/model-server/normalise.ts';
import { call, calls, type ModelOptions, submit } from '../fakes/model-server/script.ts';
import { sampleImages } from '../fakes/sample-images.ts';
import { temporaryFolder } from '../fakes/temporary-folder.ts';
import type { WorldFiles } from '../fakes/world/import-commits.ts';
import { review } from './review.ts';
import { runCli } from './run-cli.ts';
import { totalWorld, wrongLineFinding } from './total-world.ts';

const { jpeg, losslessWebp, lossyWebp, gif } = sampleImages;
const large = drawPng({ width: 3_000, height: 1_000, colourAt: (x) => [x < 1_500 ? 200 : 0, 0, 0, 255] });
const small = drawPng({ width: 20, height: 10, colourAt: () => [0, 0, 200, 255] });

const before: WorldFiles = {
  'logo.png': small,
  'photo.jpg': jpeg.bytes,
  'old.gif': gif.bytes,
  'README.md': '# Spoon\n',
};
const after: WorldFiles = {
  'logo.png': large,
  'photo.jpg': losslessWebp.bytes,
  'old.gif': null,
  'new.webp': lossyWebp.bytes,
};
const nothing: ModelOptions = { answers: () => submit([]) };

/** What the opening says of its images, and how large each is that was sent with it. */
async function openingOf(request: NormalisedRequest | undefined) {
  const opening = request?.messages.find(({ images }) => images.length > 0);
  const labels = opening?.text.split('\n').filter((line) => /^\d+\. /.test(line)) ?? [];
  return { labels, shown: await Promise.all((opening?.images ?? []).map(described)), role: opening?.role };
}

async function described(image: SentImage): Promise<string> {
  const { width, height }: Seen = await seen(image.bytes);
  return `${image.mediaType} ${width}x${height} ${image.detail}`;
}

describe.each(['chat', 'responses'])('with `vision`, over %s,', (api) => {
  it('changed images go to the model before and after: as JPEG, at most 2,048 pixels wide, in the order of their labels', async () => {
    const { model, run } = await review({
      world: { base: before, head: after },
      model: nothing,
      inputs: { api, vision: 'true' },
      start: 'bundle',
    });
    const { labels, shown, role } = await openingOf(model.requests[0]);
    expect(labels).toEqual([
      '1. logo.png before (merge base), 20x10',
      '2. logo.png after (head), 3000x1000, resized to 2048x683',
      '3. new.webp added (head), 48x32',
      '4. old.gif deleted (merge base), 48x32, first frame',
      '5. photo.jpg before (merge base), 48x32',
      '6. photo.jpg after (head), 48x32',
    ]);
    expect(shown).toEqual([
      'image/jpeg 20x10 low',
      'image/jpeg 2048x683 low',
      'image/jpeg 48x32 low',
      'image/jpeg 48x32 low',
      'image/jpeg 48x32 low',
      'image/jpeg 48x32 low',
    ]);
    const sent = model.requests[0]?.images ?? [];
    expect(
      await Promise.all(
        [sent[0], sent[1], sent[3]].map(async (image) => fields(await seen(image?.bytes ?? Buffer.alloc(0)))),
      ),
    ).toEqual([
      ['blue', 'blue', 'blue', 'blue'],
      ['red', 'black', 'red', 'black'],
      ['red', 'green', 'blue', 'white'],
    ]);
    expect([role, run.outputs['outcome'], model.complaints]).toEqual(['user', 'clean', []]);
  });

  it('an image that the model asks for follows in a message of the user, behind all answers of the turn', async () => {
    const { model, run } = await review({
      world: { base: { ...totalWorld.base, 'docs/shot.png': large, 'docs/a.gif': gif.bytes }, head: totalWorld.head },
      model: [
        calls(
          { name: 'view_image', arguments: { path: 'docs/shot.png' } },
          { name: 'read_file', arguments: { path: 'src/total.ts' } },
          { name: 'view_image', arguments: { path: 'docs/a.gif' } },
        ),
        submit([wrongLineFinding]),
      ],
      inputs: { api, vision: 'true', 'image-detail': 'high' },
    });
    const last = model.requests[1]?.messages.slice(-4) ?? [];
    expect(last.map(({ role, images }) => `${role} ${images.length}`)).toEqual([
      'tool 0',
      'tool 0',
      'tool 0',
      'user 2',
    ]);
    expect(model.requests[1]?.results('view_image')[0]).toContain(
      'docs/shot.png at head, 3000x1000, resized to 2048x683',
    );
    expect(await Promise.all((last[3]?.images ?? []).map(described))).toEqual([
      'image/jpeg 2048x683 high',
      'image/jpeg 48x32 high',
    ]);
    expect([run.outputs['outcome'], model.complaints]).toEqual(['findings', []]);
  });

  it('a model that takes no images is told so in words, the code is reviewed, and the images are named as not reviewed', async () => {
    const { github, model, run } = await review({
      world: { base: { ...totalWorld.base, 'logo.png': small }, head: { ...totalWorld.head, 'logo.png': large } },
      model: { rejects: ['images'], answers: () => submit([wrongLineFinding]) },
      inputs: { api, vision: 'true' },
    });
    expect(model.attempts.map(({ status }) => status).slice(0, 2)).toEqual([400, 200]);
    expect(model.requests[0]?.prompt).toContain('[The 2 images are not shown: the model takes no images.]');
    expect(github.comments().map(({ path }) => path)).toEqual(['src/total.ts']);
    expect([run.outputs['outcome'], model.complaints]).toEqual(['partial', []]);
    expect(run.summary).toContain('logo.png` (its images did not reach the model)');
    expect(run.log).toContain('sending no images, because the model takes text alone');
  });
});

describe('an image that was reviewed', () => {
  it('gets its findings on the file, and counts as reviewed', async () => {
    const finding = {
      path: 'logo.png',
      quote: 'a red half',
      title: 'The logo lost its right half',
      suggestion: 'blue',
    };
    const report = `${temporaryFolder()}/report.json`;
    const { github, run } = await review({
      world: { base: before, head: { 'logo.png': large } },
      model: [submit([finding])],
      inputs: { vision: 'true', 'report-file': report },
    });
    const posted = github.comments().map(({ path, line, body }) => [path, line, body.includes(finding.title)]);
    expect(posted).toEqual([['logo.png', null, true]]);
    expect(run.outputs['outcome']).toBe('findings');
    expect(at(parseJson(readFileSync(report, 'utf8')), 'coverage')).toMatchObject({
      reviewed: ['logo.png'],
      skipped: [],
      unreviewed: [],
    });
  });
});

it('a recorded review with images holds none of their bytes, and its replay comes to the same', async () => {
  const path = `${temporaryFolder()}/review.jsonl`;
  const finding = { path: 'logo.png', title: 'The logo is too wide' };
  const { model } = await review({
    world: { base: before, head: after },
    model: [call('view_image', { path: 'photo.jpg' }), submit([finding])],
    inputs: { vision: 'true', 'transcript-file': path },
  });
  const text = readFileSync(path, 'utf8');
  const base64 = (model.requests[1]?.images ?? []).map(({ bytes }) => bytes.toString('base64'));
  expect([base64.length, base64.filter((one) => text.includes(one.slice(0, 200)))]).toEqual([7, []]);
  const { code, stdout, stderr } = await runCli({ args: ['replay', path], cwd: temporaryFolder() });
  expect([code, stderr.includes('Differs'), stdout.includes(finding.title)]).toEqual([0, false, true]);
});
