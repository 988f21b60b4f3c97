import { conversationDefinitions } from '../core/settings/conversation-definitions.ts';
import { definitions, type SettingName, settingNames } from '../core/settings/definitions.ts';
import { fileDefinitions } from '../core/settings/files.ts';
import { filterDefinitions, upkeepDefinitions } from '../core/settings/pull-request-definitions.ts';
import { type Definition, nearest } from '../core/settings/setting.ts';

/** All there is to say of a command: arguments, help and the call itself follow from it. */
export type Command = CommandText & {
  /** A string says what is wrong. */
  readonly read: (given: GivenArguments) => string | Request;
};

/** What the help says of a command. */
type CommandText = {
  /** One word, or two where it is part of another command. */
  readonly name: string;
  /** What the help calls its operand, such as `[FILE]`, or `[PATH...]` for any number; left out where it takes none. */
  readonly operand?: string;
  readonly about: string;
  readonly flags: readonly Flag[];
  /** Closing paragraphs of its help. */
  readonly more?: readonly string[];
};

/** What was asked of a command; `run` does it and gives the exit code. */
export type Request = { readonly asked: object; readonly run: () => Promise<number> };

/** What stands behind the name of a command. */
export type GivenFlags = {
  /** The value of a flag; several are lines. Null where it was not given. */
  readonly text: (name: string) => string | null;
  /** Of a switch. */
  readonly isSet: (name: string) => boolean;
};

export type GivenArguments = GivenFlags & {
  /** What belongs to no flag: the first of it, and all. */
  readonly operand: string | null;
  readonly operands: readonly string[];
};

/** `run` loads what it needs when it is called: the help of a command loads nothing. */
export function defineCommand<A extends object>({
  read,
  run,
  ...command
}: CommandText & {
  readonly read: (given: GivenArguments) => string | A;
  readonly run: (asked: A) => Promise<number>;
}): Command {
  return {
    ...command,
    read: (given) => {
      const asked = read(given);
      return typeof asked === 'string' ? asked : { asked, run: () => run(asked) };
    },
  };
}

export type Flag = {
  readonly name: string;
  /** As the help shows it, with a word for its value, such as `commit REV`. */
  readonly term: string;
  /** Null: the help leaves it out. */
  readonly help: string | null;
  /** Null: it is a switch. */
  readonly value: Value | null;
  /** What a switch may be given behind a `=`. */
  readonly detail?: Value;
};

type Value = {
  /** Said where the value is missing or another. */
  readonly needs: string;
  readonly allows: RegExp;
  /** Every value, where they can be counted. */
  readonly choices?: readonly string[];
};

export function flag(term: string, help: string | null, value: Value | null = null): Flag {
  return { name: term.replace(/ .*/, ''), term, help, value };
}

/** A switch that may be given more: `--fix`, and `--fix=critical`. */
export function switchWith(detail: Value, { name, term, help }: { name: string; term: string; help: string }): Flag {
  return { name, term, help, value: null, detail };
}

export function matching(needs: string, allows: RegExp): Value {
  return { needs, allows };
}

export function oneOf(choices: readonly string[]): Value {
  return { needs: `one of ${choices.join(', ')}`, allows: new RegExp(`^(?:${choices.join('|')})$`), choices };
}

export function valueSuchAs(example: string): Value {
  return matching(`a value, such as ${example}`, /^/);
}

export const directory = flag('directory PATH', 'Any folder of the repository. [.]', valueSuchAs('--directory=src'));

export function directoryIn({ text }: GivenArguments): string {
  return text('directory') ?? '.';
}

/** What stdout holds: `text` for people, the others for programs. */
export const formats = ['text', 'json', 'sarif', 'markdown', 'github', 'prompt', 'unix'] as const;
export type Format = (typeof formats)[number];

export const format = flag(
  'format FORMAT',
  `What stdout holds: ${formats.join(', ')}. Progress goes to stderr. For review, report and replay. [text]`,
  oneOf(formats),
);

