import { describe, expect, it } from 'vitest';
import { readArguments } from '../../src/cli/arguments.ts';
import { flagNames } from '../../src/cli/command.ts';
import { commandHelpText, helpText } from '../../src/cli/help.ts';
import { commands } from '../../src/cli.ts';
import { definitions } from '../../src/core/settings/definitions.ts';

const contradiction = (flags: string) =>
  `${flags} contradict each other: each says what is reviewed. Give one of them.`;

const unknown = (name: string) =>
  `'${name}' is not a command; allowed: review, ask, init, rules, learn, report, eval, replay, mcp, doctor, completions, help.`;

const flagsOfLearn = ['--last', '--repository', '--author', '--directory'];

function flagsIn(help: string): readonly string[] {
  return [...help.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, name = '']) => name);
}

/** The command and what it is asked. */
function asked(...args: readonly string[]) {
  const request = readArguments(commands, args);
  return request.kind === 'command' ? { kind: request.name, ...request.asked } : request;
}

/** What is printed where a command is asked for its help. */
function helpOf(...args: readonly string[]): string {
  const request = readArguments(commands, args);
  return request.kind === 'help' && request.of !== null ? commandHelpText(commands, request.of) : '';
}

const notTaken = (flag: string) => `review does not take '${flag}'`;
const format = "'--format' needs one of text, json, sarif, markdown, github, prompt, unix.";

