import { setSecret } from '@actions/core';

const secrets = ['github-token', 'api-key', 'state-key'];

/**
 * The action's inputs by name, trimmed, as the runner hands them over in INPUT_ variables (hyphens kept, upper case).
 * Secrets are masked in the log and deleted from the environment, where children and crash reports would see them
 *: they can be read once.
 */
export function readInputs(environment: NodeJS.ProcessEnv = process.env): Readonly<Record<string, string>> {
  const inputs: Record<string, string> = {};
  for (const [variable, value] of Object.entries(environment)) {
    if (!variable.startsWith('INPUT_') || value === undefined) continue;
    const name = variable.slice('INPUT_'.length).toLowerCase();
    inputs[name] = value.trim();
    if (secrets.includes(name)) hide(environment, variable);
  }
  return inputs;
}

function hide(environment: NodeJS.ProcessEnv, variable: string): void {
  mask([environment[variable]?.trim() ?? '']);
  delete environment[variable];
}

/** Has the runner take these values out of the log, also out of what later steps write. */
export function mask(values: readonly string[]): void {
  // The runner masks line by line.
  const lines = values.flatMap((value) => value.split(/\r?\n/)).map((line) => line.trim());
  for (const line of lines) if (line !== '') setSecret(line);
}