export function formatIn({ text }: GivenArguments): Format {
  return formats.find((one) => one === text('format')) ?? 'text';
}

/** Settings that make no sense on a laptop: nothing is posted, and no pull request exists. */
export const jobOnly: readonly string[] = [
  'pull-request',
  'comments',
  'annotations',
  'review-event',
  'name',
  'mode',
  'review-file',
  'plan-file',
  'shard',
  'max-shards',
  'shard-tokens',
  'check-run',
  'incremental',
  'max-comments',
  'dry-run',
  'skip-authors',
  'review-drafts',
  ...Object.keys({ ...filterDefinitions, ...upkeepDefinitions }),
  ...Object.keys(conversationDefinitions),
];

/** Files of one review: of several each would overwrite the one before. */
export const filesOfOne: readonly string[] = [...Object.keys(fileDefinitions), 'config'];

/** Settings that are flags. */
export const flagNames = settingNames.filter((name) => !jobOnly.includes(name));

/** A setting as a flag: its definition says all of it. */
export function settingFlag(name: SettingName): Flag {
  const definition: Definition = definitions[name];
  const { description, default: initial = '', choices } = definition;
  const example = exampleOf(definition);
  const help = initial === '' ? description : `${description} [${initial.split('\n').join(', ')}]`;
  const described = matching(`a value. ${description.replace(/\.$/, '')}`, /^/);
  const value = example === '' ? described : valueSuchAs(`--${name}=${example}`);
  return flag(name, help, choices === undefined ? value : { ...value, choices });
}

/** Empty where nothing but the description says what is meant. */
function exampleOf({ choices, default: initial = '', minimum, description }: Definition): string {
  if (description.includes('globs') && initial === '') return "'src/**'";
  return choices?.[0] ?? (initial.split('\n')[0] || String(minimum ?? ''));
}

/** The settings among the flags that were given. */
export function settingsIn({ text }: GivenArguments, names: readonly SettingName[]): Readonly<Record<string, string>> {
  return Object.fromEntries(names.flatMap((name) => (text(name) === null ? [] : [[name, text(name) ?? '']])));
}

type Option = {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
};

/** Why a command does not take an option; null where it does. `text` is all that was given for it. */
export function problemOf(
  { name: command, flags }: Command,
  { name, rawName, value, inlineValue }: Option,
  text: string | null,
): string | null {
  const known = flags.find((each) => each.name === name);
  if (known === undefined) return unknownFlag({ name, rawName }, { command, flags });
  if (known.value === null) {
    if (value === undefined || known.detail?.allows.test(value) === true) return null;
    return known.detail === undefined ? `'--${name}' takes no value.` : `'--${name}=' needs ${known.detail.needs}.`;
  }
  // A flag behind a flag is no value: who means one writes --name=--value.
  const isMissing = value === undefined || (inlineValue !== true && /^--[a-z]/.test(value));
  return !isMissing && known.value.allows.test(text ?? '') ? null : `'--${name}' needs ${known.value.needs}.`;
}

/** So many flags can be listed in a sentence. */
const few = 8;

function unknownFlag(
  { name, rawName }: Option,
  { command, flags }: { command: string; flags: readonly Flag[] },
): string {
  if (command === 'review' && jobOnly.includes(name)) {
    return `'${rawName}' is an input of the action; the command line has no use for it.`;
  }
  const names = flags.map((each) => each.name);
  const values = flags.flatMap(
    (each) => each.value?.choices?.map((word) => [word, `${each.name} ${word}`] as const) ?? [],
  );
  // Many write a value alone, such as --json. One that several flags take says nothing.
  const alone = new Map(values.filter(([word]) => values.filter(([other]) => other === word).length === 1));
  const near = nearest(name, [...names, ...alone.keys()]);
  const meant = alone.get(near ?? '') ?? (names.length <= few ? null : near);
  const wrong = `${command} does not take '${rawName}'`;
  if (meant !== null) return `${wrong}; did you mean '--${meant}'?`;
  return names.length <= few ? `${wrong}, only --${names.join(', --')}.` : `${wrong}.`;
}
