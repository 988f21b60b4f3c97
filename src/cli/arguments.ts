import { parseArgs } from 'node:util';
import { visibleLine } from '../core/report/text.ts';
import { settingNames } from '../core/settings/definitions.ts';
import { nearest } from '../core/settings/setting.ts';
import { type Command, problemOf, type Request } from './command.ts';

/** What a person asked of the command line. */
export type Arguments =
  | ({ readonly kind: 'command'; readonly name: string } & Request)
  /** Null: of all commands. */
  | { readonly kind: 'help'; readonly of: Command | null }
  | { readonly kind: 'version' }
  /** Each problem names the argument and what is allowed. */
  | { readonly kind: 'usage'; readonly problems: readonly string[] };

/** What is wrong with them may quote them, and a terminal obeys what it is shown. */
export function readArguments(commands: readonly Command[], args: readonly string[]): Arguments {
  const read = readFor(commands, args);
  return read.kind === 'usage' ? usage(...read.problems.map(visibleLine)) : read;
}

function readFor(commands: readonly Command[], args: readonly string[]): Arguments {
  const { values, positionals, tokens } = parseArgs({
    ...{ args: [...args], allowPositionals: true, strict: false, tokens: true },
    options: {
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean', short: 'v' },
      ...optionsOf(commands),
    },
  });
  const [first, ...rest] = positionals;
  if (first === 'help') return readHelp(commands, rest);
  if (values['help'] === true) return readHelp(commands, positionals.slice(0, 1));
  if (values['version'] === true) return { kind: 'version' };
  if (first === undefined) return usage("The command is missing: 'postil review', or 'postil --help'.");
  const named = (name: string) => commands.find((command) => command.name === name);
  const command = named(positionals.slice(0, 2).join(' ')) ?? named(first);
  if (command === undefined) return usage(unknownCommand(commands, first));
  const text = (name: string) => textOf(values[name]);
  const problems = tokens.flatMap((token) => {
    return token.kind === 'option' ? (problemOf(command, token, text(token.name)) ?? []) : [];
  });
  // A misspelled flag leaves its value behind: only what came first is reported.
  if (problems.length > 0) return usage(...new Set(problems));
  const operands = positionals.slice(command.name.split(' ').length);
  if (operands.length > mostOperands(command)) return usage(oneTooMany(command, operands));
  const request = command.read({
    text,
    isSet: (name) => values[name] === true,
    operand: operands[0] ?? null,
    operands,
  });
  return typeof request === 'string' ? usage(request) : { kind: 'command', name: command.name, ...request };
}

/** Flags may stand before the command, so it is known of each flag of all whether it takes a value. */
function optionsOf(commands: readonly Command[]) {
  const own = commands.flatMap(({ flags }) => flags);
  const switches = own.filter(({ value }) => value === null).map(({ name }) => name);
  const names = [...settingNames, ...own.map(({ name }) => name)];
  return Object.fromEntries(
    names.map((name) => [
      name,
      { type: switches.includes(name) ? 'boolean' : 'string', multiple: !switches.includes(name) } as const,
    ]),
  );
}

/** With a help of their own: what is part of a command is not among them. */
function wholeCommands(commands: readonly Command[]): readonly Command[] {
  return commands.filter(({ name }) => !name.includes(' '));
}

function readHelp(commands: readonly Command[], [wanted = 'help', ...more]: readonly string[]): Arguments {
  const of = wholeCommands(commands).find(({ name }) => name === wanted) ?? null;
  if (of === null && wanted !== 'help') return usage(unknownCommand(commands, wanted));
  if (more.length > 0) return usage(`'${more.join(' ')}' is one argument too many: help is about one command.`);
  return { kind: 'help', of };
}

function unknownCommand(commands: readonly Command[], name: string): string {
  const names = [...wholeCommands(commands).map((command) => command.name), 'help'];
  const guess = /[./*]/.test(name) ? `review ${name}` : nearest(name, names);
  const allowed = guess === null ? `allowed: ${names.join(', ')}.` : `did you mean '${guess}'?`;
  return `'${name}' is not a command; ${allowed}`;
}

function mostOperands({ operand }: Command): number {
  if (operand === undefined) return 0;
  return operand.includes('...') ? Number.POSITIVE_INFINITY : 1;
}

function oneTooMany({ operand, flags }: Command, operands: readonly string[]): string {
  if (operand !== undefined) return `'${operands.slice(1).join(' ')}' is one argument too many.`;
  const example = flags.find(({ value }) => value !== null)?.name;
  return `'${operands.join(' ')}' is unexpected: values belong to flags, such as --${example} ${operands[0]}.`;
}

function usage(...problems: readonly string[]): Arguments {
  return { kind: 'usage', problems };
}

/** A flag given several times is a list. */
function textOf(value: unknown): string | null {
  if (Array.isArray(value)) return value.filter((item) => typeof item === 'string').join('\n');
  return typeof value === 'string' ? value : null;
}
