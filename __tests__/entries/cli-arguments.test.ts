import { describe, expect, it } from 'vitest';
import { flagNames, readArguments } from '../../src/cli-arguments.ts';
import { helpText } from '../../src/cli-help.ts';

describe('the arguments of the command line', () => {
  it('name two revisions and settings', () => {
    expect(
      readArguments(['review', '--base', 'main', '--profile=quick', '--exclude', 'docs/**', '--exclude', '*.md']),
    ).toEqual({
      kind: 'review',
      base: 'main',
      head: 'HEAD',
      directory: '.',
      flags: { profile: 'quick', exclude: 'docs/**\n*.md' },
    });
  });

  it.each([
    [[], ["The command is missing: 'postil review --base HEAD~1', or 'postil --help'."]],
    [['reveiw'], ["'reveiw' is not a command; allowed: review, replay, rules, init, help."]],
    [
      ['review'],
      ["'--base' is missing: name the commit to compare with, such as --base HEAD~1 or --base origin/main."],
    ],
    [
      ['review', '--bas', 'main', '--max-iteration=3'],
      [
        "'--bas' is not a flag; did you mean '--base'?",
        "'--max-iteration' is not a flag; did you mean '--max-iterations'?",
      ],
    ],
    [['review', '--base'], ["'--base' needs a value, such as --base=HEAD~1."]],
    [['review', '--base', 'a', 'b'], ["'b' is too much: values belong to flags, such as --base b."]],
    [
      ['review', '--base', 'a', '--pull-request', '7'],
      ["'--pull-request' is an input of the action; the command line has no use for it."],
    ],
  ])('%j are answered with what is wrong and what is allowed', (args, problems) => {
    expect(readArguments(args)).toEqual({ kind: 'usage', problems });
  });

  it.each([['--help'], ['-h'], ['help'], ['review', '--help']])('ask for help by %s %s', (...args) => {
    expect(readArguments(args)).toEqual({ kind: 'help' });
  });

  it('are all in the help', () => {
    const help = helpText('1.2.3');
    expect(flagNames.filter((name) => !help.includes(`--${name} `))).toEqual([]);
  });
});
