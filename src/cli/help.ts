import { wrapText } from '../core/report/text.ts';
import { definitions, type SettingName } from '../core/settings/definitions.ts';
import { type Definition, settingGroups } from '../core/settings/setting.ts';
import { docsAddress } from '../core/text.ts';
import { flagNames, formats, type HelpTopic } from './arguments.ts';

type Entry = readonly [term: string, text: string];

const commands: readonly Entry[] = [
  ['review', 'Review what you are about to commit or push, or what the flags below name.'],
  [
    'init',
    'Write a workflow, a config file and a rule to the root of the repository. Files that exist stay as they are.',
  ],
  ['rules', 'List the rules of this repository and run their examples.'],
  [
    'learn',
    'Propose standing answers from declined findings of merged pull requests, as a patch on stdout. Needs GITHUB_TOKEN.',
  ],
  [
    'report FILE',
    'Write the report file of a run as one HTML page, or print it with --format. `report --help` says more.',
  ],
  [
    'eval [CASES]',
    'Review cases whose defects are known and say how many were found. `eval --help` says more. [eval/cases]',
  ],
  ['replay [FILE]', 'Run a recorded review again from its transcript; without a file the demo.'],
  ['help', 'Print this text. --version prints the version.'],
];

const directory: Entry = ['--directory PATH', 'Any folder of the repository. [.]'];

const what: readonly Entry[] = [
  [
    '(no flag)',
    'Staged, unstaged and untracked files and the commits of the branch, since it left its upstream or the default branch.',
  ],
  ['--staged', 'What is staged, against HEAD.'],
  ['--commit REV', 'One commit, against its parent.'],
  ['--range A..B', 'The commits of B since it left A.'],
  ['--base REV', 'The commits of --head since it left REV. Uncommitted changes are not part of it.'],
  ['--head REV', 'Revision to review. [HEAD]'],
  directory,
];

const output: readonly Entry[] = [
  [
    '--format FORMAT',
    `What stdout holds: ${formats.join(', ')}. Progress goes to stderr. For review, report and replay. [text]`,
  ],
];

const report: readonly Entry[] = [
  ['--report-html PATH', 'File for the page. [FILE with .html]'],
  ['--transcript FILE', 'Transcript that the page shows. [the one beside the report]'],
  ['--open', 'Show the page in the browser.'],
];

const learn: readonly Entry[] = [
  ['--last N', 'The last N merged pull requests, at most 100. [20]'],
  ['--since DAYS', 'Those merged within so many days instead, such as 30d.'],
  ['--pull-request N', 'This one instead.'],
  ['--repository NAME', 'owner/name. [that of the remote origin]'],
  ['--author LOGIN', 'Login that Postil posts as. [github-actions[bot]]'],
  directory,
];

const evaluation: readonly Entry[] = [
  ['--config FILE', 'Settings of every review, as in .postil/config.yml. The flags below and variables go before.'],
  ['--against FILE', 'Another config file, to compare with the first.'],
  ['--record', 'Keep what the model answered, a file per case and configuration.'],
  ['--replay', 'Answer from these files: no model, no key, no cost.'],
  ['--cassettes FOLDER', 'Where they are. [beside the case]'],
  ['--judge-model NAME', 'Also ask a model which findings tell a defect. Without it the place decides.'],
  [
    '--max-cost USD',
    'Limit of the whole evaluation, judge included. The limit of one review stands in the config file. Needs --pricing.',
  ],
  ['--max-total-tokens N', 'The same in tokens.'],
  ['--tolerance N', 'Lines that a finding may be away from the defect. [3]'],
  ['--jobs N', 'Cases at the same time. [2]'],
  ['--format FORMAT', 'text or json. [text]'],
  ['--report-html FILE', 'Also write the numbers and every case as a page.'],
  ['--from-fixes', '`eval init`: from commits that fix something. --since REV and --max N limit them. [20]'],
];

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

const noAgent: Entry = ['--no-agent', 'One model call per batch: --profile=follow-up --allow-follow-up=false.'];

/** What no file of the repository may say. */
const lockedFlags = flagNames.filter((name) => 'locked' in definitions[name]).map((name) => `--${name}`);

