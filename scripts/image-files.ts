import { appendFileSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { packWasm } from './pack-wasm.ts';

/** Puts the codecs beside the thread that converts images, packed, with the licences that their packages do not carry. */
export function putImageFiles({
  root,
  output,
  previous,
}: {
  readonly root: string;
  /** Where the files go: the thread has been bundled into it. */
  readonly output: string;
  /** Where the last build put them. */
  readonly previous: string;
}): void {
  // ncc copies what the packages' own loaders name, two and a half times as large.
  for (const name of readdirSync(output)) if (name.endsWith('.wasm')) rmSync(join(output, name));
  const modules = join(root, 'node_modules');
  for (const codec of codecs) packWasm(join(modules, '@jsquash', codec), { output, previous });
  appendFileSync(join(output, 'licenses.txt'), `${codecLicences}\nomggif\nMIT\n${omggifLicence(modules)}\n`);
}

const codecs = [
  'jpeg/codec/dec/mozjpeg_dec.wasm',
  'jpeg/codec/enc/mozjpeg_enc.wasm',
  'png/codec/pkg/squoosh_png_bg.wasm',
  'webp/codec/dec/webp_dec.wasm',
];

/** Its readme is its licence file. */
function omggifLicence(modules: string): string {
  const readme = readFileSync(join(modules, 'omggif/README'), 'utf8');
  const start = readme.indexOf('(c) Dean McNamee');
  if (start === -1) throw new Error('the readme of omggif holds no licence any more');
  return readme.slice(start).trim();
}

const codecLicences = `
mozjpeg in @jsquash/jpeg, libwebp in @jsquash/webp
BSD-3-Clause
This software is based in part on the work of the Independent JPEG Group.
mozjpeg: Copyright (C) 2009-2023 D. R. Commander. All Rights Reserved.
mozjpeg: Copyright (C) 2014, Mozilla Corporation. All Rights Reserved.
mozjpeg: Copyright (C) 2015 Viktor Szathmáry. All Rights Reserved.
libwebp: Copyright (c) 2010, Google Inc. All rights reserved.

Redistribution and use in source and binary forms, with or without modification, are permitted provided that the following
conditions are met:

- Redistributions of source code must retain the above copyright notice, this list of conditions and the following disclaimer.
- Redistributions in binary form must reproduce the above copyright notice, this list of conditions and the following
  disclaimer in the documentation and/or other materials provided with the distribution.
- Neither the name of the copyright holders nor the names of their contributors may be used to endorse or promote products
  derived from this software without specific prior written permission.

THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS", AND ANY EXPRESS OR IMPLIED WARRANTIES,
INCLUDING, BUT NOT LIMITED TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE DISCLAIMED.
IN NO EVENT SHALL THE COPYRIGHT HOLDERS OR CONTRIBUTORS BE LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY,
OR CONSEQUENTIAL DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES; LOSS OF USE, DATA, OR
PROFITS; OR BUSINESS INTERRUPTION) HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY, OR
TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS SOFTWARE, EVEN IF ADVISED OF THE
POSSIBILITY OF SUCH DAMAGE.
`;
