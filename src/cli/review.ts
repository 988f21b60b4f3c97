import type { LocalSubject } from '../adapters/git/local-subject.ts';
import { severities } from '../core/settings/setting.ts';
import type { ReviewSubject } from '../run/local-run.ts';
import {
  defineCommand,
  directory,
  directoryIn,
  flag,
  flagNames,
  format,
  formatIn,
  type GivenArguments,
  type GivenFlags,
  matching,
  settingFlag,
  settingsIn,
  switchWith,
  valueSuchAs,
} from './command.ts';
import type { FixRequest } from './fix.ts';

const named = /^(?:[1-9]\d{0,8}|https?:\/\/[^/?#@\s]+\/[\w.-]+\/[\w.-]+\/pull\/[1-9]\d{0,8}(?:[/?#]\S*)?)$/;

const fixFlags = [
  switchWith(matching(`one of ${severities.join(', ')}`, new RegExp(`^(?:${severities.join('|')})$`)), {
    name: 'fix',
    term: 'fix[=SEVERITY]',
    help: 'Apply the suggestions that verification confirmed to the files, all or from this severity on.',
  }),
  flag('dry-run', 'With --fix: print them as a patch for `git apply` instead, and change nothing.'),
];

/** What `--no-agent` stands for: one call per batch, and nothing after it. */
const noAgent = { profile: 'follow-up', 'allow-follow-up': 'false' } as const;

/** What is read. */
export const subjectFlags = [
  flag('staged', 'What is staged, against HEAD.'),
  flag('commit REV', 'One commit, against its parent.', valueSuchAs('--commit=HEAD~1')),
  flag('range A..B', 'The commits of B since it left A.', valueSuchAs('--range=main..HEAD')),
  flag(
    'base REV',
    'The commits of --head since it left REV. Uncommitted changes are not part of it.',
    valueSuchAs('--base=HEAD~1'),
  ),
  flag('head REV', 'Revision to review. [HEAD]', valueSuchAs('--head=HEAD~1')),
  flag(
    'pull-request N',
    'A pull request on GitHub, by number or address, read with GITHUB_TOKEN. Nothing is posted.',
    matching('a number, or an address such as https://github.com/owner/name/pull/7', named),
  ),
];

export const review = defineCommand({
  name: 'review',
  operand: '[PATH...]',
  about: 'Review what you are about to commit or push, or what flags name. Files, folders and globs narrow it.',
  flags: [
    ...subjectFlags,
    directory,
    flag('trust-config', 'Read configuration and rules in the work tree, not at the base commit: they are yours.'),
    format,
    flag('quiet', 'Print the findings alone, and errors.'),
    ...fixFlags,
    flag('no-agent', 'One model call per batch: --profile=follow-up --allow-follow-up=false.'),
    ...flagNames.map(settingFlag),
  ],
  read: (given) => {
    const subject = readReviewed(given);
    if (typeof subject === 'string') return subject;
    const fix = readFix(given);
    if (typeof fix === 'string') return fix;
    const paths = given.operands;
    if (paths.length > 0 && given.text('include') !== null)
      return `'--include' and '${paths[0]}' contradict each other: both say which files are reviewed.`;
    const usual = given.isSet('no-agent') ? noAgent : {};
    const flags = { ...usual, ...settingsIn(given, flagNames) };
    const [trustConfig, quiet] = [given.isSet('trust-config'), given.isSet('quiet')];
    return { subject, paths, trustConfig, quiet, directory: directoryIn(given), format: formatIn(given), fix, flags };
  },
  run: async (asked) => (await import(/* webpackMode: "eager" */ './run.ts')).review(asked),
});

/** Null where nothing is to be fixed. A string says what is wrong. */
function readFix({ text, isSet }: GivenArguments): FixRequest | null | string {
  const isDry = isSet('dry-run');
  const severity = severities.find((one) => one === text('fix'));
  if (severity === undefined && !isSet('fix')) return isDry ? "'--dry-run' belongs to --fix." : null;
  if (isDry && text('format') !== null)
    return "'--format' and '--dry-run' contradict each other: stdout holds the patch.";
  return { severity: severity ?? 'nitpick', isDry };
}

export function readReviewed(given: GivenArguments): ReviewSubject | string {
  const pullRequest = given.text('pull-request');
  const subject = readSubject(given);
  if (pullRequest === null || typeof subject === 'string') return subject;
  if (subject.kind === 'changes') return { kind: 'pull-request', named: pullRequest };
  return "'--pull-request' says what is reviewed, and so does another flag. Give one of them.";
}

/** What is reviewed: without a flag what is about to be committed or pushed. A string says what is wrong. */
export function readSubject({ text, isSet }: GivenFlags): LocalSubject | string {
  const [base, head, commit, range] = [text('base'), text('head'), text('commit'), text('range')];
  const ends = base !== null || head !== null;
  const choices = [
    ...(isSet('staged') ? ['--staged'] : []),
    ...(commit === null ? [] : ['--commit']),
    ...(range === null ? [] : ['--range']),
    ...(ends ? [base === null ? '--head' : '--base'] : []),
  ];
  if (choices.length > 1) {
    const flags = `${choices.slice(0, -1).join(', ')} and ${choices.at(-1)}`;
    return `${flags} contradict each other: each says what is reviewed. Give one of them.`;
  }
  if (isSet('staged')) return { kind: 'staged' };
  if (commit !== null) return { kind: 'commit', revision: commit };
  if (ends) return { kind: 'range', base, head: head ?? 'HEAD' };
  if (range === null) return { kind: 'changes' };
  const [, from = '', to = ''] = /^(.*?)\.{2,3}(.*)$/s.exec(range) ?? [];
  if (from + to === '') return `'--range' needs two revisions, such as --range main..HEAD.`;
  return { kind: 'range', base: from || 'HEAD', head: to || 'HEAD' };
}
