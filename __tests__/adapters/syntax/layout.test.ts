// biome-ignore-all lint/suspicious/noTemplateCurlyInString: source holds them.
import { structuredPatch } from 'diff';
import fc from 'fast-check';
import ts from 'typescript';
import { afterAll, describe, expect, it } from 'vitest';
import { openSyntax } from '../../../src/adapters/syntax/syntax.ts';
import { newLinesOf } from '../../../src/core/history/new-lines.ts';
import { type Sides, sidesOfFiles } from '../../../src/core/languages/same-code.ts';
import type { ChangedFile } from '../../../src/core/pull-request/changed-file.ts';
import { changedFile, MemoryRepository, sourceSyntaxFiles } from '../../fakes/memory-repository.ts';

const problems: string[] = [];
const syntax = openSyntax({ files: sourceSyntaxFiles, onProblem: (text) => problems.push(text) });
afterAll(() => syntax.close());

type Texts = readonly [path: string, before: string, after: string];

function changeOf([path, before, after]: Texts): ChangedFile {
  const { hunks } = structuredPatch(path, path, before, after, '', '', { context: 3 });
  return changedFile(path, { hunks: hunks.map((hunk) => ({ ...hunk, heading: '' })) });
}

async function sidesOf(texts: Texts): Promise<Sides | null> {
  const repository = new MemoryRepository({ [texts[0]]: texts[2] });
  return sidesOfFiles({ syntax, repository, now: () => 0 })(changeOf(texts));
}

/** Whether every line that only changed its white space is proven to be the same code. */
async function isLayout(texts: Texts): Promise<boolean> {
  return newLinesOf(texts[0], [changeOf(texts)], await sidesOf(texts)).spaced === undefined;
}

const debug = 'if DEBUG:\n    setup()\n    run(command)\nstart()\n';

