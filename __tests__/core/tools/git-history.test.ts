import { describe, expect, it } from 'vitest';
import { type ImageCodec, repositoryImages } from '../../../src/core/images/images.ts';
import { createImageQuota, type ImageQuota } from '../../../src/core/images/part.ts';
import { verbatim } from '../../../src/core/messages/message.ts';
import type { Log } from '../../../src/core/repository/repository.ts';
import { viewImage } from '../../../src/core/tools/view-image.ts';
import { convertedFrom, MemoryImages, pngOf, ScriptedCodec, sampleImages } from '../../fakes/images.ts';
import { changedFile, MemoryRepository } from '../../fakes/memory-repository.ts';
import { callTool, historyOf, lines, resultOf } from './tools-over.ts';

const repository = new MemoryRepository({ 'a.ts': lines(1_000) });
const hash = (digit: string): string => digit.repeat(40);

describe('get_git_blame', () => {
  /** The answer for lines that were last changed in these commits, and which lines were asked for. */
  async function blame(start_line: number, end_line: number, commits: readonly (string | null)[]) {
    const asked: number[] = [];
    const line = { author: 'Ada', date: '2026-01-02', subject: 'Count\u202e again' };
    const history = historyOf({
      blame: async (_path, start, end) => {
        asked.push(start, end);
        return commits.map((commit, index) => ({ ...line, commit, line: start + index }));
      },
    });
    const answer = await callTool({ repository, history }, 'get_git_blame', { path: 'a.ts', start_line, end_line });
    return { rows: answer.split('\n'), asked };
  }

  it('groups consecutive lines of one commit', async () => {
    const { rows } = await blame(10, 14, [hash('a'), hash('a'), hash('b'), null, null]);
    expect(rows).toEqual([
      'a.ts, lines 10-14',
      '10-11 aaaaaaaaaa 2026-01-02 Ada: Count\\u{202E} again',
      '12 bbbbbbbbbb 2026-01-02 Ada: Count\\u{202E} again',
      '13-14 older than the fetched history',
    ]);
  });

  it('asks for at most 500 lines that exist', async () => {
    const { rows, asked } = await blame(1_200, 1, [hash('a')]);
    const notes = 'start_line and end_line were swapped; the file has 1,000 lines; cut: the next line is 501';
    expect([rows[0], asked]).toEqual([`a.ts, lines 1-500; ${notes}`, [1, 500]]);
  });
});

describe('get_git_log', () => {
  const commit = { commit: hash('c'), author: 'Ada', date: '2026-01-02' };
  const log = (found: Log, call: { path?: string; count?: number | null } = {}, asked: unknown[] = []) => {
    const history = historyOf({
      log: async (path, limit) => {
        asked.push(path, limit);
        return found;
      },
    });
    return callTool({ repository, history }, 'get_git_log', { path: null, count: null, ...call });
  };

  it('gives each commit with the first lines of its message', async () => {
    const body = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((number) => `reason ${number}`).join('\n');
    const entries = [
      { ...commit, subject: 'One', body },
      { ...commit, subject: 'Two', body: '' },
    ];
    expect((await log({ entries, shallow: true })).split('\n')).toEqual([
      'cccccccccc 2026-01-02 Ada: One',
      ...[1, 2, 3, 4, 5, 6].map((number) => `    reason ${number}`),
      '    (3 more lines)',
      'cccccccccc 2026-01-02 Ada: Two',
      '(older commits were not fetched)',
    ]);
  });

  it.each([
    [null, 10],
    [0, 1],
    [7, 7],
    [500, 50],
  ])('asked for %j commits reads %i', async (count, read) => {
    const asked: unknown[] = [];
    await log({ entries: [], shallow: true }, { path: './a.ts', count }, asked);
    expect(asked).toEqual(['a.ts', read]);
  });

  it('keeps long messages within one result', async () => {
    const long = { ...commit, subject: 's'.repeat(400), body: `${'b'.repeat(400)}\n`.repeat(6) };
    const result = await log({ entries: Array.from({ length: 50 }, () => long), shallow: false });
    expect(result.length).toBeLessThanOrEqual(30_000);
    expect(result).toMatch(/\(\d+ more commits did not fit\)$/);
  });

  it.each([
    ['a.ts', true, 'The fetched history has no commit that touched a.ts; older commits were not fetched.'],
    ['b.ts', false, 'There is no b.ts at the reviewed commit. list_files lists what there is.'],
    ['a.ts', false, 'There is no commit.'],
  ])('says why there is no commit for %s (shallow: %s)', async (path, shallow, text) => {
    expect(await log({ entries: [], shallow }, { path })).toBe(text);
  });
});

