import { describe, expect, it } from 'vitest';
import { cloneRepository, createRepository, type GitFixture } from '../../fakes/git-fixture.ts';
import { open } from './open-fixture.ts';

const body = 'one\ntwo\nthree\nfour\nfive\nsix\n';

function threeCommits(): { fixture: GitFixture; hashes: readonly [string, string, string] } {
  const fixture = createRepository();
  const first = fixture.commit({ files: { old: body, other: 'x\n' }, message: 'First', author: 'Grace Hopper' });
  const second = fixture.commit({ files: { old: null, new: body }, message: 'Second\n\nWhy it\nmoved.' });
  const third = fixture.commit({ files: { new: `${body}seven\n` }, message: 'Third' });
  return { fixture, hashes: [first, second, third] };
}

async function openHistory(
  fixture: GitFixture,
  options: { hashes: readonly [string, string, string]; remote?: string },
) {
  const [, base, head] = options.hashes;
  const remote = options.remote === undefined ? null : { url: options.remote, authorization: null };
  const git = await open({ checkout: fixture.directory, remote, commits: { base, mergeBase: base, head } });
  return git.history;
}

describe('history', () => {
  it('blames lines, over a rename', async () => {
    const { fixture, hashes } = threeCommits();
    const history = await openHistory(fixture, { hashes });
    expect(await history.blame('new', 6, 99)).toEqual([
      { line: 6, commit: hashes[0], author: 'Grace Hopper', date: '2026-01-01', subject: 'First' },
      { line: 7, commit: hashes[2], author: 'Ada Lovelace', date: '2026-01-01', subject: 'Third' },
    ]);
  });

  it('logs a file over a rename, and the whole repository', async () => {
    const { fixture, hashes } = threeCommits();
    const history = await openHistory(fixture, { hashes });
    const ofFile = await history.log('new', 10);
    expect(ofFile.entries.map((entry) => entry.subject)).toEqual(['Third', 'Second', 'First']);
    expect(ofFile.entries[1]).toEqual({
      ...{ commit: hashes[1], author: 'Ada Lovelace', date: '2026-01-01', subject: 'Second', body: 'Why it\nmoved.' },
    });
    expect(await history.log('', 2)).toMatchObject({
      shallow: false,
      entries: [{ subject: 'Third' }, { subject: 'Second' }],
    });
    expect(await history.log('nope', 2)).toEqual({ shallow: false, entries: [] });
  });

  it.each([
    ['nope', 1, /There is no file "nope"/],
    ['../x', 1, /not a path inside/],
    ['new', 100, /has only 7 lines/],
  ])('tells the model why %s from line %i cannot be blamed', async (path, line, message) => {
    const { fixture, hashes } = threeCommits();
    const history = await openHistory(fixture, { hashes });
    await expect(history.blame(path, line, line)).rejects.toThrow(message);
  });

  it('credits nobody for lines that are older than a shallow clone', async () => {
    const { fixture, hashes } = threeCommits();
    const shallow = cloneRepository(fixture, '--depth', '2');
    const history = await openHistory(shallow, { hashes });
    expect((await history.blame('new', 6, 7)).map((line) => line.commit)).toEqual([null, hashes[2]]);
    const log = await history.log('new', 10);
    expect(log).toMatchObject({ shallow: true, entries: [{ subject: 'Third' }] });
  });

  it('fetches older commits at the first question when there is a remote', async () => {
    const { fixture, hashes } = threeCommits();
    const shallow = cloneRepository(fixture, '--depth', '2');
    const history = await openHistory(shallow, { hashes, remote: fixture.url });
    const [blame, log] = await Promise.all([history.blame('new', 6, 6), history.log('new', 10)]);
    expect(blame).toMatchObject([{ commit: hashes[0], author: 'Grace Hopper' }]);
    expect(log).toMatchObject({ shallow: false, entries: [{}, {}, { subject: 'First' }] });
    expect(shallow.git('rev-list', '--count', 'HEAD')).toBe('2');
  });

  it('goes on with what is there when nothing older can be fetched', async () => {
    const { fixture, hashes } = threeCommits();
    const shallow = cloneRepository(fixture, '--depth', '2');
    const history = await openHistory(shallow, { hashes, remote: 'file:///nonexistent' });
    expect(await history.log('', 10)).toMatchObject({
      shallow: true,
      entries: [{ subject: 'Third' }, { subject: 'Second' }],
    });
  });
});
