import { parseArgs } from 'node:util';
import type { LocalSubject } from '../adapters/git/local-subject.ts';
import { visibleLine } from '../core/report/text.ts';
import { isSettingName, settingNames } from '../core/settings/definitions.ts';
import { nearest } from '../core/settings/setting.ts';
import { type EvalCommand, readEval, settingWithoutValue } from './eval-arguments.ts';
import { type LearnCommand, learnCommand, learnFlags, learnProblems } from './learn-arguments.ts';

/** What a person asked of the command line. */
export type Command =
  | {
      readonly kind: 'review';
      readonly subject: LocalSubject;
      readonly directory: string;
      readonly format: Format;
      readonly flags: Readonly<Record<string, string>>;
    }
  | {
      readonly kind: 'replay';
      /** Null: the demonstration. */
      readonly path: string | null;
      readonly format: Format;
      readonly reportFile: string;
      readonly reportHtml: string;
    }
  | {
      readonly kind: 'report';
      readonly path: string;
      /** Null: nothing is printed. */
      readonly format: Format | null;
      /** Null: no page is written. */
      readonly reportHtml: string | null;
      /** Null: the one beside the report, where there is one. */
      readonly transcript: string | null;
      readonly open: boolean;
    }
  | { readonly kind: 'rules' | 'init'; readonly directory: string }
  | LearnCommand
  | EvalCommand
  | { readonly kind: 'help'; readonly of?: HelpTopic }
  | { readonly kind: 'version' }
  /** Each problem names the argument and what is allowed. */
  | { readonly kind: 'usage'; readonly problems: readonly string[] };

/** Commands with a help of their own. */
const helpTopics = ['review', 'report', 'replay', 'rules', 'init', 'learn', 'eval'] as const;
export type HelpTopic = (typeof helpTopics)[number];

/** What stdout holds: `text` for people, the others for programs. */
export const formats = ['text', 'json', 'sarif', 'markdown', 'github'] as const;
export type Format = (typeof formats)[number];

const own = { base: '', head: 'HEAD', commit: '', range: '', directory: '.', format: 'text' } as const;
/** Flags of `postil report` alone that take a value. */
const ofReport = ['transcript'] as const;
const switches = ['staged', 'no-agent', 'open'] as const;
/** Settings that make no sense on a laptop: nothing is posted, and no pull request exists. */
export const jobOnly: readonly string[] = [
  'pull-request',
  'comments',
  'annotations',
  'review-event',
  'name',
  'mode',
  'review-file',
  'check-run',
  'sticky-comment',
  'incremental',
  'max-comments',
  'dry-run',
  'skip-authors',
  'review-drafts',
];
/** What `--no-agent` stands for: one call per batch, and nothing after it. */
const noAgent = { profile: 'follow-up', 'allow-follow-up': 'false' } as const;
export const flagNames = settingNames.filter((name) => !jobOnly.includes(name));

/** What is wrong with them may quote them, and a terminal obeys what it is shown. */
export function readArguments(args: readonly string[]): Command {
  const command = readCommand(args);
  return command.kind === 'usage' ? usage(command.problems.map(visibleLine)) : command;
}

function readCommand(args: readonly string[]): Command {
  if (args[0] === 'eval') return readEval(args.slice(1), flagNames);
  const { values, positionals, tokens } = parseArgs({
    args: [...args],
    allowPositionals: true,
    strict: false,
    tokens: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean', short: 'v' },
      ...Object.fromEntries(switches.map((name) => [name, { type: 'boolean' } as const])),
      ...Object.fromEntries(
        [...Object.keys(own), ...settingNames, ...learnFlags, ...ofReport].map((name) => [
          name,
          { type: 'string', multiple: true } as const,
        ]),
      ),
    },
  });
  const [first = '', ...rest] = positionals;
  if (values['help'] === true || first === 'help') return readHelp(first === 'help' ? rest : positionals);
  if (values['version'] === true) return { kind: 'version' };
  const text = (name: string) => textOf(values[name]);
  const wanted = text('format') ?? own.format;
  const format = formats.find((one) => one === wanted);
  if (format === undefined) return usage([`'--format' is '${wanted}'; allowed: ${formats.join(', ')}.`]);
  const options = tokens.filter((token) => token.kind === 'option');
  const given = { rest, options, text, isSet: (name: string) => values[name] === true, format };
  if (first === 'replay') return readReplay(given);
  if (first === 'learn') return readLearn(given);
  if (first === 'report') return readReport(given);
  if (first === 'rules' || first === 'init') return readFolder(first, given);
  return readReview(positionals, given);
}

