import type { LocalSubject } from '../adapters/git/local-subject.ts';
import {
  defineCommand,
  directory,
  directoryIn,
  flag,
  flagNames,
  format,
  formatIn,
  type GivenArguments,
  settingFlag,
  settingsIn,
  valueSuchAs,
} from './command.ts';

/** What `--no-agent` stands for: one call per batch, and nothing after it. */
const noAgent = { profile: 'follow-up', 'allow-follow-up': 'false' } as const;

export const review = defineCommand({
  name: 'review',
  about: 'Review what you are about to commit or push, or what the flags below name.',
  flags: [
    flag('staged', 'What is staged, against HEAD.'),
    flag('commit REV', 'One commit, against its parent.', valueSuchAs('--commit=HEAD~1')),
    flag('range A..B', 'The commits of B since it left A.', valueSuchAs('--range=main..HEAD')),
    flag(
      'base REV',
      'The commits of --head since it left REV. Uncommitted changes are not part of it.',
      valueSuchAs('--base=HEAD~1'),
    ),
    flag('head REV', 'Revision to review. [HEAD]', valueSuchAs('--head=HEAD~1')),
    directory,
    format,
    flag('no-agent', 'One model call per batch: --profile=follow-up --allow-follow-up=false.'),
    ...flagNames.map(settingFlag),
  ],
  read: (given) => {
    const subject = readSubject(given);
    if (typeof subject === 'string') return subject;
    const flags = { ...(given.isSet('no-agent') ? noAgent : {}), ...settingsIn(given, flagNames) };
    return { subject, directory: directoryIn(given), format: formatIn(given), flags };
  },
  run: async (asked) => (await import(/* webpackMode: "eager" */ './run.ts')).review(asked),
});

/** What is reviewed: without a flag what is about to be committed or pushed. A string says what is wrong. */
function readSubject({ text, isSet }: GivenArguments): LocalSubject | string {
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
