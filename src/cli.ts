import { evalInit, evaluation } from '../eval/eval.ts';
import { learn } from '../eval/learn.ts';
import manifest from '../package.json' with { type: 'json' };
import { readArguments } from './cli/arguments.ts';
import { ask } from './cli/ask.ts';
import type { Command } from './cli/command.ts';
import { completionsOf } from './cli/completions.ts';
import { doctor } from './cli/doctor.ts';
import { init } from './cli/init.ts';
import { mcp } from './cli/mcp.ts';
import { replay } from './cli/replay.ts';
import { report } from './cli/report.ts';
import { review } from './cli/review.ts';
import { rules } from './cli/rules.ts';

/** In the order of the help. */
export const commands: readonly Command[] = [
  review,
  ask,
  init,
  rules,
  learn,
  report,
  evaluation,
  evalInit,
  replay,
  mcp,
  doctor,
  completionsOf(() => commands),
];

const usageError = 2;

/** On a laptop: the same review with terminal adapters. Gives the exit code. What a command needs is loaded when it is asked for. */
export async function main(args: readonly string[]): Promise<number> {
  const read = readArguments(commands, args);
  switch (read.kind) {
    case 'help': {
      const { helpText, commandHelpText } = await import(/* webpackMode: "eager" */ './cli/help.ts');
      const { columns } = process.stdout;
      process.stdout.write(
        read.of === null ? helpText(commands, manifest.version, columns) : commandHelpText(commands, read.of, columns),
      );
      return 0;
    }
    case 'version':
      process.stdout.write(`${manifest.version}\n`);
      return 0;
    case 'usage':
      process.stderr.write(`${read.problems.join('\n')}\nSee postil --help.\n`);
      return usageError;
    case 'command': {
      const { runRequest } = await import(/* webpackMode: "eager" */ './cli/run.ts');
      return runRequest(read);
    }
  }
}