describe('the arguments of the command line', () => {
  it('name two revisions and settings', () => {
    const flags = ['--profile=quick', '--exclude', 'docs/**', '--exclude', '*.md'];
    expect(asked('review', '--base', 'main', ...flags)).toEqual({
      ...{ kind: 'review', subject: { kind: 'range', base: 'main', head: 'HEAD' } },
      ...{ paths: [], trustConfig: false, quiet: false, fix: null, directory: '.', format: 'text' },
      flags: { profile: 'quick', exclude: 'docs/**\n*.md' },
    });
  });

  it.each([
    ['', "The command is missing: 'postil review', or 'postil --help'."],
    ['reveiw', "'reveiw' is not a command; did you mean 'review'?"],
    ['nonsense', unknown('nonsense')],
    ['src/cart.ts', "'src/cart.ts' is not a command; did you mean 'review src/cart.ts'?"],
    ['help nonsense', unknown('nonsense')],
    ['nonsense --help', unknown('nonsense')],
    ['help reprot', "'reprot' is not a command; did you mean 'report'?"],
    ['help eval init', "'init' is one argument too many: help is about one command."],
    ['\u001b[31m', unknown('\\u{1B}[31m')],
    ['review --\u0007', `${notTaken('--\\u{7}')}.`],
    ['eval --\u009b', "eval does not take '--\\u{9B}'."],
    ['review --max-iteration=3', `${notTaken('--max-iteration')}; did you mean '--max-iterations'?`],
    ['review --json', `${notTaken('--json')}; did you mean '--format json'?`],
    ['replay --sarif', "replay does not take '--sarif'; did you mean '--format sarif'?"],
    ['review --offline', `${notTaken('--offline')}; did you mean '--profile offline'?`],
    ['review --quik', `${notTaken('--quik')}; did you mean '--profile quick'?`],
    ['review --critical', `${notTaken('--critical')}.`],
    [
      "review a.ts --include 'src/**'",
      "'--include' and 'a.ts' contradict each other: both say which files are reviewed.",
    ],
    ['review --base a --constructor=x', `${notTaken('--constructor')}.`],
    ['review --base a --hasOwnProperty=1', `${notTaken('--hasOwnProperty')}.`],
    ['review --staged=yes', "'--staged' takes no value."],
    ['review --base a --no-agent=yes', "'--no-agent' takes no value."],
    ['review --range', "'--range' needs a value, such as --range=main..HEAD."],
    ['review --range --sarif-file a', "'--range' needs a value, such as --range=main..HEAD."],
    ...['main', '..', ''].map((range) => [
      `review --range=${range}`,
      "'--range' needs two revisions, such as --range main..HEAD.",
    ]),
    ['review --staged --commit a', contradiction('--staged and --commit')],
    ['review --range a..b --base a', contradiction('--range and --base')],
    ['review --staged --range a..b --head a', contradiction('--staged, --range and --head')],
    ...['review', 'replay x', 'report x'].map((command) => [`${command} --format xml`, format]),
    ['completions', 'completions needs one of bash, zsh, fish.'],
    ['completions tcsh', 'completions needs one of bash, zsh, fish.'],
    ['report --format text', 'report needs the file that `report-file` named.'],
    ...[
      'review --base=HEAD~1',
      'review --directory=src',
      "review --include='src/**'",
      "review --deny-paths='src/**'",
      'review --max-tokens=256',
      'review --timeout-minutes=15',
      'review --fail-on=never',
      'eval --passes=0',
    ].map((example) => {
      const [wrong = '', flag = ''] = /^\w+ ([^=]+)/.exec(example) ?? [];
      return [wrong, `'${flag}' needs a value, such as ${example.replace(/^\w+ /, '')}.`];
    }),
    ...['review', 'eval'].map((command) => [
      `${command} --pricing`,
      `'--pricing' needs a value. ${definitions.pricing.description}`,
    ]),
    [
      'review --base a --max-comments 7',
      "'--max-comments' is an input of the action; the command line has no use for it.",
    ],
    [
      'learn 7 --base x --repository r --last 101 --author',
      "learn does not take '--base', only --last, --repository, --author, --directory.",
      "'--repository' needs owner/name.",
      "'--last' needs a number from 1 to 100.",
      "'--author' needs a login, such as github-actions[bot].",
    ],
    ['learn 7', "'7' is unexpected: values belong to flags, such as --last 7."],
    ['replay --model m', "replay does not take '--model', only --format, --report-file, --report-html."],
    ['eval a b', "'b' is one argument too many."],
    ['eval --jobs 1 --jobs 2', "'--jobs' needs a number from 1 to 16."],
    ['eval --replay --record', "'--record' and '--replay' contradict each other: give one of them."],
    [
      'eval --jobs=0 --tolerance x --format=sarif --agianst b.yml',
      "'--jobs' needs a number from 1 to 16.",
      "'--tolerance' needs a number of lines from 0 to 100.",
      "'--format' needs one of text, json.",
      "eval does not take '--agianst'; did you mean '--against'?",
    ],
    ['eval --config=a --against=a', "'--against' names the file of '--config': nothing would differ."],
    ['eval --model m --transcript-file x', "eval does not take '--transcript-file'; did you mean '--transcripts'?"],
    ['eval init --replay', "eval init does not take '--replay', only --from-fixes, --since, --max."],
    ['eval init', "eval init needs '--from-fixes'."],
  ])('%s is answered with what is wrong and what is allowed', (args, ...problems) => {
    expect(readArguments(commands, args.split(' ').filter(Boolean))).toEqual({ kind: 'usage', problems });
  });

  it.each([
    [[], { kind: 'changes' }],
    [['--staged'], { kind: 'staged' }],
    [['--commit', 'HEAD~1'], { kind: 'commit', revision: 'HEAD~1' }],
    [['--range', 'v1.2..topic'], { kind: 'range', base: 'v1.2', head: 'topic' }],
    [['--range', 'main...'], { kind: 'range', base: 'main', head: 'HEAD' }],
    [['--range', '..topic'], { kind: 'range', base: 'HEAD', head: 'topic' }],
    [['--base', 'main'], { kind: 'range', base: 'main', head: 'HEAD' }],
    [['--head', 'topic'], { kind: 'range', base: null, head: 'topic' }],
    [['--pull-request', '7'], { kind: 'pull-request', named: '7' }],
  ])('review %j is about the right thing', (args, subject) => {
    expect(asked('review', ...args)).toMatchObject({ kind: 'review', subject });
  });

  it.each([
    [['review', '--format', 'json'], { format: 'json' }],
    [['replay'], { format: 'text' }],
    [['replay', '--format=sarif'], { format: 'sarif' }],
    [['report', 'a.json'], { format: null, reportHtml: 'a.html' }],
    [['report', 'a.json', '--format', 'github'], { format: 'github', reportHtml: null }],
    [['report', 'a.json', '--format', 'text', '--open'], { format: 'text', reportHtml: 'a.html', open: true }],
    [['review', '--fix'], { fix: { severity: 'nitpick', isDry: false } }],
    [['review', '--fix=critical', '--dry-run'], { fix: { severity: 'critical', isDry: true } }],
    [['review', '--no-agent', '--profile', 'quick'], { flags: { profile: 'quick', 'allow-follow-up': 'false' } }],
    [['review', '--no-agent'], { flags: { profile: 'follow-up', 'allow-follow-up': 'false' } }],
  ])('%j know what is printed, which page is written, and how many calls are made', (args, known) => {
    expect(asked(...args)).toMatchObject(known);
  });

  it('name what is reviewed of the change, wherever flags stand', () => {
    expect(asked('review', 'src/a.ts', '--staged', 'docs')).toMatchObject({
      ...{ subject: { kind: 'staged' }, paths: ['src/a.ts', 'docs'] },
    });
  });

  it('tell learn what to read', () => {
    const given = 'learn --repository o/r.js --author my-app[bot] --last 5 --directory x'.split(' ');
    const byDefault = { directory: '.', repository: null, author: 'github-actions[bot]', last: 20 };
    expect(asked('learn')).toEqual({ kind: 'learn', ...byDefault });
    expect(asked(...given)).toEqual({
      ...{ kind: 'learn', directory: 'x', repository: 'o/r.js', author: 'my-app[bot]', last: 5 },
    });
  });

  it.each([['--help'], ['-h'], ['help'], ['help', 'help']])('ask for help by %s %s', (...args) => {
    expect(readArguments(commands, args)).toEqual({ kind: 'help', of: null });
  });

  it('are all in the help of review, once, and six of them in that of all commands', () => {
    const subjects = ['staged', 'commit', 'range', 'base', 'head', 'pull-request', 'directory', 'trust-config'];
    const others = ['no-agent', 'format', 'quiet', 'fix', 'dry-run'];
    const ofReview = [...flagNames, ...subjects, ...others].map((name) => `--${name}`);
    expect(flagsIn(helpOf('review', '--help')).toSorted()).toEqual(ofReview.toSorted());
    const most = ['--staged', '--base', '--format', '--profile', '--fail-on', '--report-html'];
    expect(flagsIn(helpText(commands, '1.2.3'))).toEqual(most);
  });

  it('have a help that fits a screen', () => {
    expect(helpText(commands, '1.2.3', 80).split('\n').length).toBeLessThan(50);
  });

  it.each([
    ['init --help', ['--action', '--directory']],
    ['rules -h', ['--directory']],
    ['help learn', flagsOfLearn],
    ['report --help', ['--report-html', '--transcript', '--open', '--format']],
    ['replay x --help', ['--format', '--report-file', '--report-html']],
  ])('%s asks for the help of that command: its usage and its flags', (args, flags) => {
    const text = helpOf(...args.split(' '));
    expect([flagsIn(text), text.split('\n').length < 20]).toEqual([flags, true]);
    expect(args.split(' ')).toContain(/^Usage: postil (\w+) /.exec(text)?.[1]);
  });

  it('are in the help as a laptop has them: what no config file holds, what is written, and every exit code', () => {
    const help = helpOf('help', 'review').replaceAll(/\n *(?!\n)/g, ' ');
    const locked = /config\.yml, which is read at the base commit, but for (.*?)\./.exec(help)?.[1]?.split(', ');
    expect(locked).toEqual([
      ...['--base-url', '--api', '--extra-headers', '--extra-query', '--extra-body', '--pricing', '--report-file'],
      ...['--report-html', '--sarif-file', '--progress-file', '--transcript-file', '--config'],
    ]);
    expect(help).toMatch(/~\/\.cache\/postil.* Depth.*--no-agent.* Tokens, money.* 130, 143 /s);
    expect(help).not.toContain('Fail the job');
  });

  it.each([40, 60, 80, 120])('have a help in lines of %i columns', (columns) => {
    const texts = [
      helpText(commands, '1.2.3', columns),
      ...commands.map((one) => commandHelpText(commands, one, columns)),
    ];
    const lines = texts.join('\n').split('\n');
    // A word that is longer than a line, such as an address, may stand out alone.
    const long = lines.filter((line) => line.length > columns && line.trim().includes(' '));
    expect([long, lines.some((line) => line.length > columns - 12)]).toEqual([[], true]);
  });

  it.each(['review', 'init', 'rules', 'learn', 'eval', 'replay', 'help'])(
    'know the command %s, which is in the help',
    (name) => {
      expect(asked(name).kind).toBe(name);
      expect(helpText(commands, '1.2.3')).toMatch(new RegExp(`^ {2}${name}\\b`, 'm'));
    },
  );
});
