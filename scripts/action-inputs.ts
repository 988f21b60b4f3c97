/** The inputs of action.yml, from the one table of settings. */
import { definitions, isSettingName, settingNames } from '../src/core/settings/definitions.ts';
import type { Definition, SettingGroup } from '../src/core/settings/setting.ts';

/** Secrets are inputs too, and no settings: they are never printed or recorded. */
const secrets: { readonly [name: string]: Omit<ActionInput, 'required'> & { readonly group: SettingGroup } } = {
  'github-token': {
    group: 'other',
    description: 'GitHub token that reads the pull request and posts the review.',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of GitHub Actions, not of JavaScript.
    default: '${{ github.token }}',
  },
  'api-key': {
    group: 'common',
    description: 'Key of the model API. Empty: only the pattern rules run.',
    default: '',
  },
  'state-key': {
    group: 'other',
    description:
      'Random text of at least 20 characters. Signs what Postil remembers in its comments. With several lines the first one signs and all are accepted. Empty: derived from `api-key`. Without either, every review is a full one, nothing is approved, and declined findings come back.',
    default: '',
  },
};

export type ActionInput = { readonly description: string; readonly required: boolean; readonly default: string };

/**
 * Inputs have no default of their own in action.yml, apart from the token: the runner would hand it over as if somebody had
 * written it, and the config file could never speak. The default stands in the description.
 */
export function actionInputs(): { readonly [name: string]: ActionInput } {
  const settings = settingNames.map((name) => [name, input(name)] as const);
  return Object.fromEntries([
    ...Object.entries(secrets).map(
      ([name, { group: _, ...secret }]) => [name, { ...secret, required: false }] as const,
    ),
    ...settings,
  ]);
}

/** Where docs/inputs.md shows it. */
export function groupOf(name: string): SettingGroup | undefined {
  return isSettingName(name) ? definitions[name].group : secrets[name]?.group;
}

function input(name: string): ActionInput {
  if (!isSettingName(name)) throw new Error(`${name} is no setting`);
  const { description, default: initial = '' }: Definition = definitions[name];
  const said = initial === '' ? '' : ` Default: ${initial.split('\n').join(', ')}.`;
  const choices = choicesOf(name);
  return { description: `${description}${choices}${said}`, required: false, default: '' };
}

function choicesOf(name: keyof typeof definitions): string {
  const definition = definitions[name];
  return 'choices' in definition ? ` One of ${definition.choices.join(', ')}.` : '';
}
