// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references to secrets, as source holds them.
import { describe, expect, it } from 'vitest';
import { runRules } from '../../../src/core/rules/run-rules.ts';
import { addedFile, changedFile, hunkOf } from '../../fakes/changed-files.ts';
import { ruleWith } from '../../fakes/rule-with.ts';
import { runRule } from '../../fakes/run-rule.ts';

describe('a rule with languages', () => {
  it('reads the files of these languages alone, by their names', async () => {
    const files = ['a.ts', 'a.py', 'Dockerfile', 'a.txt', 'Makefile'].map((path) => addedFile(path, ['bad']));
    expect((await runRule({ languages: ['python', 'dockerfile'] }, files)).paths).toEqual(['a.py', 'Dockerfile']);
  });

  it('stays within its paths as well', async () => {
    const files = ['src/a.py', 'lib/a.py', 'src/a.ts'].map((path) => addedFile(path, ['bad']));
    expect((await runRule({ languages: ['python'], paths: ['src/**'] }, files)).paths).toEqual(['src/a.py']);
  });
});

describe('a rule that skips comments', () => {
  const skip = ['comments'] as const;

  it('finds code alone', async () => {
    const lines = ['bad();', '// bad', 'good(); // bad', 'good("// bad");', '/* bad', 'bad */ bad();', ' * bad'];
    expect((await runRule({ skip }, [addedFile('a.ts', lines)])).lines).toEqual([1, 4, 6, 7]);
  });

  it('knows from the head of the file that a comment began far above the hunk', async () => {
    const head = ['/*', ...Array.from({ length: 50 }, () => 'text'), 'bad', '*/', 'bad'];
    const hunk = hunkOf([' text', '+bad', ' */', '+bad'], { newStart: 51, oldStart: 51 });
    const file = changedFile('a.ts', { hunks: [hunk] });
    expect([
      (await runRule({ skip }, [file], head.slice(0, 50).concat(['text', 'bad', '*/', 'bad']).join('\r\n'))).lines,
      (await runRule({ skip }, [file], ['x', ...head.slice(1)].join('\n'))).lines,
    ]).toEqual([[54], [52, 54]]);
  });

  it('knows from the hunk alone that it began in a comment, where the file cannot be read or is another one', async () => {
    const hunk = hunkOf([' text', '+bad', ' */', '+bad'], { newStart: 51, oldStart: 51 });
    const custom = hunkOf([' * text', '+ * bad'], { newStart: 51, oldStart: 51 });
    const files = [changedFile('a.ts', { hunks: [hunk] }), changedFile('b.ts', { hunks: [custom] })];
    expect([
      (await runRule({ skip }, files, null)).lines,
      (await runRule({ skip }, files, 'other\ntext')).lines,
    ]).toEqual([[54], [54]]);
  });

  it('reads a file of an unknown language as code', async () => {
    expect((await runRule({ skip }, [addedFile('a.unknown', ['# bad'])])).lines).toEqual([1]);
  });

  it('asks for the file only when a line may match', async () => {
    let asked = 0;
    const readHead = async () => {
      asked += 1;
      return null;
    };
    const files = [addedFile('a.ts', ['good']), addedFile('b.ts', ['bad', 'bad']), addedFile('c.txt', ['bad'])];
    await runRules({
      rules: [ruleWith({ skip })],
      files,
      nextId: () => 'f',
      readHead,
      commentFor: () => null,
      hide: (text) => text,
    });
    expect(asked).toBe(1);
  });
});

describe('a rule that skips strings or fences', () => {
  it('finds what is outside of strings', async () => {
    const lines = ['"bad"', "f('bad', bad)", '`', 'bad', '${bad}', '`'];
    expect((await runRule({ skip: ['strings'] }, [addedFile('a.ts', lines)])).lines).toEqual([2, 5]);
  });

  it('finds what is outside of fences in Markdown', async () => {
    const lines = ['bad', '```sh', 'bad', '```', '`bad`'];
    expect((await runRule({ skip: ['fences'] }, [addedFile('a.md', lines)])).lines).toEqual([1, 5]);
  });

  it('knows from the head of the file that the hunk began in a fence', async () => {
    const file = changedFile('a.md', { hunks: [hunkOf([' x', '+bad', ' ```'], { newStart: 2, oldStart: 2 })] });
    expect((await runRule({ skip: ['fences'] }, [file], '```\nx\nbad\n```')).lines).toEqual([]);
  });
});
