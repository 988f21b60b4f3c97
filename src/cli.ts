import manifest from '../package.json' with { type: 'json' };
import { readArguments } from './cli/arguments.ts';

const usageError = 2;

/** On a laptop: the same review with terminal adapters. Gives the exit code. What a command needs is loaded when it is asked for. */
export async function main(args: readonly string[]): Promise<number> {
  const command = readArguments(args);
  switch (command.kind) {
    case 'help': {
      const { helpText, commandHelpText } = await import(/* webpackMode: "eager" */ './cli/help.ts');
      const { columns } = process.stdout;
      const { of } = command;
      process.stdout.write(of === undefined ? helpText(manifest.version, columns) : commandHelpText(of, columns));
      return 0;
    }
    case 'version':
      process.stdout.write(`${manifest.version}\n`);
      return 0;
    case 'usage':
      process.stderr.write(`${command.problems.join('\n')}\nSee postil --help.\n`);
      return usageError;
    default: {
      const { run } = await import(/* webpackMode: "eager" */ './cli/commands.ts');
      return run(command);
    }
  }
}
