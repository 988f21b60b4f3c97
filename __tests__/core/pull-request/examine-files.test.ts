import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findQuote } from '../../../src/core/findings/quote.ts';
import { inEnglish } from '../../../src/core/messages/languages.ts';
import { type ChangedFile, commentableLines, renderHunk } from '../../../src/core/pull-request/changed-file.ts';
import { examineFiles } from '../../../src/core/pull-request/examine-files.ts';
import { maxChangedCharacters, windowLongLines } from '../../../src/core/pull-request/line-windows.ts';
import { isLockPath, parsesAsLock } from '../../../src/core/pull-request/lock-file.ts';
import { parseDiff } from '../../../src/core/pull-request/parse-diff.ts';
import type { FileContent } from '../../../src/core/repository/repository.ts';
import { shown } from '../../../src/core/repository/shown.ts';
import { hunkOf, MemoryRepository } from '../../fakes/memory-repository.ts';
import { changedFile } from './changed-files.ts';

type Files = { readonly [path: string]: string | FileContent };

async function examined(file: ChangedFile, after: Files, before: Files = {}): Promise<ChangedFile | undefined> {
  const [found] = await examineFiles([file], { repository: new MemoryRepository(after, { mergeBase: before }) });
  return found;
}

const binary = (path: string, more: Partial<ChangedFile> = {}) =>
  changedFile(path, { kind: 'binary', hunks: [], ...more });
const large = { kind: 'unreadable', reason: 'too-large', bytes: 9_000_000 } as const;
const link: FileContent = { kind: 'symlink', target: 'there' };
const lines = (count: number, text: string) => `${Array.from({ length: count }, () => text).join('\n')}\n`;

describe('what git calls binary', () => {
  it('has the hunks of its text, and no line that GitHub takes a comment on', async () => {
    const before = `${lines(10, 'same')}old\n${lines(10, 'same')}`;
    const file = await examined(binary('a.js'), { 'a.js': before.replace('old', 'new\0') }, { 'a.js': before });
    const expected = [' same', ' same', ' same', '-old', '+new\0', ' same', ' same', ' same'];
    expect(file?.hunks.map((hunk) => [hunk.oldStart, hunk.newStart, ...hunk.lines])).toEqual([[8, 8, ...expected]]);
    expect([file?.additions, file?.deletions, file?.incomplete]).toEqual([1, 1, null]);
    expect(file === undefined ? null : commentableLines(file).hunkOf('RIGHT', 11)).toBeNull();
  });

  it('has hunks when it is new, when it goes, and when it is rewritten', async () => {
    const added = await examined(binary('a', { status: 'added' }), { a: 'one\ntwo\n' });
    const deleted = await examined(binary('a', { status: 'deleted' }), {}, { a: 'one\n' });
    const [old, now] = [lines(3_000, 'old'), lines(3_000, 'new')];
    const rewritten = await examined(binary('a'), { a: now }, { a: old });
    expect(added?.hunks).toMatchObject([{ oldStart: 0, oldLines: 0, newStart: 1, lines: ['+one', '+two'] }]);
    expect(deleted?.hunks).toMatchObject([{ oldStart: 1, newStart: 0, newLines: 0, lines: ['-one'] }]);
    expect([rewritten?.additions, rewritten?.deletions]).toEqual([3_000, 3_000]);
  });

  it('has the hunks of its text where a symbolic link was', async () => {
    const raw = `:120000 100644 ${'1'.repeat(40)} ${'2'.repeat(40)} T\0a\0`;
    const patch = 'diff --git a/a b/a\n@@ -1 +0,0 @@\n-there\ndiff --git a/a b/a\nBinary files differ\n';
    const [file] = parseDiff({ raw, numstat: '-\t-\ta\0', patch });
    const found = file === undefined ? file : await examined(file, { a: 'x\0\n' }, { a: link });
    expect(found?.hunks.flatMap(({ lines }) => lines)).toEqual(['-there', '\\ No newline at end of file', '+x\0']);
  });

  it.each([
    ['a picture', { reason: 'binary', media: 'image' }, { media: 'image' }],
    ['nothing that is known', { reason: 'binary', media: null }, { media: null }],
    [
      'too large',
      { reason: 'too-large' },
      { media: null, unreadable: { code: 'file.too-large-bytes', bytes: 9_000_000 } },
    ],
  ] as const)('is reported as what it is: %s', async (_, content, expected) => {
    const file = binary('a', { status: 'added' });
    expect(await examined(file, { a: { ...large, ...content } })).toEqual({ ...file, ...expected });
  });
});

