import { setSecret } from '@actions/core';

const secrets = ['github-token', 'api-key'];

/**
 * The action's inputs by name, trimmed, as the runner hands them over in INPUT_ variables (hyphens kept, upper case).
 * Secrets are masked in the log and deleted from the environment, where children and crash reports would see them
 * (FAILURES, Security 2): they can be read once.
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
  const value = environment[variable]?.trim() ?? '';
  if (value !== '') setSecret(value);
  delete environment[variable];
}
