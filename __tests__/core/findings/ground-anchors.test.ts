import { describe, expect, it } from 'vitest';
import { ground } from '../../../src/core/findings/ground.ts';
import { changedFile, hunk, sources, submitted } from './make.ts';

const head = 'function total(items) {\n  let sum = 0;\n  save(sum);\n  return sum;\n}\n';
const files = [
  changedFile('src/a.ts', { hunks: [hunk({ old: 2, new: 2 }, '   let sum = 0;', '+  save(sum);', '   return sum;')] }),
];
const world = sources(files, { head: { 'src/a.ts': head, 'src/other.ts': 'export const other = 1;\n' } });

describe('a quoted finding', () => {
  it('stands where its quote is found, whatever its line hint says', async () => {
    expect(await ground(submitted({ quote: '  save(sum);', lines: '40' }), world)).toEqual({
      ok: true,
      path: 'src/a.ts',
      anchor: { kind: 'lines', side: 'RIGHT', startLine: 3, endLine: 3, quote: '  save(sum);' },
      suggestion: null,
    });
  });

  it('has the lines of the file as its quote, not those of the model', async () => {
    expect(await ground(submitted({ quote: '\nsave(sum); \nreturn sum;\n\n' }), world)).toMatchObject({
      anchor: { startLine: 3, endLine: 4, quote: '  save(sum);\n  return sum;' },
    });
  });

  it('may quote any file at head, outside the diff too, on the RIGHT side only', async () => {
    const quoted = submitted({ path: './src/other.ts', quote: 'export const other = 1;' });
    expect(await ground(quoted, world)).toMatchObject({ ok: true, path: 'src/other.ts', anchor: { startLine: 1 } });
    expect(await ground({ ...quoted, side: 'LEFT' }, world)).toEqual({
      ok: false,
      reason: './src/other.ts is not in the diff, so it has no LEFT side: quote it with side RIGHT',
    });
  });

  it('is refused when it quotes more than 200 lines, or nothing', async () => {
    const reasons = [
      await ground(submitted({ quote: 'x\n'.repeat(201) }), world),
      await ground(submitted({ quote: ' \n ' }), world),
    ];
    expect(reasons).toEqual([
      { ok: false, reason: 'the quote spans more than 200 lines: name the few that show the matter' },
      { ok: false, reason: 'the quote is empty: quote the lines, or send null for the whole file' },
    ]);
  });
});

describe('a finding with a line only', () => {
  it('has the text of the line as its quote and no suggestion', async () => {
    expect(await ground(submitted({ lines: '2-3', suggestion: '  return 1;' }), world)).toEqual({
      ok: true,
      path: 'src/a.ts',
      anchor: { kind: 'lines', side: 'RIGHT', startLine: 2, endLine: 3, quote: '  let sum = 0;\n  save(sum);' },
      suggestion: null,
    });
  });

  it('is refused when the line does not exist or is not in the diff', async () => {
    expect([
      await ground(submitted({ lines: '4-6' }), world),
      await ground(submitted({ lines: '1', path: 'src/other.ts' }), world),
    ]).toEqual([
      { ok: false, reason: 'lines is 4-6, but src/a.ts has 5 lines on the RIGHT side' },
      { ok: false, reason: 'src/other.ts is not in the diff; to report it, quote it' },
    ]);
  });
});

describe('a file-level finding', () => {
  it.each([null, 'a red button'])(
    'on an image outside the diff is refused, and %j is not asked to be quoted',
    async (quote) => {
      expect(await ground(submitted({ path: 'docs/a.png', quote }), world)).toEqual({
        ok: false,
        reason: 'docs/a.png is not in the diff: findings on images are for changed ones only',
      });
    },
  );

  it('has no quote and no lines, and its path is in the diff', async () => {
    expect([await ground(submitted(), world), await ground(submitted({ path: 'lib/a.ts' }), world)]).toEqual([
      { ok: true, path: 'src/a.ts', anchor: { kind: 'file' }, suggestion: null },
      { ok: false, reason: 'lib/a.ts is not in the diff (did you mean src/a.ts?); to report it, quote it' },
    ]);
  });

  it('needs no readable text, and a file without lines is judged as a whole, whatever was quoted of it', async () => {
    const binary = sources([changedFile('logo.png', { kind: 'binary' })], {});
    const whole = { ok: true, path: 'logo.png', anchor: { kind: 'file' }, suggestion: null };
    const said = [{}, { lines: '1' }, { quote: 'a red button', suggestion: 'a blue one' }];
    const grounded = said.map((more) => ground(submitted({ path: 'logo.png', ...more }), binary));
    expect(await Promise.all(grounded)).toEqual([whole, whole, whole]);
  });
});

describe('sides', () => {
  const renamed = changedFile('src/new.ts', { oldPath: 'src/old.ts', status: 'renamed' });
  const gone = changedFile('src/gone.ts', { status: 'deleted' });
  const fresh = changedFile('src/fresh.ts', { status: 'added' });
  const moved = sources([renamed, gone, fresh], {
    head: { 'src/new.ts': 'kept\n', 'src/fresh.ts': 'fresh\n' },
    base: { 'src/old.ts': 'check(user);\nkept\n', 'src/gone.ts': 'lock();\n' },
  });

  it('reads LEFT at the merge base by the old path, and names the path as the diff does', async () => {
    const lost = { ok: true, path: 'src/new.ts', anchor: { side: 'LEFT', startLine: 1 } };
    const quoted = submitted({ quote: 'check(user);', side: 'LEFT', suggestion: 'check(owner);' });
    expect(await ground({ ...quoted, path: 'src/new.ts' }, moved)).toMatchObject(lost);
    expect(await ground({ ...quoted, path: 'a/src/old.ts' }, moved)).toMatchObject({ ...lost, suggestion: null });
  });

  it('takes the only side that an added or a deleted file has', async () => {
    expect([
      await ground(submitted({ path: 'src/gone.ts', quote: 'lock();', side: 'RIGHT' }), moved),
      await ground(submitted({ path: 'src/fresh.ts', lines: '1', side: 'LEFT' }), moved),
    ]).toMatchObject([{ anchor: { side: 'LEFT' } }, { anchor: { side: 'RIGHT' } }]);
  });
});

describe('a path', () => {
  it.each(['./src/a.ts', 'a/src/a.ts', 'b/src/a.ts', '/src/a.ts', './b/src/a.ts'])(
    '%s means src/a.ts',
    async (path) => {
      expect(await ground(submitted({ path }), world)).toMatchObject({ ok: true, path: 'src/a.ts' });
    },
  );

  it('keeps a folder that is really called a', async () => {
    const twins = sources([changedFile('a/src/a.ts'), changedFile('src/a.ts')], {});
    expect(await ground(submitted({ path: 'a/src/a.ts' }), twins)).toMatchObject({ path: 'a/src/a.ts' });
  });

  it('of a file that was copied still means that file', async () => {
    const copy = changedFile('src/copy.ts', { oldPath: 'src/a.ts', status: 'copied' });
    const copied = sources([copy], { head: { 'src/a.ts': 'one\n', 'src/copy.ts': 'one\n' } });
    expect(await ground(submitted({ quote: 'one' }), copied)).toMatchObject({ path: 'src/a.ts' });
  });

  it('that exists nowhere is refused, with the changed file that was probably meant', async () => {
    expect(await ground(submitted({ path: 'lib/a.ts', quote: 'x' }), world)).toEqual({
      ok: false,
      reason: 'there is no text file lib/a.ts at head (did you mean src/a.ts?)',
    });
  });
});
