import { parseArgs } from 'node:util';
import type { LocalSubject } from '../adapters/git/local-subject.ts';
import { definitions, isSettingName, settingNames } from '../core/settings/definitions.ts';
import { type Definition, nearest } from '../core/settings/setting.ts';
import { type EvalCommand, readEval } from './eval-arguments.ts';

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
const helpTopics = ['init', 'rules', 'learn', 'report', 'replay', 'eval'] as const;
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

export function readArguments(args: readonly string[]): Command {
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
  const of = helpTopics.find((topic) => topic === first);
  if (values['help'] === true || first === 'help') return { kind: 'help', ...(of && { of }) };
  if (values['version'] === true) return { kind: 'version' };
  const wanted = textOf(values['format']) ?? own.format;
  const format = formats.find((one) => one === wanted);
  const problem = `'--format' is '${wanted}'; allowed: ${formats.join(', ')}.`;
  if (format === undefined) return { kind: 'usage', problems: [problem] };
  if (first === 'replay') return readReplay(rest, { values, tokens, format });
  if (first === 'learn') return readLearn(rest, { values, tokens });
  if (first === 'report') return readReport(rest, { values, tokens, format });
  if (first === 'rules' || first === 'init') return readFolder(first, { rest, values, tokens });
  const problems = tokens.flatMap((token) => (token.kind === 'option' ? flagProblem(token) : []));
  const text = (name: string) => textOf(values[name]);
  // A misspelled flag leaves its value behind: only what came first is reported.
  if (problems.length === 0) problems.push(...commandProblems(positionals));
  const read = readSubject({ text, staged: values['staged'] === true });
  if (problems.length === 0 && 'problem' in read) problems.push(read.problem);
  if (problems.length > 0 || 'problem' in read) return { kind: 'usage', problems };
  const named = flagNames.flatMap((name) => (text(name) === undefined ? [] : [[name, text(name) ?? '']]));
  const flags = { ...(values['no-agent'] === true ? noAgent : {}), ...Object.fromEntries(named) };
  const directory = text('directory') ?? own.directory;
  return { kind: 'review', subject: read.subject, directory, format, flags };
}

type ReadSubject = { readonly subject: LocalSubject } | { readonly problem: string };

/** What is reviewed: without a flag what is about to be committed or pushed. */
function readSubject(given: { text: (name: string) => string | undefined; staged: boolean }): ReadSubject {
  const { text, staged } = given;
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
  const [, from = '', to = ''] = /^(.*?)\.{2,3}(.*)$/.exec(range) ?? [];
  if (from + to === '') return { problem: `'--range' needs two revisions, such as --range main..HEAD.` };
  return { subject: { kind: 'range', base: from || own.head, head: to || own.head } };
}

type Parsed = {
  readonly values: Readonly<Record<string, unknown>>;
  readonly tokens: readonly { readonly kind: string }[];
};

function readReplay(rest: readonly string[], { values, tokens, format }: Parsed & { format: Format }): Command {
  const flags = tokens.filter(isOption).filter(({ name }) => !['format', 'report-file', 'report-html'].includes(name));
  const problems = [
    ...flags.map(({ rawName }) => `replay does not take '${rawName}': it uses the settings of the recording.`),
    ...(rest.length > 1 ? [`'${rest.slice(1).join(' ')}' is one argument too many: replay takes one file.`] : []),
  ];
  if (problems.length > 0) return { kind: 'usage', problems };
  return {
    kind: 'replay',
    path: rest[0] ?? null,
    format,
    reportFile: textOf(values['report-file']) ?? '',
    reportHtml: textOf(values['report-html']) ?? '',
  };
}

function readReport(rest: readonly string[], { values, tokens, format }: Parsed & { format: Format }): Command {
  const known = ['format', 'report-html', 'transcript', 'open'];
  const flags = tokens.filter(isOption).filter(({ name }) => !known.includes(name));
  const [path = '', ...more] = rest;
  const taken = '--format, --report-html, --transcript and --open';
  const problems = [
    ...flags.map(({ rawName }) => `report does not take '${rawName}', only ${taken}.`),
    ...(path === '' ? ['report needs the file that `report-file` named.'] : []),
    ...(more.length > 0 ? [`'${more.join(' ')}' is one argument too many: report takes one file.`] : []),
  ];
  if (problems.length > 0) return { kind: 'usage', problems };
  const open = values['open'] === true;
  const printed = values['format'] === undefined ? null : format;
  const page = printed === null || open ? `${path.replace(/\.json$/, '')}.html` : null;
  const [reportHtml, transcript] = [textOf(values['report-html']) ?? page, textOf(values['transcript']) ?? null];
  return { kind: 'report', path, format: printed, reportHtml, transcript, open };
}

/** The commands about the files of a folder take the folder alone. */
function readFolder(
  kind: 'rules' | 'init',
  { rest, values, tokens }: Parsed & { readonly rest: readonly string[] },
): Command {
  const flags = tokens.filter(isOption).filter(({ name }) => name !== 'directory');
  const problems = [
    ...flags.map(({ rawName }) => `${kind} does not take '${rawName}', only --directory.`),
    ...(rest.length > 0 ? [`'${rest.join(' ')}' is unexpected: ${kind} takes only --directory.`] : []),
  ];
  if (problems.length > 0) return { kind: 'usage', problems };
  return { kind, directory: textOf(values['directory']) ?? own.directory };
}