describe('white space', () => {
  it.each<Texts>([
    ['a.py', 'def a():\n  if x:\n    run(y)\n', 'def a():\n    if x:\n        run(y)\n'],
    ['a.py', 'run(a,b)\n', 'run(a, b)\n'],
    ['a.py', 'class A:\n  def a(self):\n    run(y)\n', 'class A:\n    def a(self):\n        run(y)\n    x = 1\n'],
    ['a.ts', 'function a() {\nreturn run(x);\n}\n', 'function a() {\n  return run( x );\n}\n'],
    ['a.js', 'if (x) {\n  run(`a\n b`);\n}\n', 'if (x) {\n    run(`a\n b`);\n}\n'],
    ['a.tsx', 'const a = <b>\n  <c d={e} />\n</b>;\n', 'const a = <b>\n    <c d={e} />\n</b>;\n'],
    ['a.go', 'package a\n\nfunc a() {\n  run(x)\n}\n', 'package a\n\nfunc a() {\n\trun(x)\n}\n'],
    ['A.java', 'class A {\n  void a() {\n  run(x);\n  }\n}\n', 'class A {\n  void a() {\n    run(x);\n  }\n}\n'],
    ['a.rb', 'def a\nrun(x)\nend\n', 'def a\n  run(x)\nend\n'],
    ['a.rs', 'fn a() {\nrun(x);\n}\n', 'fn a() {\n    run(x);\n}\n'],
    ['a.c', 'int a() {\nreturn run(x);\n}\n', 'int a() {\n  return run(x);\n}\n'],
    ['A.cs', 'class A {\nvoid B() {\nRun(x);\n}\n}\n', 'class A {\n  void B() {\n    Run(x);\n  }\n}\n'],
    ['a.php', '<?php\nfunction a() {\nrun($x);\n}\n', '<?php\nfunction a() {\n  run($x);\n}\n'],
  ])('is layout where the parse says so: %s, %j → %j', async (...texts) => {
    expect([await isLayout(texts), problems]).toEqual([true, []]);
  });

  it.each<Texts>([
    ['a.py', debug, 'if DEBUG:\n    setup()\nrun(command)\nstart()\n'],
    ['a.py', 'if A:\n    a()\n    run()\n', 'if A:\n    a()\nif B:\n  run()\n'],
    ['a.py', 'if A:\n    run()\n', 'if B:\n  run()\n'],
    ['a.py', 'a()\nrun()\n', 'a()\n  run()\n'],
    ['a.py', 'if A:\n  a()\n  run()\n', 'if A:\n  a()\n    run()\n'],
    ['a.py', 'run("a b")\n', 'run("ab")\n'],
    ['a.py', 'x = """\n  run\n"""\n', 'x = """\n    run\n"""\n'],
    ['a.py', '# rm -rf /tmp/a\n', '# rm -rf / tmp/a\n'],
    ['a.py', 'def a():\n  run(\n', 'def a():\n    run(\n'],
    ['a.ts', 'if (DEBUG) {\n  run(x);\n}\n', 'run(x);\n'],
    ['a.ts', 'run("/tmp/a");\n', 'run("/ tmp/a");\n'],
    ['a.ts', 'run(`\n  a`);\n', 'run(`\n    a`);\n'],
    ['a.ts', 'const a = /a b/;\n', 'const a = /ab/;\n'],
    ['a.ts', 'a = b + +c;\n', 'a = b ++c;\n'],
    ['a.ts', 'f(a - -b);\n', 'f(a --b);\n'],
    ['a.ts', 'a = b;\n', 'a\u00a0= b;\n'],
    ['a.tsx', 'const a = <b>{c} {d}</b>;\n', 'const a = <b>{c}{d}</b>;\n'],
    ['a.tsx', 'const a = <b><c /> <d /></b>;\n', 'const a = <b><c /><d /></b>;\n'],
    ['a.go', 'package a\n\n//go:embed secret\nvar x string\n', 'package a\n\n// go:embed secret\nvar x string\n'],
    ['a.go', 'package a\n\nvar x = `a\n b`\n', 'package a\n\nvar x = `a\n  b`\n'],
    ['a.rb', 'a = <<~B\n  rm /tmp/a\nB\n', 'a = <<~B\n  rm / tmp/a\nB\n'],
    ['a.rb', 'puts foo -1\n', 'puts foo - 1\n'],
    ['a.rb', '`rm -rf /tmp/a`\n', '`rm -rf / tmp/a`\n'],
    ['a.rb', '%w(a b)\n', '%w(ab)\n'],
    ['a.c', '#define F(x) x\n', '#define F (x) x\n'],
    ['a.cpp', 'auto a = R"(a b)";\n', 'auto a = R"(ab)";\n'],
    ['a.php', '<?php\n`rm -rf /tmp/a`;\n', '<?php\n`rm -rf / tmp/a`;\n'],
    ['a.php', '<p>a b</p>\n', '<p>ab</p>\n'],
    ['a.rs', 'fn a() {\n  run!(a b);\n}\n', 'fn a() {\n  run!(ab);\n}\n'],
    ['a.yml', 'a:\n  b: 1\n', 'a:\n b: 1\n'],
    ['a.sh', 'rm -rf /tmp/app\n', 'rm -rf / tmp/app\n'],
    ['a.sh', 'if a; then\nrun\nfi\n', 'if a; then\n  run\nfi\n'],
    ['Makefile', 'a:\n\trun\n', 'a:\n        run\n'],
    ['a.md', '- a\n- b\n', '- a\n    - b\n'],
    ['a.unknown', 'a b\n', 'ab\n'],
    ['a.json', '{"a b":1}\n', '{"ab":1}\n'],
  ])('is code where no parse proves the opposite: %s, %j → %j', async (...texts) => {
    expect([await isLayout(texts), problems]).toEqual([false, []]);
  });

  const source = [
    'function total(items) {',
    '  const text = `a ${items [0]} b`;',
    '  if (items.length - -1 > 2) { run(items + +1, /a b/g, "x  y"); }',
    '  // a comment',
    '  return items++ + text',
    '}',
  ].join('\n');

  it('is never layout where the tokens of the compiler differ', async () => {
    const spacing = fc.array(fc.tuple(fc.nat(source.length), fc.constantFrom(' ', '\t', '', '', '\u00a0')), {
      minLength: 1,
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(spacing, async (edits) => {
        const after = edits.reduce(spaced, source);
        const sides = await sidesOf(['a.js', source, after]);
        const differs = tokensOf(source) !== tokensOf(after);
        const codes = (side: 'before' | 'now') => sides?.[side].join();
        return !differs || sides === null || codes('before') !== codes('now');
      }),
      { numRuns: 300 },
    );
  });
});

/** White space put in at a place, or the white space there taken out. */
function spaced(text: string, [at, space]: readonly [number, string]): string {
  if (space !== '') return text.slice(0, at) + space + text.slice(at);
  return /[ \t]/.test(text[at] ?? '') ? text.slice(0, at) + text.slice(at + 1) : text;
}

function tokensOf(text: string): string {
  const file = ts.createSourceFile('a.js', text, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS);
  const tokens: string[] = [];
  const visit = (node: ts.Node): void => {
    const inner = node.getChildren(file);
    tokens.push(`${node.kind}`, inner.length === 0 ? node.getText(file) : '');
    inner.forEach(visit);
  };
  visit(file);
  const comments = text.match(/\/\/.*/g) ?? [];
  return JSON.stringify([tokens, comments.map((comment) => comment)]);
}
