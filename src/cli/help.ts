import { wrapText } from '../core/report/text.ts';
import { definitions, isSettingName } from '../core/settings/definitions.ts';
import { settingGroups } from '../core/settings/setting.ts';
import { type Command, type Flag, flagNames } from './command.ts';

type Entry = readonly [term: string, text: string];

const exitCodes: readonly Entry[] = [
  ['0', 'Reviewed, or nothing to review.'],
  [
    '1',
    'A finding at or above --fail-on; with --require-complete also something that was not reviewed. `rules`: an example does not hold. `eval`: a case was not measured.',
  ],
  ['2', 'Wrong usage, settings or revisions.'],
  ['3', 'The review failed. `replay`: the result differs from the recording.'],
  ['130, 143', 'Stopped with Ctrl-C, or by SIGTERM: what was found so far is printed.'],
];

/** What no file of the repository may say. */
const lockedFlags = flagNames.filter((name) => 'locked' in definitions[name]).map((name) => `--${name}`);

/** Of review: those that most people need. */
const mostUsed = ['staged', 'base', 'format', 'profile', 'fail-on', 'report-html'];

/** What `postil --help` prints, in lines of `columns` characters where words allow it: a screen of it. */
export function helpText(commands: readonly Command[], version: string, columns?: number): string {
  const width = widthOf(columns);
  const whole = commands.filter(({ name }) => !name.includes(' '));
  const flags = whole.find(({ name }) => name === 'review')?.flags.filter(({ name }) => mostUsed.includes(name)) ?? [];
  const [known, used] = [inShort([...whole.map(usageEntry), itself]), inShort(entriesFor(flags))];
  const terms = Math.max(...[...known, ...used].map(([term]) => term.length)) + 2;
  return [
    ...wrapText(`Postil ${version} reviews changes of the git repository that you are in.`, width),
    '',
    ...section('Usage: postil COMMAND [FLAGS]', known, { width, terms }),
    ...section('Most used flags of review', used, { width, terms }),
    ...wrapText(keys, width),
    '',
    ...section('Exit code', inShort(exitCodes), { width, terms }),
  ].join('\n');
}

const itself: Entry = ['help COMMAND', 'Print all of a command and its flags; --version prints the version.'];

const keys =
  'With OPENAI_API_KEY, or POSTIL_API_KEY and POSTIL_BASE_URL, in the environment a model reviews. Without a key the pattern rules do.';

/** The first sentence of each, and what stands in brackets behind it. */
function inShort(entries: readonly Entry[]): readonly Entry[] {
  return entries.map(([term, text]) => {
    const first = firstSentence(text);
    const initial = text.endsWith(']') ? text.slice(text.lastIndexOf(' [') + 1) : '';
    return [term, first.endsWith(initial) ? first : `${first} ${initial}`];
  });
}

/** Such as `Write one page.` of a longer text. */
function firstSentence(text: string): string {
  return text
    .split(/(?<=[.:]) (?=[A-Z`[])/, 1)
    .join('')
    .replace(/:$/, '.');
}

/** What `--help` prints behind a command. */
export function commandHelpText(commands: readonly Command[], command: Command, columns?: number): string {
  const width = widthOf(columns);
  const { name, flags, more = [] } = command;
  const parts = commands.filter((each) => each.name.startsWith(`${name} `));
  const [term, text] = usageEntry(command);
  const ownFlags = name === 'review' ? [] : [flags, ...parts.map((part) => part.flags)].flatMap(entriesFor);
  return [
    ...section(
      `Usage: postil ${term}${flags.length === 0 ? '' : ' [FLAGS]'}`,
      [[term, text], ...parts.map(usageEntry), ...ownFlags],
      { width },
    ),
    ...(name === 'review' ? [...reviewHelp(flags, width), ...section('Exit code', exitCodes, { width })] : []),
    ...more.flatMap((paragraph) => wrapText(paragraph, width)),
    ...(more.length === 0 ? [] : ['']),
  ].join('\n');
}

function usageEntry({ name, operand, about }: Command): Entry {
  return [operand === undefined ? name : `${name} ${operand}`, about];
}

function entriesFor(flags: readonly Flag[]): readonly Entry[] {
  return flags.flatMap(({ term, help }) => (help === null ? [] : [[`--${term}`, help] as const]));
}

function widthOf(columns = 80): number {
  return Math.min(Math.max(columns, 40), 120);
}

type Columns = { readonly width: number /** Columns of the terms. */; readonly terms?: number };

function section(title: string, entries: readonly Entry[], columns: Columns): readonly string[] {
  return [title, ...entriesOf(entries, columns), ''];
}

/** Its flags are so many that they stand in groups. */
function reviewHelp(flags: readonly Flag[], width: number): readonly string[] {
  const entries = (wanted: (name: string) => boolean) => entriesFor(flags.filter(({ name }) => wanted(name)));
  // `--pull-request` and `--dry-run` of a review are not the inputs of these names.
  const isSetting = (name: string) => flagNames.some((one) => one === name);
  const grouped = (group: string) =>
    entries((name) => isSetting(name) && isSettingName(name) && definitions[name].group === group);
  const printing = ['format', 'quiet', 'fix', 'dry-run'];
  const besides = (name: string) => isSetting(name) || [...printing, 'no-agent'].includes(name);
  const changes: Entry = [
    '(no flag)',
    'Staged, unstaged and untracked files and the commits of the branch, since it left its upstream or the default branch.',
  ];
  return [
    ...section('What to review', [changes, ...entries((name) => !besides(name))], { width }),
    ...section(
      'What to print, and to fix',
      entries((name) => printing.includes(name)),
      { width },
    ),
    ...wrapText(
      `${keys} \`review\` writes only the files that you name, and its own compiled code to ~/.cache/postil: not the index, the work tree or refs.`,
      width,
    ),
    '',
    ...wrapText(
      `Settings of \`review\`. Each is also a variable, such as POSTIL_MODEL for --model. They can stand in .postil/config.yml, which is read at the base commit, but for ${lockedFlags.join(', ')}.`,
      width,
    ),
    '',
    ...Object.entries(settingGroups).flatMap(([group, title]) => {
      const own = [...grouped(group), ...(group === 'depth' ? entries((name) => name === 'no-agent') : [])];
      return own.length === 0 ? [] : section(title, own, { width });
    }),
  ];
}

/** As wide as the longest flag, so that all columns meet. */
const termWidth = Math.max(...flagNames.map((name) => name.length)) + 4;

/** Terms left, texts right; in a narrow terminal each text below its term. */
function entriesOf(entries: readonly Entry[], { width, terms = termWidth }: Columns): readonly string[] {
  const besides = width >= 70;
  const indent = ' '.repeat(besides ? terms + 2 : 6);
  return entries.flatMap(([term, text]) => {
    const [first = '', ...rest] = wrapText(text, width - indent.length);
    const head = besides ? [`  ${term.padEnd(terms)}${first}`] : [`  ${term}`, `${indent}${first}`];
    return [...head, ...rest.map((line) => `${indent}${line}`)];
  });
}
