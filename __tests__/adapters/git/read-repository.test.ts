import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRepository } from '../../fakes/git-fixture.ts';
import { change, open, openChange } from './open-fixture.ts';

const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 12345\n`;
const files = {
  'src/a.ts': 'head\n',
  'src/ü b\n.ts': 'odd\n',
  empty: '',
  latin: Buffer.from([0x67, 0xfc, 0x0a]),
  image: Buffer.from([1, 0, 2]),
  late: Buffer.concat([Buffer.alloc(8_000, 'a'), Buffer.from([0])]),
  big: 'x'.repeat(2_000_001),
  link: { symlink: '../outside' },
  model: pointer,
  lib: { submodule: '1234567890123456789012345678901234567890' },
} as const;

const { fixture, commits } = change({}, files);
const openFiles = () => open({ checkout: fixture.directory, commits });

describe('readFile', () => {
  it.each([
    ['a text', 'src/a.ts', { kind: 'text', text: 'head\n', bytes: 5 }],
    ['a text at an odd path', 'src/ü b\n.ts', { kind: 'text', text: 'odd\n', bytes: 4 }],
    ['a path that is not normal', './src//a.ts', { kind: 'text', text: 'head\n', bytes: 5 }],
    ['an empty file', 'empty', { kind: 'text', text: '', bytes: 0 }],
    ['invalid UTF-8 as text', 'latin', { kind: 'text', text: 'g\ufffd\n', bytes: 3 }],
    ['a link as its target', 'link', { kind: 'symlink', target: '../outside' }],
    ['a binary file', 'image', { kind: 'unreadable', reason: 'binary', bytes: 3 }],
    ['a late NUL as text', 'late', { kind: 'text', bytes: 8_001 }],
    ['a large file', 'big', { kind: 'unreadable', reason: 'too-large', bytes: 2_000_001 }],
    ['an LFS pointer', 'model', { kind: 'unreadable', reason: 'lfs-pointer' }],
    ['a submodule', 'lib', { kind: 'unreadable', reason: 'submodule', bytes: null }],
    ['a directory', 'src', { kind: 'unreadable', reason: 'directory', bytes: null }],
    ['the root', '', { kind: 'unreadable', reason: 'directory', bytes: null }],
    ['a path below a file', 'src/a.ts/b', { kind: 'unreadable', reason: 'missing', bytes: null }],
    ['what is not there', 'nope', { kind: 'unreadable', reason: 'missing', bytes: null }],
  ])('answers %s', async (_, path, content) => {
    const { repository } = await openFiles();
    expect(await repository.readFile(path, 'head')).toMatchObject(content);
  });

  it('reads each revision', async () => {
    const fixture = createRepository();
    const mergeBase = fixture.commit({ files: { a: 'merge base' } });
    const base = fixture.commit({ files: { a: 'base' } });
    const head = fixture.commit({ files: { a: 'head' } });
    const { repository } = await open({ checkout: fixture.directory, commits: { base, mergeBase, head } });
    const texts = (['head', 'base', 'merge-base'] as const).map(async (at) => repository.readFile('a', at));
    expect(await Promise.all(texts)).toMatchObject([{ text: 'head' }, { text: 'base' }, { text: 'merge base' }]);
  });

  it('keeps many answers apart when they are asked for at once', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 200 }, (_, index) => [`d${index % 7}/${index}`, `${index}\n`.repeat(index * 20)]),
    );
    const { repository } = await openChange({}, many);
    const answers = await Promise.all(Object.keys(many).map((path) => repository.readFile(path, 'head')));
    expect(answers.map((answer) => (answer.kind === 'text' ? answer.text : answer))).toEqual(Object.values(many));
  });

  it('reads nothing outside the commit, whatever the path', async () => {
    const { repository } = await openFiles();
    const part = fc.constantFrom(
      '..',
      '.',
      '',
      '.git',
      '.GIT',
      'config',
      'src',
      'HEAD',
      '/',
      '\\',
      '\0',
      'C:',
      '~',
      ':',
      '-',
      '\n',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 6 }), async (parts) => {
        const answer = await repository.readFile(parts.join('/'), 'head');
        expect(answer).toMatchObject({ kind: 'unreadable', reason: expect.stringMatching(/^(missing|directory)$/) });
      }),
    );
  });

  it('says so when the repository is closed', async () => {
    const git = await openFiles();
    const reading = git.repository.readFile('src/a.ts', 'head');
    const failure = expect(reading).rejects.toThrow('git cat-file stopped answering: the repository was closed');
    await git.close();
    await failure;
  });
});

it('lists all files by path, with kinds and sizes', async () => {
  const { repository } = await openFiles();
  const list = await repository.listFiles('head');
  expect(list.map(({ path, kind, bytes }) => `${JSON.stringify(path)} ${kind} ${bytes}`)).toMatchInlineSnapshot(`
    [
      ""big" file 2000001",
      ""empty" file 0",
      ""image" file 3",
      ""late" file 8001",
      ""latin" file 3",
      ""lib" submodule null",
      ""link" symlink 10",
      ""model" file 130",
      ""src/a.ts" file 5",
      ""src/ü b\\n.ts" file 4",
    ]
  `);
});