function isOption(token: { kind: string }): token is OptionToken & { readonly kind: string } {
  return token.kind === 'option';
}

type OptionToken = { readonly name: string; readonly rawName: string; readonly value: string | undefined };

function flagProblem({ name, rawName, value }: OptionToken): readonly string[] {
  if (switches.some((known) => known === name)) return value === undefined ? [] : [`'--${name}' takes no value.`];
  if (jobOnly.includes(name)) return [`'${rawName}' is an input of the action; the command line has no use for it.`];
  if (!Object.hasOwn(own, name) && !isSettingName(name)) {
    const guess = nearest(name, [...Object.keys(own), ...flagNames, ...switches, 'help', 'version']);
    return [`'${rawName}' is not a flag${guess === null ? '' : `; did you mean '--${guess}'?`}`];
  }
  if (value !== undefined) return [];
  const [example, meaning] = isSettingName(name)
    ? [exampleOf(definitions[name]), definitions[name].description]
    : [ownExamples[name] ?? 'HEAD~1', ''];
  return [`'${rawName}' needs a value${example === '' ? `. ${meaning}` : `, such as ${rawName}=${example}.`}`];
}

const ownExamples: Readonly<Record<string, string>> = { range: 'main..HEAD', format: 'json', directory: 'src' };

/** Empty where nothing but the description says what is meant. */
function exampleOf({ choices, default: initial = '', minimum, description }: Definition): string {
  if (description.includes('globs') && initial === '') return "'src/**'";
  return choices?.[0] ?? (initial.split('\n')[0] || String(minimum ?? ''));
}

function commandProblems(positionals: readonly string[]): readonly string[] {
  const [command, ...rest] = positionals;
  if (command === undefined) return ["The command is missing: 'postil review', or 'postil --help'."];
  if (command !== 'review')
    return [`'${command}' is not a command; allowed: review, report, replay, rules, init, learn, eval, help.`];
  return rest.length === 0
    ? []
    : [`'${rest.join(' ')}' is unexpected: values belong to flags, such as --base ${rest[0]}.`];
}

/** A flag given several times is a list. */
function textOf(value: unknown): string | undefined {
  if (Array.isArray(value)) return value.filter((item) => typeof item === 'string').join('\n');
  return typeof value === 'string' ? value : undefined;
}

/** What a person asked of `postil learn`. */
export type LearnCommand = {
  readonly kind: 'learn';
  readonly directory: string;
  /** `owner/name`; null for that of the folder. */
  readonly repository: string | null;
  /** Login that Postil posts as. */
  readonly author: string;
  /** Null for the merged ones. */
  readonly pullRequest: number | null;
  /** Null for the `last` ones. */
  readonly sinceDays: number | null;
  readonly last: number;
};

const learnFlags = ['directory', 'repository', 'author', 'pull-request', 'since', 'last'] as const;

type Flag = (typeof learnFlags)[number];

const learnValues: Readonly<Record<Flag, { readonly needs: string; readonly allowed: RegExp }>> = {
  directory: { needs: 'a folder', allowed: /./ },
  repository: { needs: 'owner/name', allowed: /^[\w-]+\/[\w.-]+$/ },
  author: { needs: 'a login, such as github-actions[bot]', allowed: /^[\w-]+(?:\[bot\])?$/ },
  'pull-request': { needs: 'a number', allowed: /^[1-9]\d{0,8}$/ },
  since: { needs: 'a number of days, such as 30d', allowed: /^[1-9]\d{0,2}d$/ },
  last: { needs: 'a number from 1 to 100', allowed: /^(?:[1-9]\d?|100)$/ },
};

/** Each problem names the argument and what is allowed. */
function readLearn(rest: readonly string[], { values, tokens }: Parsed): Command {
  const flags = tokens.filter(isOption).map(({ name }) => name);
  const text = (name: string) => textOf(values[name]) ?? '';
  const given = learnFlags.filter((name) => flags.includes(name));
  const choices = given.filter((name) => name === 'pull-request' || name === 'since' || name === 'last');
  const foreign = flags.filter((flag) => !learnFlags.some((name) => name === flag));
  const problems = [
    ...foreign.map((name) => `learn does not take '--${name}', only --${learnFlags.join(', --')}.`),
    ...(rest.length > 0
      ? [`'${rest.join(' ')}' is unexpected: values belong to flags, such as --pull-request 7.`]
      : []),
    ...given
      .filter((name) => !learnValues[name].allowed.test(text(name)))
      .map((name) => `'--${name}' needs ${learnValues[name].needs}.`),
    ...(choices.length > 1 ? [`'--${choices.join("' and '--")}' contradict each other: give one of them.`] : []),
  ];
  if (problems.length > 0) return { kind: 'usage', problems };
  const number = (name: Flag) => (given.includes(name) ? Number.parseInt(text(name), 10) : null);
  return {
    kind: 'learn',
    directory: text('directory') || '.',
    repository: text('repository') || null,
    author: text('author') || 'github-actions[bot]',
    pullRequest: number('pull-request'),
    sinceDays: number('since'),
    last: number('last') ?? 20,
  };
}