const source = new MemoryImages({
  'docs/logo.gif': sampleImages.gif.bytes,
  'notes.png': Buffer.from('text'),
  'bomb.png': pngOf({ width: 99_999, height: 99_999, pixels: Buffer.alloc(1) }),
  'big.png': { kind: 'unreadable', reason: 'lfs-pointer', bytes: 130 },
  docs: { kind: 'unreadable', reason: 'directory', bytes: null },
  'secret.png': sampleImages.jpeg.bytes,
});
const deleted = 'This pull request deletes it: its lines are in the diff.';
const broken = new ScriptedCodec(() => ({ kind: 'failed', reason: verbatim('is broken') }));

type Given = { readonly codec?: ImageCodec; readonly quota?: ImageQuota; readonly signal?: AbortSignal };

async function view(path: string, given: Given = {}) {
  const files = {
    repository: new MemoryRepository({ 'docs/logo.gif': 'binary' }),
    files: [changedFile('gone.png', { status: 'deleted', kind: 'binary' })],
    isDenied: (denied: string) => (denied === 'secret.png' ? 'secret.png is denied by deny-paths.' : null),
  };
  const codec = given.codec ?? new ScriptedCodec(() => convertedFrom(48, 32));
  const images = repositoryImages(source, codec);
  const tool = viewImage(files, { images, quota: given.quota ?? createImageQuota(), detail: 'high' });
  const answer = resultOf(tool, { path }, given);
  const result = await answer.catch((error: unknown) => String(error));
  return typeof result === 'string' ? { text: result, images: [] } : result;
}

describe('view_image', () => {
  it('answers with text and the image at head', async () => {
    const label = 'docs/logo.gif at head, 48x32, first frame';
    const data = { mediaType: 'image/jpeg', base64: 'AQID', digest: '039058c6f2c0cb492c533b0a4d14ef77' };
    expect(await view('./docs//logo.gif')).toEqual({
      text: `${label}: the image is in the message after the answers of this turn.`,
      images: [{ ...data, width: 48, height: 32, detail: 'high', tokens: 255, label }],
    });
  });

  it.each<[path: string, reason: string, Given?]>([
    ['secret.png', 'secret.png is denied by deny-paths.'],
    ['../logo.gif', '../logo.gif is refused: paths stay inside the repository: `..` is not allowed.'],
    ['', 'Name a file. list_files lists what there is.'],
    ['logo.gif', 'There is no logo.gif at the reviewed commit. Did you mean docs/logo.gif?'],
    ['gone.png', `There is no gone.png at the reviewed commit. ${deleted}`],
    ['docs', 'docs is a directory. It cannot be shown.'],
    ['notes.png', 'notes.png is not a PNG, JPEG, WebP or GIF image. It cannot be shown.'],
    ['big.png', 'big.png is stored in Git LFS: the repository holds a pointer to it. It cannot be shown.'],
    ['bomb.png', 'bomb.png has 99,999 x 99,999 pixels: more than 40,000,000 are not decoded. It cannot be shown.'],
    ['docs/logo.gif', 'docs/logo.gif is broken.', { codec: broken }],
  ])('refuses %j with the reason and shows nothing: %s', async (path, reason, given) => {
    expect(await view(path, given)).toEqual({ text: `ToolError: ${reason}`, images: [] });
    // Nor is it read.
    expect(source.reads.filter((read) => read.includes('secret'))).toEqual([]);
  });

  it('shows no more than a run may', async () => {
    const quota = createImageQuota({ images: 1, sentBytes: 1_000 });
    expect((await view('docs/logo.gif', { quota })).images).toHaveLength(1);
    expect((await view('docs/logo.gif', { quota })).text).toBe(
      'ToolError: docs/logo.gif is not shown: a run shows at most 1 images and 1,000 bytes of them.',
    );
  });

  it('takes no place of the run for what nobody waits for any more', async () => {
    const quota = createImageQuota({ images: 1, sentBytes: 1_000 });
    await view('docs/logo.gif', { quota, signal: AbortSignal.abort() });
    expect(quota.reserve(1)).toBe(true);
  });
});
