import { describe, expect, it } from 'vitest';
import type { BlameLine, LogEntry } from '../../../src/core/repository/repository.ts';
import { MemoryRepository } from '../../fakes/memory-repository.ts';
import { callTool, historyOf, lines } from './tools-over.ts';

const repository = new MemoryRepository({ 'a.ts': lines(1_000) });
const hash = (digit: string): string => digit.repeat(40);

function blamed(commits: readonly (string | null)[], from: number): readonly BlameLine[] {
  return commits.map((commit, index) => ({
    line: from + index,
    commit,
    author: 'Ada',
    date: '2026-01-02',
    subject: 'Count\u202e again',
  }));
}

describe('get_git_blame', () => {
  const blame = (start: number, end: number, history = historyOf({})) =>
    callTool({ repository, history }, 'get_git_blame', { path: 'a.ts', start_line: start, end_line: end });

  it('groups consecutive lines of one commit', async () => {
    const history = historyOf({
      blame: async (_path, start) => blamed([hash('a'), hash('a'), hash('b'), null, null], start),
    });
    expect(await blame(10, 14, history)).toBe(
      [
        'a.ts, lines 10-14',
        '10-11 aaaaaaaaaa 2026-01-02 Ada: Count\\u{202E} again',
        '12 bbbbbbbbbb 2026-01-02 Ada: Count\\u{202E} again',
        '13-14 older than the fetched history',
      ].join('\n'),
    );
  });

  it('asks for at most 500 lines that exist', async () => {
    const asked: number[] = [];
    const history = historyOf({
      blame: async (_path, start, end) => {
        asked.push(start, end);
        return blamed([hash('a')], start);
      },
    });
    expect((await blame(1_200, 1, history)).split('\n')[0]).toBe(
      'a.ts, lines 1-500; start_line and end_line were swapped; the file has 1,000 lines; cut: the next line is 501',
    );
    expect(asked).toEqual([1, 500]);
  });

  it('is not offered without history', async () => {
    await expect(callTool({ repository }, 'get_git_blame', {})).rejects.toThrow('get_git_blame is not offered');
  });
});

describe('get_git_log', () => {
  const entry = (subject: string, body = ''): LogEntry => ({
    commit: hash('c'),
    author: 'Ada',
    date: '2026-01-02',
    subject,
    body,
  });
  const log = (call: { path?: string | null; count?: number | null }, history = historyOf({})) =>
    callTool({ repository, history }, 'get_git_log', { path: null, count: null, ...call });

  it('gives each commit with the first lines of its message', async () => {
    const body = Array.from({ length: 9 }, (_line, index) => `reason ${index + 1}`).join('\n');
    const history = historyOf({ log: async () => ({ entries: [entry('One', body), entry('Two')], shallow: true }) });
    expect(await log({}, history)).toBe(
      [
        'cccccccccc 2026-01-02 Ada: One',
        ...[1, 2, 3, 4, 5, 6].map((number) => `    reason ${number}`),
        '    (3 more lines)',
        'cccccccccc 2026-01-02 Ada: Two',
        '(older commits were not fetched)',
      ].join('\n'),
    );
  });

  it.each([
    [null, 10],
    [0, 1],
    [7, 7],
    [500, 50],
  ])('asked for %j commits reads %i', async (count, read) => {
    const asked: [string, number][] = [];
    const history = historyOf({
      log: async (path, limit) => {
        asked.push([path, limit]);
        return { entries: [entry('One')], shallow: false };
      },
    });
    await log({ path: './a.ts', count }, history);
    expect(asked).toEqual([['a.ts', read]]);
  });

  it('keeps long messages within one result', async () => {
    const entries = Array.from({ length: 50 }, () => entry('s'.repeat(400), `${'b'.repeat(400)}\n`.repeat(6)));
    const result = await log({ count: 50 }, historyOf({ log: async () => ({ entries, shallow: false }) }));
    expect(result.length).toBeLessThanOrEqual(30_000);
    expect(result).toMatch(/\(\d+ more commits did not fit\)$/);
  });

  it.each([
    ['a.ts', true, 'The fetched history has no commit that touched a.ts; older commits were not fetched.'],
    ['b.ts', false, 'There is no b.ts at the reviewed commit. list_files lists what there is.'],
    ['a.ts', false, 'There is no commit.'],
  ])('says why there is no commit for %s (shallow: %s)', async (path, shallow, text) => {
    expect(await log({ path }, historyOf({ log: async () => ({ entries: [], shallow }) }))).toBe(text);
  });
});