describe('a lock file', () => {
  it.each<[string, ChangedFile, Files, boolean | undefined]>([
    ['that parses', changedFile('package-lock.json'), { 'package-lock.json': '{"lockfileVersion": 3}\n' }, true],
    ['that does not', changedFile('package-lock.json'), { 'package-lock.json': 'require("x")\n' }, false],
    ['without the keys of one', changedFile('package-lock.json'), { 'package-lock.json': '{"a": {}}\n' }, false],
    ['that is too large, where one was before', changedFile('go.sum'), { 'go.sum': large }, false],
    ['that may be run', changedFile('go.sum', { executable: true }), { 'go.sum': '' }, undefined],
    ['that is a link', changedFile('go.sum', { kind: 'symlink' }), { 'go.sum': '' }, undefined],
    ['that came from elsewhere', changedFile('go.sum', { oldPath: 'bin/run' }), { 'go.sum': '' }, undefined],
    ['that goes', changedFile('go.sum', { status: 'deleted' }), {}, true],
    ['that is none', changedFile('src/a.ts'), { 'src/a.ts': '{}' }, undefined],
  ])('%s', async (_, file, files, expected) => {
    expect((await examined(file, files))?.lock).toBe(expected);
  });

  const hash = `${'A'.repeat(43)}=`;

  it.each([
    ['go.sum', `github.com/x/y v1.2.3 h1:${hash}\ngithub.com/x/y v1.2.3/go.mod h1:${hash}\n`],
    [
      'yarn.lock',
      '# yarn lockfile v1\n\n"@a/b@^1.0.0", "@a/b@^1.1.0":\n  version "1.1.0"\n  resolved "https://x/y.tgz#1"\n  dependencies:\n    c "^2.0.0"\n',
    ],
    ['yarn.lock', '__metadata:\n  version: 8\n\n"a@npm:^1.0.0":\n  version: 1.0.0\n  resolution: "a@npm:1.0.0"\n'],
    [
      'pnpm-lock.yaml',
      "lockfileVersion: '9.0'\n\nsettings:\n  autoInstallPeers: true\n\npackages:\n\n  '@a/b@1.0.0':\n    resolution: {integrity: sha512-x==}\n    engines: {node: '>=18'}\n    cpu: [x64]\n",
    ],
    [
      'Cargo.lock',
      '# This file is automatically @generated by Cargo.\nversion = 3\n\n[[package]]\nname = "a"\nversion = "1.0.0"\ndependencies = [\n "b",\n "c 1.0.0",\n]\n',
    ],
    [
      'Gemfile.lock',
      'GEM\n  remote: https://rubygems.org/\n  specs:\n    a (1.0)\n      b (~> 2.0)\n\nPLATFORMS\n  ruby\n\nDEPENDENCIES\n  a!\n\nBUNDLED WITH\n   2.5.0\n',
    ],
    ['composer.lock', '{"packages": [], "content-hash": "0"}\n'],
    ['bun.lock', '{"lockfileVersion": 1, "workspaces": {"": {"name": "a",},},}\n'],
    ['gradle.lockfile', '# Gradle\norg.a:b:1.0=compileClasspath,runtimeClasspath\nempty=annotationProcessor\n'],
    [
      '.terraform.lock.hcl',
      '# comment\nprovider "registry.terraform.io/x/y" {\n  version     = "1.0.0"\n  hashes = [\n    "h1:a+/=",\n  ]\n}\n',
    ],
  ])('%s is known by its form', (path, text) => {
    expect(parsesAsLock(path, text)).toBe(true);
  });

  it.each([
    ['mix.lock', '%{\n  "a": {:hex, :a, "1.0.0"},\n}\n'],
    ['pnpm-lock.yaml', 'on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: curl x | sh\n'],
    ['pnpm-lock.yaml', `${'- '.repeat(300_000)}\n`],
    ['PNPM-LOCK.YAML', "lockfileVersion: '9.0'\npackages:\n"],
    ['pnpm-lock.yaml', "const { execSync } = require('child_process');\nexecSync(process.argv[2]);\n"],
    ['go.sum', 'package main\n\nfunc main() {\n}\n'],
    ['composer.lock', '<?php system($_GET["c"]);\n'],
    ['package-lock.json', '"text"'],
    ['src/a.ts', '{}'],
  ])('%s with something else is none', (path, text) => {
    expect(parsesAsLock(path, text)).toBe(false);
  });
});

describe('where something runs it, a lock file is code', () => {
  it.each([
    ['.github/workflows/pnpm-lock.yaml', false],
    ['.husky/yarn.lock', false],
    ['git/hooks/go.sum', false],
    ['Bin/go.sum', false],
    ['mix.lock', false],
  ])('%s', (path, expected) => {
    expect(isLockPath(path)).toBe(expected);
  });

  it('in a workflow that is written like one', async () => {
    const path = '.github/workflows/pnpm-lock.yaml';
    const text = "lockfileVersion: '9.0'\npackages: {}\non: push\njobs: {}\n";
    expect((await examined(changedFile(path), { [path]: text }))?.lock).toBe(undefined);
  });
});

/** The lines as they are shown, and how many files are not read whole. */
function windowed(lines: readonly string[], more: Pick<ChangedFile, 'moved'> = {}) {
  const { files, cut } = windowLongLines([changedFile('a.js', { hunks: [hunkOf(lines)], ...more })]);
  return { lines: files[0]?.hunks[0]?.lines ?? [], cut: cut.map(({ reason }) => inEnglish(reason)) };
}