/** What `postil --help` prints, in lines of `columns` characters where words allow it. */
export function helpText(version: string, columns?: number): string {
  const width = widthOf(columns);
  return [
    ...wrapText(`Postil ${version} reviews changes of the git repository that you are in.`, width),
    '',
    ...section('Usage: postil COMMAND [FLAGS]', commands, width),
    ...reviewHelp(width),
    ...section('What to learn from', learn, width),
    ...section('Exit code', exitCodes, width),
  ].join('\n');
}

/** What `--help` prints behind a command, from the same tables. */
export function commandHelpText(of: HelpTopic, columns?: number): string {
  const width = widthOf(columns);
  const { flags = [], more = [] } = topics[of];
  const usage = commands
    .filter(([term]) => term.split(' ')[0] === of)
    .map(([term, text]): Entry => [term, text.replace(` \`${of} --help\` says more.`, '')]);
  return [
    ...section(`Usage: postil ${usage[0]?.[0] ?? of} [FLAGS]`, [...usage, ...flags], width),
    ...(of === 'review' ? [...reviewHelp(width), ...section('Exit code', exitCodes, width)] : []),
    ...more.flatMap((text) => wrapText(text, width)),
    ...(more.length === 0 ? [] : ['']),
  ].join('\n');
}

function widthOf(columns = 80): number {
  return Math.min(Math.max(columns, 40), 120);
}

function section(title: string, entries: readonly Entry[], width: number): readonly string[] {
  return [title, ...entriesOf(entries, width), ''];
}

function reviewHelp(width: number): readonly string[] {
  const namesIn = (group: string) => flagNames.filter((name) => definitions[name].group === group);
  return [
    ...section('What to review', what, width),
    ...section('What to print', output, width),
    ...wrapText(
      'With OPENAI_API_KEY, or POSTIL_API_KEY and POSTIL_BASE_URL, in the environment a model reviews. Without a key the pattern rules do. `review` writes only the files that you name, and its own compiled code to ~/.cache/postil: not the index, the work tree or refs.',
      width,
    ),
    '',
    ...wrapText(
      `Settings of \`review\`. Each is also a variable, such as POSTIL_MODEL for --model. They can stand in .postil/config.yml, which is read at the base commit, but for ${lockedFlags.join(', ')}.`,
      width,
    ),
    '',
    ...Object.entries(settingGroups).flatMap(([group, title]) =>
      section(title, [...namesIn(group).map(settingEntry), ...(group === 'depth' ? [noAgent] : [])], width),
    ),
  ];
}

type Topic = { readonly flags?: readonly Entry[]; readonly more?: readonly string[] };

const topics: Readonly<Record<HelpTopic, Topic>> = {
  review: {},
  init: { flags: [directory] },
  rules: { flags: [directory] },
  learn: { flags: learn },
  report: { flags: [...report, ...output] },
  replay: { flags: [...output, settingEntry('report-file'), settingEntry('report-html')] },
  eval: {
    flags: [
      ['eval init [CASES]', 'With --from-fixes: propose cases from the history of this repository.'],
      ...evaluation,
    ],
    more: [
      'Other settings of `review` are taken too, such as --model and --profile: they hold for each review.',
      `The format of a case: ${docsAddress}/eval.md`,
    ],
  },
};

function settingEntry(name: SettingName): Entry {
  const { description, default: initial = '' }: Definition = definitions[name];
  return [`--${name}`, initial === '' ? description : `${description} [${initial.split('\n').join(', ')}]`];
}

/** As wide as the longest flag, so that all columns meet. */
const termWidth = Math.max(...flagNames.map((name) => name.length)) + 4;

/** Terms left, texts right; in a narrow terminal each text below its term. */
function entriesOf(entries: readonly Entry[], width: number): readonly string[] {
  const besides = width >= 70;
  const indent = ' '.repeat(besides ? termWidth + 2 : 6);
  return entries.flatMap(([term, text]) => {
    const [first = '', ...rest] = wrapText(text, width - indent.length);
    const head = besides ? [`  ${term.padEnd(termWidth)}${first}`] : [`  ${term}`, `${indent}${first}`];
    return [...head, ...rest.map((line) => `${indent}${line}`)];
  });
}
