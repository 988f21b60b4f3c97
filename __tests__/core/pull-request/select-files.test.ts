import { describe, expect, it } from 'vitest';
import { inEnglish } from '../../../src/core/messages/languages.ts';
import { verbatim } from '../../../src/core/messages/message.ts';
import type { ChangedFile } from '../../../src/core/pull-request/changed-file.ts';
import { fileKinds } from '../../../src/core/pull-request/file-kinds.ts';
import { type SelectionOptions, selectFiles, showMoved } from '../../../src/core/pull-request/select-files.ts';
import { hunkOf, MemoryRepository } from '../../fakes/memory-repository.ts';
import { addedHunk, changedFile } from './changed-files.ts';

const everything: SelectionOptions = { include: [], exclude: [], skipKinds: [] };

/** Such as `kept`, `skipped: empty change`, `not read: image`, `not read, perhaps code: binary`. */
function decision(file: ChangedFile, options: Partial<SelectionOptions> = {}): string {
  const { kept, skipped, unread } = selectFiles([file], { ...everything, ...options });
  const told = [
    ...kept.map(({ moved }) =>
      moved === undefined ? 'kept' : moved === 'renamed' ? 'kept whole' : 'kept whole, as new',
    ),
    ...skipped.map(({ reason }) => `skipped: ${inEnglish(reason)}`),
    ...unread.map(({ reason, code }) => `not read${code ? ', perhaps code' : ''}: ${inEnglish(reason)}`),
  ];
  return told.join('; ');
}

const binary = (path: string, more: Partial<ChangedFile> = {}) =>
  changedFile(path, { kind: 'binary', hunks: [], ...more });
const pointer = (path: string, first = 'version https://git-lfs.github.com/spec/v1') =>
  changedFile(path, { hunks: [addedHunk([first, `oid sha256:${'0'.repeat(64)}`, 'size 12'])] });
const marked = (kind: string) => `not read: ${kind} (\`linguist-${kind}\` at the base)`;
const inLfs = 'stored in Git LFS: the repository holds a pointer only';
const elsewhere = 'a submodule: the commit that it points to is in another repository';
const renamed = (oldPath: string, path: string, more: Partial<ChangedFile> = {}) =>
  changedFile(path, { status: 'renamed', oldPath, hunks: [], ...more });

const isDenied = (path: string) => (path.endsWith('.key') ? 'denied' : null);

const unreadNames = [
  ['vendor/github.com/x/y.go', 'vendored (`vendor/`)'],
  ['public/jquery.min.js', 'minified or source map'],
  ['api/user.pb.go', 'generated (by its name)'],
  ['api/user_pb2.py', 'generated (by its name)'],
  ['src/__snapshots__/a.test.ts.snap', 'snapshot'],
] as const;

