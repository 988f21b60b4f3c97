import { describe, expect, it } from 'vitest';
import { apiRepository, openShared } from '../../../src/adapters/github/api-repository.ts';
import { reply, type Script, scriptedGitHub } from './scripted-github.ts';

const commits = { base: '1'.repeat(40), head: '2'.repeat(40), mergeBase: '3'.repeat(40) };

const blobs: Readonly<Record<string, Buffer>> = {
  text: Buffer.from('one\r\ntwo – three\n'),
  link: Buffer.from('../elsewhere'),
  binary: Buffer.from([0x89, 0x50, 0x00, 0x01]),
  pointer: Buffer.from('version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 12\n'),
  large: Buffer.alloc(3_000_000, 'a line\n'),
  image: Buffer.from(Array.from({ length: 3_000 }, (_, index) => (index * 7919) % 256)),
};

function entry(path: string, sha: string, more: object = {}) {
  return { path, sha, mode: '100644', type: 'blob', size: blobs[sha]?.length ?? 0, ...more };
}

const tree = [
  entry('src', 'd1', { mode: '040000', type: 'tree', size: undefined }),
  entry('src/text.ts', 'text'),
  entry('link', 'link', { mode: '120000' }),
  entry('logo.png', 'binary'),
  entry('big.csv', 'large'),
  entry('huge.csv', 'huge', { size: 10_000_001 }),
  entry('video.mp4', 'pointer'),
  entry('photo.png', 'image'),
  entry('unsized.png', 'image', { size: undefined }),
  entry('vendor', 'f'.repeat(40), { mode: '160000', type: 'commit', size: undefined }),
];

const whole: Script = ({ path }) => {
  const blob = blobs[path.replace('/repos/o/r/git/blobs/', '')];
  if (blob !== undefined) return reply(200, { encoding: 'base64', content: blob.toString('base64') });
  return path === `/repos/o/r/git/trees/${commits.head}` ? reply(200, { truncated: false, tree }) : undefined;
};

const repositoryOver = async (script: Script, more: object = {}) => {
  const { github, log } = await scriptedGitHub(script);
  return { ...apiRepository(github, { owner: 'o', repository: 'r', commits, ...more }), log };
};

