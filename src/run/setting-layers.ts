import { isSettingName, settingNames } from '../core/settings/definitions.ts';
import type { Layer } from '../core/settings/parse-settings.ts';
import { nearest } from '../core/settings/setting.ts';

const variablePrefix = 'POSTIL_';
const secretVariables = ['POSTIL_API_KEY', 'POSTIL_STATE_KEY'];

/** Settings from variables such as POSTIL_MAX_COMMENTS. Misspelled ones are reported, and those of settings that are `unused` here. */
export function environmentLayer(environment: NodeJS.ProcessEnv, unused: readonly string[] = []): TrustedLayer {
  const values: Record<string, string> = {};
  const notes: string[] = [];
  for (const [variable, value] of Object.entries(environment)) {
    if (!variable.startsWith(variablePrefix) || secretVariables.includes(variable)) continue;
    const name = variable.slice(variablePrefix.length).toLowerCase().replaceAll('_', '-');
    if (unused.includes(name)) {
      notes.push(
        `${variable} has no effect: '${name}' is an input of the action, and the command line has no use for it.`,
      );
    } else if (isSettingName(name)) values[name] = value ?? '';
    else notes.push(unknownName(`variable ${variable}`, { name, spell: variableOf }));
  }
  return { layer: { where: 'environment (POSTIL_…)', trusted: true, values }, notes };
}

type TrustedLayer = { readonly layer: Layer; readonly notes: readonly string[] };

/** Inputs as a layer. The runner hands over whatever a workflow wrote, misspelled names too: those are reported, not obeyed. */
export function inputLayer(inputs: Readonly<Record<string, string>>): TrustedLayer {
  const values = Object.fromEntries(Object.entries(inputs).filter(([name]) => isSettingName(name)));
  const unknown = Object.keys(inputs).filter((name) => !isSettingName(name));
  const notes = unknown.map((name) => unknownName(`input '${name}'`, { name, spell: (guess) => guess }));
  return { layer: { where: 'input', trusted: true, values }, notes };
}

function unknownName(written: string, { name, spell }: { name: string; spell: (name: string) => string }): string {
  const guess = nearest(name, settingNames);
  return `Postil has no ${written}${guess === null ? '.' : `; did you mean '${spell(guess)}'?`}`;
}

function variableOf(name: string): string {
  return `${variablePrefix}${name.toUpperCase().replaceAll('-', '_')}`;
}