describe('the selection of files', () => {
  it.each(unreadNames)('does not read %s where it was before: %s', (path, expected) => {
    expect(decision(changedFile(path))).toBe(`not read: ${expected}`);
  });

  it.each(unreadNames)('reads %s when it is new: a name is no reason to look away', (path) => {
    const moved = changedFile(path, { status: 'renamed', oldPath: `src/${path.split('/').at(-1)}` });
    expect([decision(changedFile(path, { status: 'added' })), decision(moved).slice(0, 4)]).toEqual(['kept', 'kept']);
  });

  it.each(['src/server.ts', 'src/vendors/list.ts', '.github/workflows/ci.yml', 'package-lock.json'])(
    'keeps %s',
    (path) => {
      expect(decision(changedFile(path))).toBe('kept');
    },
  );

  it.each([
    ['an image', binary('logo.png', { media: 'image' }), 'not read: image'],
    ['a script that begins like an image', binary('logo.php', { media: 'image' }), 'not read, perhaps code: binary'],
    ['a font', binary('a.woff2', { media: 'font' }), 'not read: font'],
    ['an archive', binary('a.tar.gz', { media: 'archive' }), 'not read: archive'],
    ['a program in an archive', binary('a.jar', { media: 'archive' }), 'not read, perhaps code: binary'],
    ['a binary with the name of an image', binary('logo.png'), 'not read, perhaps code: binary'],
    ['a picture in Git LFS', pointer('a.png'), 'not read: image in Git LFS'],
    ['code in Git LFS', pointer('a.js'), `not read, perhaps code: ${inLfs}`],
    [
      'what is too large',
      binary('a.dat', { unreadable: { code: 'file.too-large' } }),
      'not read, perhaps code: too large to be read',
    ],
    ['a lock file', changedFile('package-lock.json', { lock: true }), 'not read: lock file'],
    ['what only has its name', changedFile('mix.lock', { lock: false }), 'kept'],
    ['an empty file', changedFile('empty', { status: 'added', hunks: [] }), 'skipped: empty change'],
    ['what the base calls generated', changedFile('a', { generated: true }), marked('generated')],
    ['a script that holds the line of a Git LFS pointer', pointer('run.zip', '#!/bin/sh'), 'kept'],
    ['a submodule', changedFile('lib', { kind: 'submodule' }), `kept; not read, perhaps code: ${elsewhere}`],
    ['a submodule that is taken out', changedFile('lib', { kind: 'submodule', status: 'deleted' }), 'kept'],
    [
      'a change whose text is missing',
      changedFile('a.ts', { hunks: [], incomplete: verbatim('too large for the API') }),
      'kept',
    ],
    ['very long lines', changedFile('app.js', { hunks: [addedHunk(['x'.repeat(50_000)])] }), 'kept'],
    ['what git takes for binary and has text', changedFile('app.js', { kind: 'binary' }), 'kept'],
  ])('decides over %s', (_, file, expected) => {
    expect(decision(file)).toBe(expected);
  });

  it('believes a marker of generated code only where it stood before the pull request', () => {
    const marker = '// Code generated by protoc-gen-go. DO NOT EDIT.';
    const old = changedFile('a.go', { hunks: [hunkOf([` ${marker}`, '-old', '+new'])] });
    const added = changedFile('a.go', { hunks: [hunkOf([`+${marker}`, '-old', '+new'])] });
    const created = changedFile('a.go', { status: 'added', hunks: [addedHunk([marker, 'package evil'])] });
    expect(decision(old)).toBe('not read: generated (marker at its top)');
    expect([decision(added), decision(created)]).toEqual(['kept', 'kept']);
  });

  const top = '// @generated';
  it.each([
    ['vendor/a.js', 'there too', 'other text', 'not read'],
    ['vendor/a.js', 'not there', null, 'kept'],
    ['a.js', 'there with its marker', `${top}\nother text`, 'not read'],
    ['a.js', 'there without its marker', 'other text', 'kept'],
    ['a.js', 'not there', null, 'kept'],
  ])('in a stack, whose base is merged code, reads or does not read %s that is %s', (path, _, stackBase, expected) => {
    const file = changedFile(path, { stackBase, hunks: [hunkOf([` ${top}`, '-old', '+new'])] });
    expect(decision(file).split(':')[0]).toBe(expected);
  });

  it('obeys include and exclude, and says which pattern it was', () => {
    const file = changedFile('docs/guide.md');
    expect([
      decision(file, { include: ['src/**'] }),
      decision(file, { exclude: ['*.md'] }),
      decision(file, { exclude: ['docs/'] }),
      decision(changedFile('package-lock.json', { lock: true }), { include: ['package-lock.json'] }),
    ]).toEqual(['skipped: not in `include`', 'skipped: excluded by `*.md`', 'skipped: excluded by `docs/`', 'kept']);
  });

  it('skips the kinds that the workflow opted to skip, and no others', () => {
    const lock = changedFile('package-lock.json', { lock: true });
    const skipKinds = ['lock-files', 'vendored'] as const;
    expect([
      decision(lock, { skipKinds }),
      decision(changedFile('vendor/a.js'), { skipKinds }),
      decision(changedFile('vendor/a.js', { status: 'added' }), { skipKinds }),
      decision(binary('logo.png', { media: 'image' }), { skipKinds }),
      decision(binary('tool.exe'), { skipKinds: fileKinds }),
    ]).toEqual([
      'skipped: lock file: `skip-kinds: lock-files`',
      'skipped: vendored (`vendor/`): `skip-kinds: vendored`',
      'kept',
      'not read: image',
      'not read, perhaps code: binary',
    ]);
  });

  it('does not read what the model may not see, nor what was renamed from it', () => {
    const files = [changedFile('a.key'), renamed('a.key', 'src/a.ts'), renamed('src/a.ts', 'a.key')];
    const denied = /^not read, perhaps code: never shown to the model/;
    for (const file of files) expect(decision(file, { isDenied })).toMatch(denied);
  });

  it('lets the rules read everything but what the workflow excluded by a pattern', () => {
    const lock = changedFile('package-lock.json', { lock: true });
    const others = ['a.key', 'vendor/a.js', 'docs/a.md', 'src/a.ts'].map((path) => changedFile(path));
    const options = { ...everything, exclude: ['docs/'], skipKinds: ['lock-files'], isDenied } as const;
    const { kept, unshown } = selectFiles([lock, ...others], options);
    const read = ['a.key', 'package-lock.json', 'src/a.ts', 'vendor/a.js'];
    expect([...kept, ...unshown].map(({ path }) => path).sort()).toEqual(read);
  });

  it('keeps all that has text where the rules are the whole review', () => {
    expect([
      decision(changedFile('vendor/a.js'), { rulesOnly: true }),
      decision(changedFile('a.key'), { rulesOnly: true, isDenied }),
      decision(binary('logo.png', { media: 'image' }), { rulesOnly: true }),
    ]).toEqual(['kept', 'kept', 'not read: image']);
  });
});

