import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openImageCodec } from '../../src/adapters/images/codec.ts';
import { grammars } from '../../src/adapters/syntax/languages.ts';
import { openSyntax } from '../../src/adapters/syntax/syntax.ts';
import { imageLimits } from '../../src/core/images/images.ts';
import { inEnglish } from '../../src/core/messages/languages.ts';
import { createRepository } from '../fakes/git-fixture.ts';
import { drawPng, fields, sampleImages, seen } from '../fakes/images.ts';
import { temporaryFolder } from '../fakes/memory-repository.ts';
import type { SentImage } from '../fakes/model-server/normalise.ts';
import { calls, submit } from '../fakes/model-server/script.ts';
import type { WorldFiles } from '../fakes/world/git.ts';
import { builtFile, runCli } from './harness.ts';
import { laptopModel, outputFiles, placesOf, review, totalWorld } from './review.ts';

const { jpeg, losslessWebp, lossyWebp, gif } = sampleImages;
const large = drawPng({ width: 2_100, height: 700, colourAt: (x) => [x < 1_050 ? 200 : 0, 0, 0, 255] });
const small = drawPng({ width: 20, height: 10, colourAt: () => [0, 0, 200, 255] });

const base: WorldFiles = {
  ...totalWorld.base,
  'logo.png': small,
  'photo.jpg': jpeg.bytes,
  'old.gif': gif.bytes,
  'docs/shot.png': large,
};
const head: WorldFiles = {
  ...totalWorld.head,
  'logo.png': large,
  'photo.jpg': losslessWebp.bytes,
  'old.gif': null,
  'new.webp': lossyWebp.bytes,
};

/** The images of a message: what each is, and how large. */
async function shownIn(message: { readonly images: readonly SentImage[] } | undefined): Promise<readonly string[]> {
  const images = message?.images ?? [];
  const sizes = await Promise.all(images.map(({ bytes }) => seen(bytes)));
  return images.map(
    ({ mediaType, detail }, index) => `${mediaType} ${sizes[index]?.width}x${sizes[index]?.height} ${detail}`,
  );
}

describe('with `vision`', () => {
  it.each([
    ['chat', 'low'],
    ['responses', 'high'],
  ])(
    'over %s, changed images are shown before and after, others when asked for, and have findings',
    async (api, detail) => {
      const { inputs, text, json } = outputFiles('report-file', 'transcript-file');
      const title = 'The logo lost its right half';
      const finding = { path: 'logo.png', quote: 'a red half', title, suggestion: 'blue' };
      const both = calls(
        { name: 'view_image', arguments: { path: 'docs/shot.png' } },
        { name: 'read_file', arguments: { path: 'src/total.ts' } },
      );
      const { github, model, run } = await review({
        world: { base, head },
        model: [both, submit([finding])],
        inputs: { api, vision: 'true', 'image-detail': detail, ...inputs },
      });
      const [first, second] = model.requests;
      const opening = first?.messages.find(({ images }) => images.length > 0);
      expect([opening?.role, opening?.text.split('\n').filter((line) => /^\d+\. /.test(line))]).toEqual([
        'user',
        [
          '1. logo.png before (merge base), 20x10',
          '2. logo.png after (head), 2100x700, resized to 2048x683',
          '3. new.webp added (head), 48x32',
          '4. old.gif deleted (merge base), 48x32, first frame',
          '5. photo.jpg before (merge base), 48x32',
          '6. photo.jpg after (head), 48x32',
        ],
      ]);
      const sizes = ['20x10', '2048x683', '48x32', '48x32', '48x32', '48x32'];
      expect(await shownIn(opening)).toEqual(sizes.map((size) => `image/jpeg ${size} ${detail}`));
      // What was asked for follows behind all answers of the turn.
      const last = second?.messages.slice(-3) ?? [];
      expect(last.map(({ role, images }) => `${role} ${images.length}`)).toEqual(['tool 0', 'tool 0', 'user 1']);
      expect(await shownIn(last[2])).toEqual([`image/jpeg 2048x683 ${detail}`]);
      expect(placesOf(github)).toEqual(['logo.png:null']);
      expect([run.outputs['outcome'], model.complaints]).toEqual(['findings', []]);
      const reviewed = expect.arrayContaining(['logo.png', 'old.gif']);
      expect(json('report-file').coverage).toMatchObject({ reviewed, unreviewed: [] });
      const recorded = text('transcript-file');
      const base64 = (second?.images ?? []).map(({ bytes }) => bytes.toString('base64').slice(0, 200));
      expect([base64.length, base64.filter((one) => recorded.includes(one))]).toEqual([7, []]);
      const args = ['replay', inputs['transcript-file'] ?? ''];
      const { code, stdout, stderr } = await runCli({ args, cwd: temporaryFolder() });
      expect([code, stderr.includes('Differs'), stdout.includes(title)]).toEqual([0, false, true]);
    },
  );

  it('the command line shows images as a job does', async () => {
    const fixture = createRepository();
    const drawn = (width: number) => drawPng({ width, height: 10, colourAt: () => [0, 0, 200, 255] });
    fixture.commit({ files: { 'logo.png': drawn(20) }, message: 'Start' });
    fixture.commit({ files: { 'logo.png': drawn(2_500) }, message: 'Widen the logo' });
    const { model, env } = await laptopModel([submit([{ path: 'logo.png', title: 'The logo is too wide' }])]);
    const args = ['review', '--base', 'HEAD~1', '--vision', 'true', '--image-detail', 'high'];
    const run = await runCli({ args, cwd: fixture.directory, env, start: 'bundle' });
    expect(await shownIn(model.requests[0])).toEqual(['image/jpeg 20x10 high', 'image/jpeg 2048x8 high']);
    expect([run.code, run.stdout.includes('logo.png'), model.complaints]).toEqual([0, true, []]);
  });
});

