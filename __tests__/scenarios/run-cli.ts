import { temporaryFolder } from '../fakes/temporary-folder.ts';
import { builtFile } from './harness.ts';
import { type ChildRun, runNode } from './runner/child.ts';

export type CliOptions = {
  readonly args: readonly string[];
  readonly cwd: string;
  /** Added to PATH and an empty HOME: nothing else is inherited. */
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Another Node than the one that runs the tests. */
  readonly node?: string;
};

/** Starts the built command line in a folder. */
export function runCli({ args, cwd, env, input, node }: CliOptions): Promise<ChildRun> {
  return runNode({
    node: node ?? process.execPath,
    args: [builtFile('dist/cli/index.js'), ...args],
    directory: cwd,
    environment: { PATH: process.env['PATH'] ?? '', HOME: temporaryFolder(), ...env },
    timeout: 100_000,
    ...(input === undefined ? {} : { input }),
  });
}
