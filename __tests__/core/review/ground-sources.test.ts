import { describe, expect, it } from 'vitest';
import type { Repository, Revision } from '../../../src/core/repository/repository.ts';
import { groundSources } from '../../../src/core/review/ground-sources.ts';

function sources(read: string[] = []) {
  const repository: Repository = {
    readFile: async (path: string, at: Revision) => {
      read.push(`${at} ${path}`);
      if (path === 'link') return { kind: 'symlink', target: '../elsewhere' };
      if (path === 'logo.png') return { kind: 'unreadable', reason: 'binary', bytes: 10 };
      return { kind: 'text', text: `text of ${path} at ${at}\n`, bytes: 20 };
    },
    listFiles: async () => [],
  };
  return groundSources(repository, {
    files: [],
    isDenied: (path) => (path.startsWith('.env') ? 'holds secrets' : null),
  });
}

describe('what quotes are looked up in', () => {
  it('is the file at head on the right, and at the merge base on the left', async () => {
    const { read } = sources();
    expect([await read('a.ts', 'RIGHT'), await read('a.ts', 'LEFT')]).toEqual([
      [{ text: 'text of a.ts at head', redacted: false }],
      [{ text: 'text of a.ts at merge-base', redacted: false }],
    ]);
  });

  it('is nothing for a file that the model may not read, and it is not even opened', async () => {
    const opened: string[] = [];
    expect([await sources(opened).read('.env', 'RIGHT'), opened]).toEqual([null, []]);
  });

  it('is the target of a symbolic link, and nothing for a binary', async () => {
    const { read } = sources();
    expect([await read('link', 'RIGHT'), await read('logo.png', 'RIGHT')]).toEqual([
      [{ text: '../elsewhere', redacted: false }],
      null,
    ]);
  });

  it('is read once however often it is quoted', async () => {
    const opened: string[] = [];
    const { read } = sources(opened);
    await Promise.all([read('a.ts', 'RIGHT'), read('a.ts', 'RIGHT'), read('a.ts', 'LEFT')]);
    expect(opened).toEqual(['head a.ts', 'merge-base a.ts']);
  });
});
