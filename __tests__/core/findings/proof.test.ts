import { structuredPatch } from 'diff';
import { describe, expect, it } from 'vitest';
import { disproofAt, isProven } from '../../../src/core/findings/proof.ts';
import { changedFile, sources } from './make.ts';

type Push = {
  readonly path: string;
  /** The wrong line is the first one that holds `run`. */
  readonly before: string;
  readonly after: string;
  readonly proof?: { readonly path?: string; readonly quote: string };
  /** Texts of other files at head. */
  readonly more?: { readonly [path: string]: string };
};

/** Whether a quote proves that the line with `run` was fixed; by default each line of the pushed file is tried. */
async function fixes({ path, before, after, proof, more = {} }: Push): Promise<boolean> {
  const { hunks } = structuredPatch(path, path, `${before}\n`, `${after}\n`, '', '', { context: 3 });
  const line = before.split('\n').findIndex((text) => text.includes('run')) + 1;
  const asked = {
    ...{ path, lines: { start: line, end: line }, isAmong: null },
    hunks: hunks.map((hunk) => ({ ...hunk, heading: '' })),
  };
  const world = sources([changedFile(path)], { head: { [path]: `${after}\n`, ...more } });
  const quotes = proof === undefined ? after.split('\n') : [proof.quote];
  const proven = quotes.map((quote) => isProven({ path: proof?.path ?? path, quote }, { asked, sources: world }));
  return (await Promise.all(proven)).includes(true);
}

/** The wrong line, and what a push makes of it without changing any code. */
const unchanged: readonly (readonly [what: string, path: string, before: string, after: string])[] = [
  ['a comment', 'a.js', 'run(input);', 'run(input); // checked by the caller'],
  ['a comment that is taken away', 'a.js', '/* unsafe */ run(input);', 'run(input);'],
  ['a comment of JSX', 'a.tsx', '<A b={run(input)}>', '<A b={run(input)}>\n{/* checked by the caller */}'],
  ['a comment in a script of HTML', 'a.html', '<script>run(input)', '<script>run(input)\n// checked(by, the, caller)'],
  ['a comment in a style of HTML', 'a.html', '<style>run{b:c}', '<style>run{b:c}\n/* checked */'],
  ['a comment of PHP without a space', 'a.php', 'run($input);', 'run($input);\n#checked by the caller'],
  ['a comment of PHP behind the line', 'a.php', 'run($input);', 'run($input);#checked by the caller'],
  ['a comment of ERB', 'a.erb', '<%= run(input) %>', '<%= run(input) %>\n<%# checked by the caller %>'],
  ['a comment of Handlebars', 'a.hbs', '{{{run}}}', '{{{run}}}\n{{! checked by the caller }}'],
  ['a comment of Jinja', 'a.j2', '{{ run|safe }}', '{{ run|safe }}\n{# checked by the caller #}'],
  ['a comment of Twig', 'a.twig', '{{ run|raw }}', '{{ run|raw }}{# checked by the caller #}'],
  ['a comment of nginx', 'a.conf', 'proxy_pass http://run;', 'proxy_pass http://run; # checked'],
  ['a comment of Zig', 'a.zig', 'run(input);', 'run(input); // checked by the caller'],
  ['a comment inside of the line', 'a.zig', 'run(input);', 'run(/* checked */ input);'],
  ['a comment of Visual Basic', 'a.vb', 'run(input)', "run(input) ' checked by the caller"],
  ['a comment of CoffeeScript', 'a.coffee', 'run input', 'run input # checked by the caller'],
  ['a comment of code owners', 'CODEOWNERS', '* @run', '* @run # checked by the caller'],
  ['a comment of a batch file', 'a.bat', 'run %1', 'run %1\nRem checked by the caller'],
  ['a comment of MySQL', 'a.sql', 'select run from a;', 'select run from a; # checked'],
  ['a long comment of Lua', 'a.lua', 'run(input)', 'run(input)\n--[==[\nchecked by the caller\n]==]'],
  ['a nested comment of Rust', 'a.rs', 'run(input);', 'run(input);\n/* a /* b */ checked by the caller */'],
  ['a nested comment of OCaml', 'a.ml', 'run input', 'run input\n(* a (* b *) checked by the caller *)'],
  ['documentation of Perl', 'a.pl', 'run($input);', 'run($input);\n=pod\n\nchecked by the caller\n\n=cut'],
  ['a long comment of Julia', 'a.jl', 'run(input)', 'run(input)\n#=\nchecked by the caller\n=#'],
  ['a docstring', 'a.py', 'def run(a):', 'def run(a):\n    """Checked by the caller."""'],
  ['a byte order mark', 'a.js', 'run(input);', '\uFEFFrun(input);'],
  ['indentation', 'a.js', 'run(input);', '    run(input);'],
  ['indentation of styles', 'a.scss', '.run{b:url(x)}', '  .run{b:url(x)}'],
  ['spaces between tokens', 'a.js', 'run(input);', 'run( input );'],
  ['a line break', 'a.js', 'run(input, other);', 'run(\n  input,\n  other);'],
  ['its place', 'a.js', 'run(input);\nb();\nc();\nd();\ne();\nf();', 'b();\nc();\nd();\ne();\nf();\nrun(input);'],
  ['a copy of it', 'a.js', 'run(input);', 'run(input);\nrun(input);'],
  ['a sentence beside prose', 'a.md', 'Do `run | sh`.', 'Do `run | sh`.\n\n[//]: # (checked by the caller)'],
];