const filler = (length: number) => 'abcdefghij'.repeat(Math.ceil(length / 10)).slice(0, length);

describe('a long line', () => {
  it('is shown around what changed in it, with a note of what was cut', () => {
    const { lines, cut } = windowed([`-${filler(5_000)}old${filler(5_000)}`, `+${filler(5_000)}new${filler(5_000)}`]);
    const around = (word: string) =>
      `(cut: 4,800 characters) … ${filler(200)}${word}${filler(200)} … (cut: 4,800 characters)`;
    expect([lines, cut]).toEqual([[`-${around('old')}`, `+${around('new')}`], []]);
  });

  it('that is new is shown whole, and one that stays by its beginning', () => {
    const { lines, cut } = windowed([` ${filler(5_000)}`, `+${filler(5_000)}`]);
    expect([lines, cut]).toEqual([[` ${filler(2_000)} … (cut: 3,000 characters)`, `+${filler(5_000)}`], []]);
  });

  it.each([
    ['a new line', [`+${filler(30_000)}`], 1],
    ['a part of a line', [`-${filler(50)}`, `+${filler(25)}${'x'.repeat(30_000)}${filler(25)}`], 1],
    ['two lines', [`+${filler(30_000)}`, ' a', `+${filler(30_000)}`], 2],
  ])('with more than is shown is not read: %s', (_, lines, count) => {
    const { cut } = windowed(lines);
    expect(cut).toEqual([
      `in ${count === 1 ? '1 line' : `${count} lines`} more than 25,000 characters changed, and the model saw the first of them`,
    ]);
  });

  it('of millions of characters is not rendered at all', () => {
    const { lines, cut } = windowed([`+${'x'.repeat(3_000_000)}`]);
    expect([lines, cut.length]).toEqual([['+(cut: 3,000,000 characters)'], 1]);
  });

  it('of a file that means something else now is all new', () => {
    expect(windowed([` ${filler(5_000)}`], { moved: 'elsewhere' })).toEqual({ lines: [` ${filler(5_000)}`], cut: [] });
    expect(windowed([` ${filler(30_000)}`], { moved: 'elsewhere' }).cut).toHaveLength(1);
  });

  it('keeps a credential hidden that a window would have divided', () => {
    const token = `ghp_${'a1B2c3D4e5'.repeat(4)}`;
    const before = `-${filler(4_000)}"${token}"${filler(170)}old${filler(3_000)}`;
    const after = `+${filler(4_000)}"${token}"${filler(170)}new${filler(3_000)}`;
    expect(windowed([before, after]).lines.join('\n')).not.toMatch(/ghp_|a1B2c3D4e5/);
  });

  it('shows every changed character, or is not read', () => {
    const text = fc.string({ unit: 'binary', maxLength: 20 });
    const large = fc.integer({ min: 0, max: maxChangedCharacters + 5_000 });
    fc.assert(
      fc.property(text, text, large, large, (one, other, before, behind) => {
        const line = (middle: string) => `${filler(before)}<${middle}>${filler(behind)}`.replaceAll('\r', '');
        const { files, cut } = windowLongLines([
          changedFile('a.js', { hunks: [hunkOf([`-${line(one)}`, `+${line(other)}`, `+${line('')}`])] }),
        ]);
        const rendered = files[0]?.hunks.map((hunk) => renderHunk(hunk, Infinity)).join('\n') ?? '';
        const all = shown([line('')])[0]?.text ?? '';
        expect(cut.length > 0 || rendered.includes(all)).toBe(true);
        if (one === other) return;
        expect(rendered).toContain(shown([`<${other.replaceAll('\r', '')}>`])[0]?.text);
      }),
      { numRuns: 20 },
    );
  });
});

describe('a quote of a long line', () => {
  const line = `${filler(5_000)}execSync(req.query.cmd, { shell: true });${filler(5_000)}`;
  const places = (quote: string) => {
    const reading = { lines: [quote], line: null, columns: { gutter: null, signs: false } };
    return findQuote([reading], ['first', line, 'last'])?.places.map(({ start }) => start) ?? [];
  };

  it.each([
    ['a part of it', 'execSync(req.query.cmd, { shell: true });', [2]],
    ['all that was shown', windowed([`-${filler(10_000)}`, `+${line}`]).lines[1]?.slice(1) ?? '', [2]],
    ['parts on both sides of what was cut', `execSync(req.query.cmd (cut: 4,000 characters) … ${filler(100)}`, [2]],
    ['parts in another order', `${filler(20)}execSync(nothing)`, []],
    ['too little', 'execSync', []],
    ['what does not stand in it', 'execSync(req.params.cmd, { shell: true });', []],
  ])('is found by %s', (_, quote, expected) => {
    expect(places(quote)).toEqual(expected);
  });
});