describe('a file that was moved without a change', () => {
  const modeChange = '100755 → 100644';

  it.each([
    ['into a workflow', renamed('docs/ci.yml', '.github/workflows/ci.yml')],
    ['out of a workflow', renamed('.github/workflows/scan.yml', 'docs/scan.yml')],
    ['into the hooks', renamed('tools/x.sh', '.husky/pre-commit')],
    ['into a folder of programs', renamed('docs/x', 'bin/x')],
    ['to the name of a package manifest', renamed('docs/sample.json', 'package.json')],
    ['as a program', renamed('docs/x.txt', 'src/x.txt', { executable: true })],
    ['from text to code', renamed('docs/sample.txt', 'src/routes/x.js')],
    ['from code to text', renamed('src/middleware.ts', 'src/middleware.ts.bak')],
    ['as a symbolic link', renamed('a/b/link', 'a/link', { kind: 'symlink' })],
    ['from where nobody reviewed it', renamed('vendor/x.js', 'src/x.js')],
    ['from a lock file to code', renamed('yarn.lock', 'src/x.js')],
    ['from the name of an image to code, as a pointer of Git LFS is', renamed('a.png', 'src/a.js')],
    ['from where the base calls all generated', renamed('gen/x.js', 'src/x.js', { wasMarked: true })],
    ['to be a program', changedFile('run.sh', { hunks: [], modeChange: '100644 → 100755', executable: true })],
    ...[
      ['docs/t.yml', '.travis.yml'],
      ['docs/x.js', 'gulpfile.js'],
      ['docs/notes', 'BUILD'],
      ['docs/x.yml', '.azuredevops/x.yml'],
      ['src/x.pth', 'lib/x.pth'],
      ['src/build.rs', 'build.rs'],
      ['test/token.ts', 'src/token.ts'],
      ['src/token.test.ts', 'src/token.ts'],
      ['src/templates/Dockerfile', 'src/app/Dockerfile'],
    ].map(([from = '', to = '']): [string, ChangedFile] => [`from ${from} to ${to}`, renamed(from, to)]),
  ])('%s is shown whole, and is new to the rules', (_, file) => {
    expect(decision(file)).toBe('kept whole, as new');
  });

  it.each([
    ['to another name', renamed('src/a.ts', 'src/b.ts')],
    ['to a related language', renamed('src/a.js', 'src/a.ts')],
  ])('%s is shown whole, and its lines are old to the rules', (_, file) => {
    expect(decision(file)).toBe('kept whole');
  });

  it('into or out of what the workflow excludes is shown whole: it is taken in, or away', () => {
    const hunks = [addedHunk(['one'])];
    expect([
      decision(renamed('docs/x.ts', 'src/x.ts'), { exclude: ['docs/'] }),
      decision(renamed('src/guard.ts', 'docs/guard.ts'), { exclude: ['docs/'] }),
      decision(renamed('src/guard.ts', 'docs/guard.ts', { hunks }), { include: ['src/**'] }),
      decision(renamed('docs/a.ts', 'docs/b.ts'), { exclude: ['docs/'] }),
    ]).toEqual([...Array(3).fill('kept whole, as new'), 'skipped: excluded by `docs/`']);
  });

  const movedFrom = (path: string) => `renamed from \`${path}\` without a change`;

  it.each([
    ['with its folder', renamed('src/a/x.ts', 'src/b/x.ts'), movedFrom('src/a/x.ts')],
    ['from one folder of tests to another', renamed('test/a/x.json', 'test/b/x.json'), movedFrom('test/a/x.json')],
    ['to be no program', changedFile('run.sh', { hunks: [], modeChange }), `mode changed only (${modeChange})`],
  ])('%s has nothing to review', (_, file, expected) => {
    expect(decision(file)).toBe(`skipped: ${expected}`);
  });

  it('is shown with all of its lines, around those that changed as well', async () => {
    const path = '.github/workflows/ci.yml';
    const text = 'one\ntwo\nTHREE\nfour\nfive\n';
    const hunks = [hunkOf(['-three', '+THREE'], { oldStart: 3, newStart: 3 })];
    const changed = renamed('docs/ci.yml', path, { hunks });
    const selection = selectFiles([renamed('docs/ci.yml', path), changed], everything);
    const { kept } = await showMoved(selection, new MemoryRepository({ [path]: text }));
    expect(kept.map(({ hunks }) => hunks.map(({ newStart, lines }) => [newStart, ...lines]))).toEqual([
      [[1, ' one', ' two', ' THREE', ' four', ' five']],
      [
        [1, ' one', ' two'],
        [3, '-three', '+THREE'],
        [4, ' four', ' five'],
      ],
    ]);
  });

  it('is not read when it is no text', async () => {
    const selection = selectFiles([renamed('docs/x', 'bin/x')], everything);
    const content = { kind: 'unreadable', reason: 'binary', bytes: 3 } as const;
    const { kept, unread } = await showMoved(selection, new MemoryRepository({ 'bin/x': content }));
    const reason = { code: 'file.moved-without-text' };
    expect([kept, unread]).toEqual([[], [{ path: 'bin/x', reason, code: true }]]);
  });
});

