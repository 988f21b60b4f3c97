import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inEnglish } from '../../../src/core/messages/languages.ts';
import type { ChangedFile } from '../../../src/core/pull-request/changed-file.ts';
import type { Rule } from '../../../src/core/rules/rule.ts';
import { applyRules } from '../../../src/core/rules/run-rules.ts';
import { addedFile, changedFile, ruleWith } from '../../fakes/memory-repository.ts';

async function applied(files: readonly ChangedFile[], rule: Partial<Rule> = {}) {
  let count = 0;
  const rules = [ruleWith({ id: 'tidy', ...rule }), ruleWith({ id: 'other', pattern: null })];
  const seams = { nextId: () => `f${++count}`, readHead: async () => null, hide: (text: string) => text };
  const { findings, ignored, notes } = await applyRules({ ...seams, rules, files });
  const lineOf = ({ anchor }: (typeof findings)[number]) => (anchor.kind === 'lines' ? anchor.startLine : 0);
  return {
    raised: findings.map(lineOf),
    ignored: ignored.map(
      (one) => `${lineOf(one)} ${one.suppressed === undefined ? '' : inEnglish(one.suppressed.reason)}`,
    ),
    notes: notes.map(inEnglish),
  };
}

const asked = 'postil-ignore: tidy it is ours';

describe('a comment postil-ignore that stood before the change', () => {
  it.each([
    ['a.ts', ` // ${asked}`],
    ['a.py', ` # ${asked}`],
    ['a.html', ` <!-- ${asked} -->`],
    ['a.unknown', ` // ${asked}`],
    ['a.ts', ` \uFEFF// ${asked}`],
  ])('in %s as %j is obeyed on the line below, says where it stands and why', async (path, line) => {
    const file = changedFile(path, { lines: [line, '-good', '+bad', '+bad', '+bad'] });
    const ignored = [`2 ignored by the comment at ${path}:1: it is ours`];
    // It takes nothing from max-findings.
    expect(await applied([file], { maxFindings: 1 })).toEqual({ raised: [3], ignored, notes: [] });
  });

  it.each([
    ['a.ts', ` const text = "${asked}";`],
    ['a.unknown', ` text ${asked}`],
    ['a.ts', ' x(); // postil-ignore: tidy this line only'],
    ['a.ts', ' // postil-ignore: other it is ours'],
    ['a.ts', ' // postil-ignore: tidy'],
  ])('in %s as %j leaves the line below raised', async (path, line) => {
    const { raised, ignored } = await applied([changedFile(path, { lines: [line, '-good', '+bad'] })]);
    expect([raised, ignored]).toEqual([[2], []]);
  });

  const comment = `// ${asked}`;
  it.each<[string, string | null, readonly string[], boolean]>([
    ['with the line below it', `x\n${comment}\ngood\ny`, [` ${comment}`, '-good', '+bad'], true],
    ['above another line', `${comment}\nx\ngood`, [` ${comment}`, '-good', '+bad'], false],
    ['nowhere in its file', 'good', [` ${comment}`, '-good', '+bad'], false],
    ['in no file', null, [` ${comment}`, '-good', '+bad'], false],
    ['behind the line that changes', `good() ${comment}`, [`-good() ${comment}`, `+bad() ${comment}`], true],
    ['behind another line', `x() ${comment}`, [`-good() ${comment}`, `+bad() ${comment}`], false],
  ])(
    'in a stack, at whose base it stands %s, is obeyed only where it stood so',
    async (_, stackBase, lines, expected) => {
      const { ignored, notes } = await applied([changedFile('a.ts', { stackBase, lines })]);
      expect([ignored.length > 0, notes.join('').includes('base of the stack')]).toEqual([expected, !expected]);
    },
  );

  it.each([
    ['a.ts', '// postil-ignore: tidy it is ours'],
    ['a.unknown', '# postil-ignore: tidy it is ours'],
  ])('at the end of a line of %s as %j holds when the code before it changes', async (path, comment) => {
    const before = ['-x()', `-bad(1) ${comment}`, '\\ No newline at end of file'];
    const lines = [...before, '+y()', `+  bad(2)  ${comment}`, '+bad(3)'];
    const ignored = [`2 ignored by the comment at ${path}:2: it is ours`];
    expect(await applied([changedFile(path, { lines })])).toEqual({ raised: [3], ignored, notes: [] });
  });

  it.each([
    ['a.ts', [' // more of it', '+/* and more */']],
    ['a.ts', ['+// postil-ignore: other they are two']],
    ['a.unknown', [' # more of it']],
  ])('in %s is about the next line that is no comment, below %j', async (path, between) => {
    const lines = [` ${path === 'a.ts' ? '//' : '#'} ${asked}`, ...between, '-good', '+bad', '+bad'];
    const { raised, ignored } = await applied([changedFile(path, { lines })]);
    const line = between.length + 2;
    expect([raised, ignored]).toEqual([[line + 1], [`${line} ignored by the comment at ${path}:1: it is ours`]]);
  });

  it.each([
    ['is about nothing below an empty line', ['+', '+bad'], 3],
    ['is not about a line that is put below it: it was written about another one', ['+bad', ' x'], 2],
  ])('%s', async (_, below, line) => {
    const file = changedFile('a.ts', { lines: [' // postil-ignore: tidy it is ours', ...below] });
    expect(await applied([file])).toEqual({ raised: [line], ignored: [], notes: [] });
  });

  it('is about the file that it stands in, and not about a copy of it, nor where that is moved', async () => {
    const lines = [' // postil-ignore: tidy it is ours', '-good', '+bad'];
    const files = [
      changedFile('b.ts', { lines: [' x', '+bad'] }),
      changedFile('c.ts', { status: 'copied', oldPath: 'a.ts', lines }),
      changedFile('d.ts', { status: 'renamed', oldPath: 'a.ts', lines }),
    ];
    const { raised, ignored, notes } = await applied(files);
    expect([raised, ignored]).toEqual([[2, 2, 2], []]);
    expect(notes).toEqual([
      expect.stringMatching(/^Asked to be ignored: tidy at c\.ts:1: it is ours\. The comment came/),
      expect.stringMatching(/^Asked to be ignored: tidy at d\.ts:1: it is ours\. Its file came/),
    ]);
  });
});

