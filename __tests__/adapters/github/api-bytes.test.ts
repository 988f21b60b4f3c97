import { afterEach, describe, expect, it } from 'vitest';
import { apiRepository } from '../../../src/adapters/github/api-repository.ts';
import { reply, type Script, type ScriptedGitHub, scriptedGitHub } from './scripted-github.ts';

const commits = { base: '1'.repeat(40), head: '2'.repeat(40), mergeBase: '3'.repeat(40) };

const image = Buffer.from(Array.from({ length: 3_000 }, (_, index) => (index * 7919) % 256));
const blobs: Readonly<Record<string, Buffer>> = {
  image,
  link: Buffer.from('logo.png'),
  pointer: Buffer.from('version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 12\n'),
};

function entry(path: string, sha: string, more: object = {}) {
  return { path, sha, mode: '100644', type: 'blob', size: blobs[sha]?.length ?? 0, ...more };
}

const tree = [
  entry('logo.png', 'image'),
  entry('unsized.png', 'image', { size: undefined }),
  entry('link', 'link', { mode: '120000' }),
  entry('video.mp4', 'pointer'),
  entry('vendor', 'f'.repeat(40), { mode: '160000', type: 'commit', size: undefined }),
];

const script: Script = ({ path }) => {
  const blob = blobs[path.replace('/repos/o/r/git/blobs/', '')];
  if (blob !== undefined) return reply(200, { encoding: 'base64', content: blob.toString('base64') });
  return path === `/repos/o/r/git/trees/${commits.head}` ? reply(200, { truncated: false, tree }) : undefined;
};

describe('readBytes over the API', () => {
  let server: ScriptedGitHub | undefined;
  afterEach(() => server?.close());

  const read = async (path: string, maxBytes: number) => {
    server = await scriptedGitHub(script);
    return apiRepository(server.github, { owner: 'o', repository: 'r', commits }).readBytes(path, 'head', maxBytes);
  };

  it.each([
    ['logo.png', 3_000, { kind: 'bytes', bytes: image }],
    ['logo.png', 2_999, { kind: 'unreadable', reason: 'too-large', bytes: 3_000 }],
    ['unsized.png', 2_999, { kind: 'unreadable', reason: 'too-large', bytes: 3_000 }],
    ['link', 3_000, { kind: 'symlink', target: 'logo.png' }],
    ['video.mp4', 3_000, { kind: 'unreadable', reason: 'lfs-pointer', bytes: 66 }],
    ['vendor', 3_000, { kind: 'unreadable', reason: 'submodule', bytes: null }],
    ['nothing.png', 3_000, { kind: 'unreadable', reason: 'missing', bytes: null }],
  ])('answers %s, of which %i bytes are wanted', async (path, maxBytes, expected) => {
    expect(await read(path, maxBytes)).toEqual(expected);
  });

  it('does not download what is known to be too large', async () => {
    await read('logo.png', 2_999);
    expect(server?.log).toEqual([`GET /repos/o/r/git/trees/${commits.head}`]);
  });
});