describe('files that a command did not ask for', () => {
  const asked = ['src/**', '*.md'];
  const unasked = 'not read, perhaps code: the command asks for other files';
  it.each<[string, ChangedFile, Partial<SelectionOptions>, string]>([
    ['are none below a folder that it names', changedFile('src/a.ts'), {}, 'kept'],
    ['are none of a name at any depth', changedFile('docs/a.md'), {}, 'kept'],
    ['are not read', changedFile('lib/a.ts'), {}, unasked],
    ['are not read where they came from there', renamed('src/a.ts', 'lib/a.ts'), {}, unasked],
    ['are not read though they hold no code', binary('logo.png'), {}, unasked],
    [
      'stay excluded by the workflow',
      changedFile('lib/a.ts'),
      { exclude: ['lib/**'] },
      'skipped: excluded by `lib/**`',
    ],
    [
      'do not widen what the workflow includes',
      changedFile('src/a.ts'),
      { include: ['lib/**'] },
      'skipped: not in `include`',
    ],
    [
      'do not show what no model may read',
      changedFile('src/a.key'),
      { isDenied },
      decision(changedFile('src/a.key'), { isDenied }),
    ],
  ])('%s', (_, file, options, expected) => {
    expect(decision(file, { ...options, asked })).toBe(expected);
  });

  it('are still looked at by the rules, and nothing is unasked without a command', () => {
    const file = changedFile('lib/a.ts');
    expect(selectFiles([file], { ...everything, asked }).unshown).toEqual([file]);
    expect(decision(file, { asked: [] })).toBe('kept');
  });
});