function readHelp([wanted = 'help', ...more]: readonly string[]): Command {
  const of = helpTopics.find((topic) => topic === wanted);
  if (of === undefined && wanted !== 'help') return usage([unknownCommand(wanted)]);
  if (more.length > 0) return usage([`'${more.join(' ')}' is one argument too many: help is about one command.`]);
  return { kind: 'help', ...(of && { of }) };
}

function unknownCommand(name: string): string {
  const guess = nearest(name, [...helpTopics, 'help']);
  const allowed = guess === null ? `allowed: ${helpTopics.join(', ')}, help.` : `did you mean '${guess}'?`;
  return `'${name}' is not a command; ${allowed}`;
}

type Given = {
  /** What stands behind the command and belongs to no flag. */
  readonly rest: readonly string[];
  readonly options: readonly Option[];
  readonly text: (name: string) => string | undefined;
  /** Of a switch. */
  readonly isSet: (name: string) => boolean;
  readonly format: Format;
};

type Option = { readonly name: string; readonly rawName: string; readonly value: string | undefined };

function usage(problems: readonly string[]): Command {
  return { kind: 'usage', problems };
}

function readReview(positionals: readonly string[], { options, text, isSet, format }: Given): Command {
  const problems = options.flatMap(flagProblem);
  // A misspelled flag leaves its value behind: only what came first is reported.
  if (problems.length === 0) problems.push(...commandProblems(positionals));
  const read = readSubject(text, isSet('staged'));
  if (problems.length === 0 && 'problem' in read) problems.push(read.problem);
  if (problems.length > 0 || 'problem' in read) return usage(problems);
  const named = flagNames.flatMap((name) => (text(name) === undefined ? [] : [[name, text(name) ?? '']]));
  const flags = { ...(isSet('no-agent') ? noAgent : {}), ...Object.fromEntries(named) };
  return { kind: 'review', ...read, directory: text('directory') ?? own.directory, format, flags };
}

/** What is reviewed: without a flag what is about to be committed or pushed. */
function readSubject(text: Given['text'], staged: boolean): { subject: LocalSubject } | { problem: string } {
  const [base, head, commit, range] = [text('base'), text('head'), text('commit'), text('range')];
  const ends = base !== undefined || head !== undefined;
  const choices = [
    ...(staged ? ['--staged'] : []),
    ...(commit === undefined ? [] : ['--commit']),
    ...(range === undefined ? [] : ['--range']),
    ...(ends ? [base === undefined ? '--head' : '--base'] : []),
  ];
  const last = choices.at(-1);
  if (choices.length > 1) {
    const flags = `${choices.slice(0, -1).join(', ')} and ${last}`;
    return { problem: `${flags} contradict each other: each says what is reviewed. Give one of them.` };
  }
  if (staged) return { subject: { kind: 'staged' } };
  if (commit !== undefined) return { subject: { kind: 'commit', revision: commit } };
  if (ends) return { subject: { kind: 'range', base: base ?? null, head: head ?? own.head } };
  if (range === undefined) return { subject: { kind: 'changes' } };
  const [, from = '', to = ''] = /^(.*?)\.{2,3}(.*)$/s.exec(range) ?? [];
  if (from + to === '') return { problem: `'--range' needs two revisions, such as --range main..HEAD.` };
  return { subject: { kind: 'range', base: from || own.head, head: to || own.head } };
}

function readReplay({ rest, options, text, format }: Given): Command {
  const problems = [
    ...foreign(options, ['format', 'report-file', 'report-html']).map(
      ({ rawName }) => `replay does not take '${rawName}': it uses the settings of the recording.`,
    ),
    ...(rest.length > 1 ? [`'${rest.slice(1).join(' ')}' is one argument too many: replay takes one file.`] : []),
  ];
  if (problems.length > 0) return usage(problems);
  const [reportFile, reportHtml] = [text('report-file') ?? '', text('report-html') ?? ''];
  return { kind: 'replay', path: rest[0] ?? null, format, reportFile, reportHtml };
}

