import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { completions } from '../../src/cli/completions.ts';
import { commands } from '../../src/cli.ts';

const shells = ['bash', 'zsh', 'fish'] as const;

/** What bash proposes for the last word; a separate `=` is how readline hands over `--flag=value`. */
function proposed(...words: readonly string[]): readonly string[] {
  const script = `${completions(commands, 'bash')}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _postil; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const printed = execFileSync('bash', ['-c', script, 'bash', 'postil', ...words], { encoding: 'utf8' });
  return printed.split('\n').filter((word) => word !== '');
}

describe('what bash proposes', () => {
  it.each([
    ['commands', ['re'], ['review', 'report', 'replay']],
    ['flags', ['review', '--pro'], ['--profile', '--progress-file']],
    ['flags behind others', ['review', '--staged', 'src', '--quie'], ['--quiet']],
    ['flags of no other command', ['rules', '--'], ['--help', '--directory']],
    ['values', ['review', '--profile', 'q'], ['quick']],
    ['values behind =', ['review', '--format', '=', 'm'], ['markdown']],
    ['all values behind =', ['eval', '--format', '='], ['text', 'json']],
    ['a part of a command', ['eval', 'i'], ['init']],
    ['commands to have explained', ['help', 'comp'], ['completions']],
    ['shells', ['completions', ''], ['bash', 'zsh', 'fish']],
    ['nothing of its own where a file or a revision stands', ['review', '--base', ''], []],
  ])('are %s', (_, words, expected) => {
    expect(proposed(...words)).toEqual(expected);
  });
});

describe.each(shells)('the script for %s', (shell) => {
  const lines = completions(commands, shell).split('\n');

  it('knows every flag of every command', () => {
    const missing = commands.flatMap(({ name, flags }) => {
      const [command = ''] = name.split(' ');
      const own = lines.filter((line) => line.includes(`${command})`) || line.includes(`from ${command}'`)).join('\n');
      const isNamed = (flag: string) => new RegExp(`(?:--|-l )${flag}\\b`).test(own);
      return flags.filter((flag) => !isNamed(flag.name)).map((flag) => `${name} --${flag.name}`);
    });
    expect(missing).toEqual([]);
  });

  it('has no text in which the shell would see something else', () => {
    const quoted = lines.filter((line) => line.includes("'")).flatMap((line) => line.match(/'[^']*'/g) ?? ['']);
    expect(quoted.filter((text) => shell !== 'bash' && /[`$\\]/.test(text))).toEqual([]);
    expect(lines.filter((line) => (line.split("'").length - 1) % 2 !== 0)).toEqual([]);
  });
});
