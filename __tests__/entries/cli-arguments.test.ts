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
    [['reveiw'], ["'reveiw' is not a command; allowed: review, replay, rules, init, learn, help."]],
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
    [['review', '--base', 'a', '--constructor=x'], ["'--constructor' is not a flag"]],
    [
      ['review', '--base', 'a', '--toString', '--hasOwnProperty=1'],
      ["'--toString' is not a flag", "'--hasOwnProperty' is not a flag"],
    ],
    [['review', '--base', 'a', '--no-agent=yes'], ["'--no-agent' takes no value."]],
    [['review', '--base'], ["'--base' needs a value, such as --base=HEAD~1."]],
    [['review', '--base', 'a', 'b'], ["'b' is too much: values belong to flags, such as --base b."]],
    [
      ['review', '--base', 'a', '--pull-request', '7'],
      ["'--pull-request' is an input of the action; the command line has no use for it."],
    ],
  ])('%j are answered with what is wrong and what is allowed', (args, problems) => {
    expect(readArguments(args)).toEqual({ kind: 'usage', problems });
  });

  it('know --no-agent as one model call per batch', () => {
    expect(readArguments(['review', '--base', 'main', '--no-agent'])).toMatchObject({
      flags: { profile: 'follow-up', 'allow-follow-up': 'false' },
    });
  });

  it('tell learn what to read, and have something to say of each', () => {
    const said = ['learn', '--repository', 'o/r.js', '--author', 'my-app[bot]', '--since', '30d', '--directory', 'x'];
    expect([readArguments(['learn']), readArguments(said)]).toEqual([
      {
        kind: 'learn',
        directory: '.',
        repository: null,
        author: 'github-actions[bot]',
        pullRequest: null,
        sinceDays: null,
        last: 20,
      },
      {
        kind: 'learn',
        directory: 'x',
        repository: 'o/r.js',
        author: 'my-app[bot]',
        pullRequest: null,
        sinceDays: 30,
        last: 20,
      },
    ]);
    expect(readArguments(['learn', '--pull-request', '7', '--last=5'])).toMatchObject({ kind: 'usage' });
    expect(readArguments(['learn', '7', '--base', 'x', '--last', '101', '--repository', 'r', '--since'])).toEqual({
      kind: 'usage',
      problems: [
        "'--base' means nothing to learn, which takes --directory, --repository, --author, --pull-request, --since, --last.",
        "'7' is too much: values belong to flags, such as --pull-request 7.",
        "'--repository' needs owner/name.",
        "'--since' needs a number of days, such as 30d.",
        "'--last' needs a number from 1 to 100.",
        "'--since' and '--last' exclude each other.",
      ],
    });
  });

  it.each([['--help'], ['-h'], ['help'], ['review', '--help']])('ask for help by %s %s', (...args) => {
    expect(readArguments(args)).toEqual({ kind: 'help' });
  });

  it('are all in the help', () => {
    const help = helpText('1.2.3');
    expect(flagNames.filter((name) => !help.includes(`--${name} `))).toEqual([]);
  });
});