function readReport({ rest, options, text, isSet, format }: Given): Command {
  const [path = '', ...more] = rest;
  const taken = '--format, --report-html, --transcript and --open';
  const problems = [
    ...foreign(options, ['format', 'report-html', 'transcript', 'open']).map(
      ({ rawName }) => `report does not take '${rawName}', only ${taken}.`,
    ),
    ...(path === '' ? ['report needs the file that `report-file` named.'] : []),
    ...(more.length > 0 ? [`'${more.join(' ')}' is one argument too many: report takes one file.`] : []),
  ];
  if (problems.length > 0) return usage(problems);
  const open = isSet('open');
  const printed = text('format') === undefined ? null : format;
  const page = printed === null || open ? `${path.replace(/\.json$/, '')}.html` : null;
  const [reportHtml, transcript] = [text('report-html') ?? page, text('transcript') ?? null];
  return { kind: 'report', path, format: printed, reportHtml, transcript, open };
}

/** The commands about the files of a folder take the folder alone. */
function readFolder(kind: 'rules' | 'init', { rest, options, text }: Given): Command {
  const problems = [
    ...foreign(options, ['directory']).map(({ rawName }) => `${kind} does not take '${rawName}', only --directory.`),
    ...(rest.length > 0 ? [`'${rest.join(' ')}' is unexpected: ${kind} takes only --directory.`] : []),
  ];
  return problems.length > 0 ? usage(problems) : { kind, directory: text('directory') ?? own.directory };
}

function foreign(options: Given['options'], known: readonly string[]): Given['options'] {
  return options.filter(({ name }) => !known.includes(name));
}

function flagProblem({ name, rawName, value }: Option): readonly string[] {
  if (switches.some((known) => known === name)) return value === undefined ? [] : [`'--${name}' takes no value.`];
  if (jobOnly.includes(name)) return [`'${rawName}' is an input of the action; the command line has no use for it.`];
  if (!Object.hasOwn(own, name) && !isSettingName(name)) {
    const guess = nearest(name, [...Object.keys(own), ...flagNames, ...switches, 'help', 'version']);
    return [`'${rawName}' is not a flag${guess === null ? '' : `; did you mean '--${guess}'?`}`];
  }
  if (value !== undefined) return [];
  if (isSettingName(name)) return [settingWithoutValue(name)];
  return [`'${rawName}' needs a value, such as ${rawName}=${ownExamples[name] ?? 'HEAD~1'}.`];
}

const ownExamples: Readonly<Record<string, string>> = { range: 'main..HEAD', format: 'json', directory: 'src' };

function commandProblems(positionals: readonly string[]): readonly string[] {
  const [command, ...rest] = positionals;
  if (command === undefined) return ["The command is missing: 'postil review', or 'postil --help'."];
  if (command !== 'review') return [unknownCommand(command)];
  return rest.length === 0
    ? []
    : [`'${rest.join(' ')}' is unexpected: values belong to flags, such as --base ${rest[0]}.`];
}

/** A flag given several times is a list. */
function textOf(value: unknown): string | undefined {
  if (Array.isArray(value)) return value.filter((item) => typeof item === 'string').join('\n');
  return typeof value === 'string' ? value : undefined;
}

function readLearn({ rest, options, text }: Given): Command {
  const given = learnFlags.filter((flag) => options.some(({ name }) => name === flag));
  const values = Object.fromEntries(given.map((flag) => [flag, text(flag) ?? '']));
  const problems = [
    ...foreign(options, learnFlags).map(
      ({ rawName }) => `learn does not take '${rawName}', only --${learnFlags.join(', --')}.`,
    ),
    ...(rest.length > 0
      ? [`'${rest.join(' ')}' is unexpected: values belong to flags, such as --pull-request 7.`]
      : []),
    ...learnProblems(values),
  ];
  return problems.length > 0 ? usage(problems) : learnCommand(values);
}