describe('apiRepository', () => {
  it.each([
    ['src/text.ts', { kind: 'text', text: 'one\r\ntwo – three\n', bytes: 19 }],
    ['big.csv', { kind: 'text', text: String(blobs['large']), bytes: 3_000_000 }],
    ['link', { kind: 'symlink', target: '../elsewhere' }],
    ['logo.png', { kind: 'unreadable', reason: 'binary', bytes: 4, media: null }],
    ['video.mp4', { kind: 'unreadable', reason: 'lfs-pointer', bytes: 66 }],
    ['huge.csv', { kind: 'unreadable', reason: 'too-large', bytes: 10_000_001 }],
    ['vendor', { kind: 'unreadable', reason: 'submodule', bytes: null }],
    ['src', { kind: 'unreadable', reason: 'directory', bytes: null }],
    ['', { kind: 'unreadable', reason: 'directory', bytes: null }],
    ['src/nothing.ts', { kind: 'unreadable', reason: 'missing', bytes: null }],
    ['../etc/passwd', { kind: 'unreadable', reason: 'missing', bytes: null }],
  ])('reads %j', async (path, expected) => {
    const repository = await repositoryOver(whole);
    await expect(repository.readFile(path, 'head')).resolves.toEqual(expected);
  });

  it('lists a commit and reads a blob only once', async () => {
    const repository = await repositoryOver(whole);
    await Promise.all([repository.readFile('src/text.ts', 'head'), repository.listFiles('head')]);
    await repository.readFile('src/text.ts', 'head');
    expect(repository.log).toEqual([`GET /repos/o/r/git/trees/${commits.head}`, 'GET /repos/o/r/git/blobs/text']);
  });

  it('lists files, links and submodules by path, without directories', async () => {
    const repository = await repositoryOver(whole);
    await expect(repository.listFiles('head')).resolves.toEqual([
      { path: 'big.csv', kind: 'file', bytes: 3_000_000 },
      { path: 'huge.csv', kind: 'file', bytes: 10_000_001 },
      { path: 'link', kind: 'symlink', bytes: 12 },
      { path: 'logo.png', kind: 'file', bytes: 4 },
      { path: 'photo.png', kind: 'file', bytes: 3_000 },
      { path: 'src/text.ts', kind: 'file', bytes: 19 },
      { path: 'unsized.png', kind: 'file', bytes: null },
      { path: 'vendor', kind: 'submodule', bytes: null },
      { path: 'video.mp4', kind: 'file', bytes: 66 },
    ]);
  });

  it('says when GitHub lists a part only, and finds the rest directory by directory', async () => {
    const notes: string[] = [];
    const script: Script = (asked) => {
      const name = asked.path.replace('/repos/o/r/git/trees/', '');
      if (name === commits.mergeBase && asked.query.get('recursive') === '1') {
        return reply(200, { truncated: true, tree: tree.slice(0, 1) });
      }
      if (name === commits.mergeBase) return reply(200, { truncated: false, tree: tree.slice(0, 1) });
      if (name === 'd1') return reply(200, { truncated: false, tree: [entry('text.ts', 'text')] });
      return whole(asked);
    };
    const repository = await repositoryOver(script, { onNote: (note: string) => notes.push(note) });
    await expect(repository.readFile('src/text.ts', 'merge-base')).resolves.toMatchObject({ kind: 'text', bytes: 19 });
    await expect(repository.readFile('src/no.ts', 'merge-base')).resolves.toMatchObject({ reason: 'missing' });
    await expect(repository.readFile('src/text.ts/x', 'merge-base')).resolves.toMatchObject({ reason: 'missing' });
    expect(notes).toEqual(['GitHub lists only the first 1 entries of 333333333333.']);
    // The list, two directories and one blob: each once.
    expect(repository.log).toHaveLength(4);
  });

  it('does not share a configuration of which GitHub lists a part only', async () => {
    const { github } = await scriptedGitHub(() => reply(200, { truncated: true, tree }));
    const shared = { owner: 'o', repository: 'r', ref: commits.head, path: '.postil/config.yml' };
    await expect(openShared(github, shared)).rejects.toMatchObject({
      message: 'GitHub lists only the first 10 entries of 222222222222.',
    });
  });

  it('asks the fork for a head that the base repository does not know', async () => {
    const script: Script = ({ path }) =>
      path === `/repos/ada/r/git/trees/${commits.head}` ? reply(200, { truncated: false, tree }) : undefined;
    const repository = await repositoryOver(script, { headRepository: { owner: 'ada', repository: 'r' } });
    await expect(repository.listFiles('head')).resolves.toHaveLength(9);
    await expect(repository.listFiles('base')).rejects.toMatchObject({
      message: 'There is no commit 111111111111 in o/r, or the token may not see it.',
    });
  });

  it('explains that the contents must be readable, and asks again the next time', async () => {
    let allowed = false;
    const repository = await repositoryOver((asked) =>
      allowed ? whole(asked) : reply(403, { message: 'Resource not accessible by integration' }),
    );
    await expect(repository.listFiles('head')).rejects.toMatchObject({ hint: 'Grant `contents: read`.' });
    allowed = true;
    await expect(repository.listFiles('head')).resolves.toHaveLength(9);
  });
});

describe('readBytes over the API', () => {
  const tooLarge = { kind: 'unreadable', reason: 'too-large', bytes: 3_000 };

  it.each([
    ['photo.png', 3_000, 1, { kind: 'bytes', bytes: blobs['image'] }],
    // What is known to be too large is not downloaded.
    ['photo.png', 2_999, 0, tooLarge],
    ['unsized.png', 2_999, 1, tooLarge],
    ['link', 3_000, 1, { kind: 'symlink', target: '../elsewhere' }],
    ['video.mp4', 3_000, 1, { kind: 'unreadable', reason: 'lfs-pointer', bytes: 66 }],
    ['vendor', 3_000, 0, { kind: 'unreadable', reason: 'submodule', bytes: null }],
    ['nothing.png', 3_000, 0, { kind: 'unreadable', reason: 'missing', bytes: null }],
  ])('answers %s, of which %i bytes are wanted, with %i downloads', async (path, maxBytes, downloads, expected) => {
    const { readBytes, log } = await repositoryOver(whole);
    expect([await readBytes(path, 'head', maxBytes), log.length]).toEqual([expected, 1 + downloads]);
  });
});
