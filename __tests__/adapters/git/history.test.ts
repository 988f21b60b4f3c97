import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cloneRepository, createRepository } from '../../fakes/git-fixture.ts';
import { change, lfsPointer, open, openChange } from './fixtures.ts';

const body = 'one\ntwo\nthree\nfour\nfive\nsix\n';

/** Three commits, of which the second renames a file, as a clone of so many commits has them. */
async function threeCommits({
  depth,
  remote = 'none',
}: {
  depth?: number;
  remote?: 'none' | 'origin' | 'broken';
} = {}) {
  const origin = createRepository();
  const first = origin.commit({ files: { old: body, other: 'x\n' }, message: 'First', author: 'Grace Hopper' });
  const second = origin.commit({ files: { old: null, new: body }, message: 'Second\n\nWhy it\nmoved.' });
  const third = origin.commit({ files: { new: `${body}seven\n` }, message: 'Third' });
  const checkout = depth === undefined ? origin : cloneRepository(origin, '--depth', `${depth}`);
  const url = remote === 'origin' ? origin.url : 'file:///nonexistent';
  const { history } = await open({
    checkout: checkout.directory,
    remote: remote === 'none' ? null : { url, authorization: null },
    commits: { base: second, mergeBase: second, head: third },
  });
  return { history, checkout, hashes: [first, second, third] };
}

describe('history', () => {
  it('has something to tell where a commit came before the change, or where more can be fetched', async () => {
    const origin = createRepository();
    const [first, second, third] = ['1', '2', '3'].map((text) => origin.commit({ files: { a: text }, message: text }));
    const opened = (base = '', head = '', remote: string | null = null) =>
      open({
        checkout: origin.directory,
        remote: remote === null ? null : { url: remote, authorization: null },
        commits: { base, mergeBase: base, head },
      });
    const all = [await opened(first, second), await opened(second, third), await opened(first, second, origin.url)];
    expect(all.map(({ hasPast }) => hasPast)).toEqual([false, true, true]);
  });

  it('blames lines, over a rename', async () => {
    const { history, hashes } = await threeCommits();
    expect(await history.blame('new', 6, 99)).toEqual([
      { line: 6, commit: hashes[0], author: 'Grace Hopper', date: '2026-01-01', subject: 'First' },
      { line: 7, commit: hashes[2], author: 'Ada Lovelace', date: '2026-01-01', subject: 'Third' },
    ]);
  });

  it('logs a file over a rename, and the whole repository', async () => {
    const { history, hashes } = await threeCommits();
    const second = { commit: hashes[1], author: 'Ada Lovelace', date: '2026-01-01', subject: 'Second' };
    const entries = [{ subject: 'Third' }, { ...second, body: 'Why it\nmoved.' }, { subject: 'First' }];
    expect((await history.log('new', 10)).entries).toMatchObject(entries);
    expect(await history.log('', 2)).toMatchObject({ shallow: false, entries: entries.slice(0, 2) });
    expect(await history.log('nope', 2)).toEqual({ shallow: false, entries: [] });
  });

  it.each([
    ['nope', 1, /There is no file "nope"/],
    ['../x', 1, /not a path inside/],
    ['new', 100, /has only 7 lines/],
  ])('tells the model why %s from line %i cannot be blamed', async (path, line, message) => {
    const { history } = await threeCommits();
    await expect(history.blame(path, line, line)).rejects.toThrow(message);
  });

  it('credits nobody for lines that are older than a shallow clone', async () => {
    const { history, hashes } = await threeCommits({ depth: 2 });
    expect((await history.blame('new', 6, 7)).map((line) => line.commit)).toEqual([null, hashes[2]]);
    expect(await history.log('new', 10)).toMatchObject({ shallow: true, entries: [{ subject: 'Third' }] });
  });

  it('fetches older commits at the first question when there is a remote', async () => {
    const { history, hashes, checkout } = await threeCommits({ depth: 2, remote: 'origin' });
    const [blame, log] = await Promise.all([history.blame('new', 6, 6), history.log('new', 10)]);
    expect(blame).toMatchObject([{ commit: hashes[0], author: 'Grace Hopper' }]);
    expect(log).toMatchObject({ shallow: false, entries: [{}, {}, { subject: 'First' }] });
    expect(checkout.git('rev-list', '--count', 'HEAD')).toBe('2');
  });

  it('goes on with what is there when nothing older can be fetched', async () => {
    const { history } = await threeCommits({ depth: 2, remote: 'broken' });
    const entries = [{ subject: 'Third' }, { subject: 'Second' }];
    expect(await history.log('', 10)).toMatchObject({ shallow: true, entries });
  });
});

const files = {
  'src/a.ts': 'head\n',
  'src/ü b\n.ts': 'odd\n',
  empty: '',
  latin: Buffer.from([0x67, 0xfc, 0x0a]),
  image: Buffer.from([1, 0, 2]),
  late: Buffer.concat([Buffer.alloc(8_000, 'a'), Buffer.from([0])]),
  big: 'x'.repeat(2_000_001),
  link: { symlink: '../outside' },
  model: lfsPointer(12_345),
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
    const part = fc.constantFrom('', '\n', ...'.. . .git .GIT config src HEAD / \\ \0 C: ~ : -'.split(' '));
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
  expect(list.map(({ path, kind, bytes }) => `${JSON.stringify(path)} ${kind} ${bytes}`)).toEqual([
    '"big" file 2000001',
    '"empty" file 0',
    '"image" file 3',
    '"late" file 8001',
    '"latin" file 3',
    '"lib" submodule null',
    '"link" symlink 10',
    '"model" file 130',
    '"src/a.ts" file 5',
    '"src/ü b\\n.ts" file 4',
  ]);
});
