import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openImageCodec } from '../../src/adapters/images/open-image-codec.ts';
import { imageLimits } from '../../src/core/images/image-limits.ts';
import { fields, seen } from '../fakes/decode-jpeg.ts';
import { sampleImages } from '../fakes/sample-images.ts';
import { builtFile } from './harness.ts';

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