describe('no quote proves a fix', () => {
  it.each(unchanged)('where a push changed %s in %s', async (_, path, before, after) => {
    expect(await fixes({ path, before: `start();\n${before}`, after: `start();\n${after}` })).toBe(false);
  });

  const path = 'src/a.ts';
  const before = ['import { a } from "a";', ...Array(9).fill('b();'), 'run(input);', 'end();'].join('\n');
  const beside = before.replace('end();', 'const limit = 10;\nend();');
  it.each<[string, NonNullable<Push['proof']>, string]>([
    ['the untouched wrong line', { quote: 'run(input);' }, beside],
    ['another old line near it', { quote: 'end();' }, beside],
    ['a line far from it', { quote: 'import { a } from "a";' }, before.replace('run(input)', 'safe(input)')],
    ['another file', { path: 'README.md', quote: '# Shop' }, beside],
    ['another file of code', { path: 'src/b.ts', quote: 'export const fixed = true;' }, beside],
    ['a line that is not there', { quote: 'check(input);' }, beside],
    ['a bracket', { quote: '}' }, before.replace('run(input);', 'if (a) {\n}')],
    ['a comment', { quote: '// It is fixed.' }, beside.replace('end();', '// It is fixed.\nend();')],
  ])('when it is %s', async (_, proof, after) => {
    const more = { 'README.md': '# Shop\n', 'src/b.ts': 'export const fixed = true;\n' };
    expect(await fixes({ path, before, after, proof, more })).toBe(false);
  });
});

describe('a quote proves a fix', () => {
  it.each<[string, Push]>([
    [
      'a guard above the line',
      { path: 'a.ts', before: 'run(a);', after: 'if (!a) return;\nrun(a);', proof: { quote: 'if (!a) return;' } },
    ],
    [
      'a guard in the line',
      { path: 'a.ts', before: 'run(a);', after: 'if (a) run(a);', proof: { quote: 'if (a) run(a);' } },
    ],
    [
      'another line in its place',
      { path: 'a.ts', before: 'run(a[n]);', after: 'run(a[n - 1]);', proof: { quote: 'run(a[n - 1]);' } },
    ],
    [
      'the wrong line gone',
      { path: 'a.ts', before: 'one();\nrun(a);\ntwo();', after: 'one();\ntwo();', proof: { quote: 'one();' } },
    ],
    [
      'a language nobody knows',
      { path: 'a.zig', before: 'run(a);', after: 'check(a);\nrun(a);', proof: { quote: 'check(a);' } },
    ],
    [
      'prose that was wrong',
      { path: 'a.md', before: 'Start it with run.', after: 'Start it with go.', proof: { quote: 'Start it with go.' } },
    ],
  ])('that is %s', async (_, push) => {
    expect(await fixes(push)).toBe(true);
  });

  it('under the name that the file had before', async () => {
    const [before, after] = ['run(a);', 'if (!a) return;\nrun(a);'];
    const { hunks } = structuredPatch('b.ts', 'b.ts', `${before}\n`, `${after}\n`);
    const asked = {
      path: 'b.ts',
      lines: { start: 1, end: 1 },
      isAmong: null,
      hunks: hunks.map((hunk) => ({ ...hunk, heading: '' })),
    };
    const file = changedFile('b.ts', { oldPath: 'a.ts', status: 'renamed' });
    const world = sources([file], { head: { 'b.ts': after } });
    expect(await isProven({ path: 'a.ts', quote: 'if (!a) return;' }, { asked, sources: world })).toBe(true);
  });
});

describe('a quote that disproves a finding', () => {
  const text = 'if (!a) return;\nrun(a);\nif (!a) return;\nrun(b);\n';
  const world = sources([changedFile('a.ts')], { head: { 'a.ts': text } });
  const on = (line: number) =>
    ({ path: 'a.ts', anchor: { kind: 'lines', side: 'RIGHT', startLine: line, endLine: line, quote: '' } }) as const;

  it.each([
    [2, 'if (!a) return;', 1],
    [4, 'if (!a) return;', 3],
    [2, 'run(a);', null],
  ])('of line %i is %j in line %j: of equal ones that beside it, and never its own', async (line, quote, expected) => {
    const finding = on(line);
    const { place } = await disproofAt({ path: 'a.ts', quote }, { finding, sources: world, hasOwnLines: true });
    expect(place?.startLine ?? null).toBe(expected);
  });
});