describe('a comment postil-ignore that came with the change', () => {
  it.each([
    [['+// postil-ignore: tidy it is ours', '+bad']],
    [['+bad(); // postil-ignore: tidy it is ours']],
    [['-bad(1); // postil-ignore: tidy it was ours', '+bad(2); // postil-ignore: tidy it is ours']],
    [['-bad(1); // postil-ignore: other it is ours', '+bad(2); // postil-ignore: tidy it is ours']],
    [['-// postil-ignore: tidy it is ours', '+bad(2); // postil-ignore: tidy it is ours']],
    [['-x(); // postil-ignore: tidy it is ours', '+y();', '+bad(2); // postil-ignore: tidy it is ours']],
    [['-x(); // postil-ignore: tidy it is ours', ' y();', '+bad(2); // postil-ignore: tidy it is ours']],
    [['+bad(2); // postil-ignore: tidy it is ours', '-x(); // postil-ignore: tidy it is ours']],
    [['-x("// postil-ignore: tidy it is ours");', '+bad(2); // postil-ignore: tidy it is ours']],
    [[' x', '-// postil-ignore: tidy it is ours', '+bad', '+// postil-ignore: tidy it is ours']],
  ])('is not obeyed in %j, and listed', async (lines) => {
    const { raised, ignored, notes } = await applied([changedFile('a.ts', { lines })]);
    expect([raised.length, ignored]).toEqual([1, []]);
    expect(notes).toEqual([
      expect.stringMatching(
        /^Asked to be ignored: tidy at a\.ts:\d: it is ours\. The comment came with this change, so it is not obeyed\.$/,
      ),
    ]);
  });

  it('is listed up to twenty times, then counted', async () => {
    const { notes } = await applied([addedFile('a.ts', Array(50).fill('// postil-ignore: tidy why'))]);
    expect([notes.length, notes.at(-1)]).toEqual([21, 'And 30 more comments with postil-ignore are not obeyed.']);
  });

  it('shows no credential', async () => {
    const token = `ghp_${'wqNc5bXz'.repeat(4)}aB3d`;
    const { notes } = await applied([addedFile('a.ts', [`// postil-ignore: tidy ${token}`])]);
    expect(notes.join()).toMatch(/^(?!.*wqNc5bXz).*\[redacted: github token\]/);
  });
});

describe('a comment postil-ignore that cannot be obeyed', () => {
  it.each([
    [' // postil-ignore: tidi it is ours', 'it names no rule that exists (did you mean tidy?).'],
    [' // postil-ignore: something-else why', 'it names no rule that exists.'],
    [' // postil-ignore: tidy', 'it gives no reason.'],
    [' // postil-ignore: tidi', 'it names no rule that exists (did you mean tidy?), and gives no reason.'],
    [' // postil-ignore:', 'it names no rule.'],
  ])('says why: %j', async (line, why) => {
    const { notes } = await applied([changedFile('a.ts', { lines: [line, '+bad'] })]);
    expect(notes).toEqual([`The comment with postil-ignore at a.ts:1 is not obeyed: ${why}`]);
  });

  it('is not reported where the change does not touch what it is about', async () => {
    const file = changedFile('a.ts', { lines: [' // postil-ignore: nothing', ' x', '+bad'] });
    expect((await applied([file])).notes).toEqual([]);
  });

  it('is reported when it is new', async () => {
    const { notes } = await applied([addedFile('a.ts', ['// postil-ignore: tidi', 'bad'])]);
    expect(notes).toEqual([
      'Asked to be ignored: tidi at a.ts:1. The comment came with this change, so it is not obeyed. It names no rule that exists (did you mean tidy?). It gives no reason.',
    ]);
  });
});

describe('a change', () => {
  const word = fc.constantFrom('bad', '// ', '/* ', ' */', 'postil-ignore: ', 'tidy ', 'why ', '"', '`', '\n');
  const line = fc.array(word, { maxLength: 8 }).map((words) => words.join('').replaceAll('\n', ' '));

  it('never silences a rule by what it adds', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 12 }), fc.constantFrom('a.ts', 'a.py', 'a'), async (lines, path) => {
        const { raised, ignored } = await applied([addedFile(path, lines)], { maxFindings: 100 });
        expect(ignored).toEqual([]);
        expect(raised).toHaveLength(lines.filter((text) => text.includes('bad')).length);
      }),
      { numRuns: 500 },
    );
  });
});