const dist = dirname(builtFile('dist/index.js'));
const folder = join(dist, 'images');
const codec = (name: string) => join(folder, `${name}.wasm.br`);
const files = {
  worker: join(folder, 'index.js'),
  codecs: {
    mozjpeg_dec: codec('mozjpeg_dec'),
    mozjpeg_enc: codec('mozjpeg_enc'),
    squoosh_png_bg: codec('squoosh_png_bg'),
    webp_dec: codec('webp_dec'),
  },
  packed: true,
};

describe('dist/images', () => {
  it('converts every format', async () => {
    const problems: string[] = [];
    const { toJpeg } = openImageCodec({ files, onProblem: (text) => problems.push(text) });
    const limits = { ...imageLimits, milliseconds: 25_000 };
    for (const { bytes, format, fourth } of Object.values(sampleImages)) {
      const converted = await toJpeg({ bytes, format, orientation: 1 }, limits);
      if (converted.kind === 'failed') throw new Error(`${inEnglish(converted.reason)} ${problems.join(' ')}`);
      const last = fourth === 'transparent' ? 'white' : 'black';
      expect(fields(await seen(converted.jpeg))).toEqual(['red', 'green', 'blue', last]);
    }
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
  const sizes = readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => ({ name: entry.name, bytes: statSync(join(entry.parentPath, entry.name)).size }));
  const large = sizes.filter(({ name, bytes }) => name.endsWith('.js') && bytes >= 4_000_000);
  expect([sizes.reduce((sum, { bytes }) => sum + bytes, 0) < 12_000_000, large]).toEqual([true, []]);
});

const grammarFolder = join(dist, 'syntax');
const syntaxFiles = {
  worker: join(grammarFolder, 'index.js'),
  runtime: join(grammarFolder, 'web-tree-sitter.cjs'),
  runtimeWasm: join(grammarFolder, 'web-tree-sitter.wasm'),
  grammars: grammarFolder,
  packed: true,
};
const problems: string[] = [];
const syntax = openSyntax({ files: syntaxFiles, onProblem: (text) => problems.push(text) });
afterAll(() => syntax.close());

const texts: ReadonlyMap<string, string> = new Map([
  ['python', 'def total(): pass'],
  ['go', 'package a\nfunc total() {}'],
  ['java', 'class A { int total() {} }'],
  ['ruby', 'def total; end'],
  ['rust', 'fn total() {}'],
  ['cpp', 'int total() {}'],
  ['c-sharp', 'class A { int total() {} }'],
  ['php', '<?php function total() {}'],
]);

describe('dist/syntax', () => {
  it('parses every language', async () => {
    const parsed = grammars.map(async ({ grammar, extensions }) => {
      const text = texts.get(grammar) ?? 'function total() {}';
      const file = await syntax.parse({ path: `a.${extensions[0]}`, text }, { milliseconds: 10_000 });
      return [grammar, file?.definitions.some(({ name }) => name === 'total')];
    });
    expect(await Promise.all(parsed)).toEqual(grammars.map(({ grammar }) => [grammar, true]));
    expect(problems).toEqual([]);
  });

  it('names the licence of every grammar', () => {
    const licences = readFileSync(join(grammarFolder, 'licenses.txt'), 'utf8');
    // TSX is built from the repository of TypeScript.
    const missing = grammars.filter(({ grammar }) => grammar !== 'tsx' && !licences.includes(`tree-sitter-${grammar}`));
    expect(missing).toEqual([]);
  });
});
