import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openImageCodec } from '../../src/adapters/images/codec.ts';
import { imageLimits } from '../../src/core/images/images.ts';
import { fields, type Seen, seen } from '../fakes/decode-jpeg.ts';
import { at, parseJson } from '../fakes/every-pair.ts';
import { createRepository } from '../fakes/git-fixture.ts';
import { drawPng, sampleImages } from '../fakes/images.ts';
import { temporaryFolder } from '../fakes/memory-repository.ts';
import type { NormalisedRequest, SentImage } from '../fakes/model-server/normalise.ts';
import { call, calls, type ModelOptions, submit } from '../fakes/model-server/script.ts';
import { startModel } from '../fakes/model-server/start-model.ts';
import type { WorldFiles } from '../fakes/world/git.ts';
import { builtFile } from './harness.ts';
import { play, push, review, setStage, totalWorld, wrongLineFinding } from './review.ts';
import { runCli } from './worlds.ts';

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

  it('a model that takes no images gets a note instead, the code is reviewed, and the images are named as not reviewed', async () => {
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

const worker = builtFile('dist/images/index.js');
const folder = dirname(worker);
const codec = (name: string) => join(folder, `${name}.wasm.br`);
const files = {
  worker,
  codecs: {
    mozjpeg_dec: codec('mozjpeg_dec'),
    mozjpeg_enc: codec('mozjpeg_enc'),
    squoosh_png_bg: codec('squoosh_png_bg'),
    webp_dec: codec('webp_dec'),
  },
  packed: true,
};

describe('dist/images', () => {
  it.each(Object.entries(sampleImages))('converts %s', async (_name, { bytes, format, fourth }) => {
    const problems: string[] = [];
    const { toJpeg } = openImageCodec({ files, onProblem: (text) => problems.push(text) });
    const limits = { ...imageLimits, milliseconds: 25_000 };
    const converted = await toJpeg({ bytes, format, orientation: 1 }, limits);
    if (converted.kind === 'failed') throw new Error(`${converted.reason} ${problems.join(' ')}`);
    const last = fourth === 'transparent' ? 'white' : 'black';
    expect(fields(await seen(converted.jpeg))).toEqual(['red', 'green', 'blue', last]);
  });

  it('names whom the codecs come from', () => {
    const licences = readFileSync(join(folder, 'licenses.txt'), 'utf8');
    const owners = [
      '@jsquash/jpeg',
      '@jsquash/png',
      '@jsquash/webp',
      'mozjpeg: Copyright (C) 2014, Mozilla Corporation',
      'libwebp: Copyright (c) 2010, Google Inc.',
      'Independent JPEG Group',
      '(c) Dean McNamee',
    ];
    expect(owners.filter((owner) => !licences.includes(owner))).toEqual([]);
  });
});

it('dist stays under 12 MB, and each of its bundles under 4 MB', () => {
  const root = dirname(builtFile('dist/index.js'));
  const sizes = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => ({ name: entry.name, bytes: statSync(join(entry.parentPath, entry.name)).size }));
  const large = sizes.filter(({ name, bytes }) => name.endsWith('.js') && bytes >= 4_000_000);
  expect([sizes.reduce((sum, { bytes }) => sum + bytes, 0) < 12_000_000, large]).toEqual([true, []]);
});

describe('vision runs', () => {
  const { jpeg, gif } = sampleImages;
  const drawn = (width: number) => drawPng({ width, height: 10, colourAt: () => [0, 0, 200, 255] });

  it('the command line shows images as a job does', async () => {
    const fixture = createRepository();
    fixture.commit({ files: { 'logo.png': drawn(20) }, message: 'Start' });
    fixture.commit({ files: { 'logo.png': drawn(2_500) }, message: 'Widen the logo' });
    const model = await startModel([submit([{ path: 'logo.png', title: 'The logo is too wide' }])]);
    onTestFinished(() => model.close());
    const env = { POSTIL_API_KEY: model.apiKey, POSTIL_BASE_URL: model.url };
    const args = ['review', '--base', 'HEAD~1', '--vision', 'true', '--image-detail', 'high'];
    const run = await runCli({ args, cwd: fixture.directory, env, start: 'bundle' });
    const sent = model.requests[0]?.images ?? [];
    const sizes = await Promise.all(sent.map(async ({ bytes, detail }) => [(await seen(bytes)).width, detail]));
    expect(sizes).toEqual([
      [20, 'high'],
      [2_048, 'high'],
    ]);
    expect([run.code, run.stdout.includes('logo.png'), model.complaints]).toEqual([0, true, []]);
  });

  it('a push shows the images that it touched, and none that an earlier run looked at', async () => {
    const base = { 'a.png': drawn(20), 'b.gif': gif.bytes };
    const scenario = {
      world: { base, head: { 'a.png': drawn(40), 'b.gif': jpeg.bytes } },
      model: () => submit([]),
      inputs: { vision: 'true' },
    };
    const stage = await setStage(scenario);
    await play(stage, scenario);
    const next = await push(stage, { files: { 'a.png': drawn(60) } });
    const run = await play(next, scenario);
    const widths = stage.model.requests.map(({ images }) =>
      Promise.all(images.map(async ({ bytes }) => (await seen(bytes)).width)),
    );
    expect(await Promise.all(widths)).toEqual([
      [20, 40, 48, 48],
      [20, 60],
    ]);
    expect([run.outputs['outcome'], stage.model.complaints]).toEqual(['clean', []]);
  });

  it('a context without room for the images reviews the code, and names them as not reviewed', async () => {
    const lines = (count: number) =>
      Array.from({ length: count }, (_, index) => `export const value${index} = ${index};`);
    const world = {
      base: { 'README.md': '# Spoon\n' },
      head: { 'src/a.ts': `${lines(5).join('\n')}\n`, 'a.png': drawn(20), 'b.gif': gif.bytes, 'c.jpg': jpeg.bytes },
    };
    const whole = await review({ world, model: [submit([])], inputs: { vision: 'true', stream: 'false' } });
    const usage = Number(whole.run.outputs['input-tokens']);
    const { model, run } = await review({
      world,
      model: { contextWindow: usage - 150, answers: () => submit([]) },
      inputs: { vision: 'true', stream: 'false' },
    });
    expect(model.attempts.map(({ status }) => status)).toEqual([400, 200]);
    expect(model.requests[0]?.prompt).toContain('[The 3 images are not shown: removed to fit the context.]');
    expect([run.outputs['outcome'], model.requests[0]?.images, model.complaints.length]).toEqual(['partial', [], 0]);
    expect(run.summary).toContain('its images did not reach the model');
  });
});
