import { fileKinds, isFileKind } from '../pull-request/unreviewable.ts';
import { contextDefinitions } from './context-definitions.ts';
import type { Definition } from './definition.ts';
import { deliveryDefinitions } from './delivery-definitions.ts';
import { costDefinitions, endpointDefinitions, verificationDefinitions } from './model-definitions.ts';
import { profileNames } from './settings.ts';
import { severities } from './severity.ts';

/** The model that reviews when none is named. */
export const defaultModel = 'gpt-6.1-terra';
export const openAiBaseUrl = 'https://api.openai.com/v1';

export const definitions = {
  model: { kind: 'string', default: defaultModel, description: 'Model that reviews.' },
  'base-url': {
    kind: 'string',
    default: openAiBaseUrl,
    description: 'Where the model is served: https, or http on loopback and private hosts.',
    locked: true,
  },
  api: {
    kind: 'choice',
    default: 'auto',
    choices: ['auto', 'responses', 'chat'],
    description:
      'API to speak. `auto` takes Responses for OpenAI, Chat Completions elsewhere, and switches when refused.',
    locked: true,
  },
  ...endpointDefinitions,
  profile: {
    kind: 'choice',
    default: 'thorough',
    choices: profileNames,
    description:
      'How deep to look. `offline` runs the rules only, without a model; `follow-up` makes one model call a bundle, and one more when the model asks for lines.',
  },
  'max-iterations': {
    kind: 'integer',
    default: '0',
    minimum: 0,
    maximum: 25,
    description: 'Model calls with reading tools a bundle; 0 is the number of the profile.',
    limit: true,
  },
  'max-tokens': {
    kind: 'integer',
    default: '',
    minimum: 256,
    maximum: 128_000,
    description: 'Output tokens a model call. Empty chooses by API and model: 4,096 or 16,384.',
    limit: true,
  },
  'max-total-tokens': {
    kind: 'integer',
    default: '500000',
    minimum: 1_000,
    maximum: 1_000_000_000,
    description: 'Input (cached included) and output tokens of the whole run.',
    limit: true,
  },
  ...costDefinitions,
  'timeout-minutes': {
    kind: 'number',
    default: '15',
    minimum: 0.1,
    maximum: 360,
    description:
      'Minutes for the whole run. New work stops the larger of 60 s and 15 % earlier, so that what was found is delivered.',
    limit: true,
  },
  temperature: {
    kind: 'number',
    default: '',
    minimum: 0,
    maximum: 2,
    description: 'Sampling temperature. Empty: 0.2 on Chat Completions of hosts other than OpenAI, else not sent.',
  },
  concurrency: {
    kind: 'integer',
    default: '4',
    minimum: 1,
    maximum: 16,
    description: 'Bundles reviewed at once.',
    limit: true,
  },
  'files-per-batch': {
    kind: 'integer',
    default: '10',
    minimum: 1,
    maximum: 100,
    description: 'Files a bundle, at most.',
  },
  include: { kind: 'list', default: '', description: 'Globs of the files to review, one a line. Empty is all.' },
  exclude: {
    kind: 'list',
    default: '',
    description: 'Globs of files to leave out, one a line. The pattern rules do not look at them either.',
  },
  'skip-kinds': {
    kind: 'list',
    default: '',
    description: `Kinds of files to leave out, one a line, of those that no model reads anyway: ${fileKinds.join(', ')}. A changed file that is neither read nor left out forbids an approval, and the outcome is not \`clean\`.`,
    problem: (items) => {
      const unknown = wordsOf(items).find((item) => !isFileKind(item));
      return unknown === undefined ? null : `some of ${fileKinds.join(', ')}, and not ${unknown}`;
    },
  },
  'skip-authors': {
    kind: 'list',
    default: 'dependabot[bot]\nrenovate[bot]',
    description:
      'Authors whose pull requests are not reviewed, one a line, as long as every commit is theirs. `none` for nobody.',
  },
  'review-drafts': { kind: 'boolean', default: 'false', description: 'Review drafts too.' },
  'min-severity': {
    kind: 'choice',
    default: 'info',
    choices: severities,
    description: 'Findings below it go to the summary only.',
  },
  'min-confidence': {
    kind: 'number',
    default: '0',
    minimum: 0,
    maximum: 1,
    description:
      "Findings whose confidence is below it go to the summary only. A model's own confidence separates poorly.",
  },
  'max-comments': {
    kind: 'integer',
    default: '15',
    minimum: 0,
    maximum: 100,
    description: 'Review comments, most important first; the rest goes to the summary.',
  },
  'fail-on': {
    kind: 'choice',
    default: 'never',
    choices: ['never', ...[...severities].reverse()],
    description: 'The job fails when a finding is at least this severe.',
  },
  'require-complete': {
    kind: 'boolean',
    default: 'false',
    description: 'The job fails when anything of the change was not read or not reviewed, whatever the reason.',
  },
  ...verificationDefinitions,
  ...deliveryDefinitions,
  language: { kind: 'string', default: 'English', description: 'Language of the findings.' },
  ...contextDefinitions,
  'deny-paths': {
    kind: 'list',
    default: '',
    description: 'Globs of files that the model may not read, one a line, beside `.env`, keys and credentials.',
  },
  'report-file': {
    kind: 'string',
    default: '',
    description: 'Write the whole review as JSON to this file.',
    locked: true,
  },
  'sarif-file': {
    kind: 'string',
    default: '',
    description: 'Write the findings as SARIF 2.1.0 to this file, for github/codeql-action/upload-sarif.',
    locked: true,
  },
  'progress-file': {
    kind: 'string',
    default: '',
    description: 'Write progress events as JSON lines to this file.',
    locked: true,
  },
  'transcript-file': {
    kind: 'string',
    default: '',
    description: 'Record the whole run in this file, for `postil replay`. It holds source of the repository.',
    locked: true,
  },
  'pull-request': {
    kind: 'integer',
    default: '',
    minimum: 1,
    maximum: 2_147_483_647,
    description: "Number of the pull request, when it is not the event's.",
    locked: true,
  },
  config: {
    kind: 'string',
    default: '.postil/config.yml',
    description: 'Path of the config file, read at the base commit.',
    locked: true,
  },
} as const satisfies { readonly [name: string]: Definition };

/** Items of a list of single words, which may share a line. */
export function wordsOf(items: readonly string[]): readonly string[] {
  return items.flatMap((item) => item.split(/[\s,]+/)).filter((word) => word !== '');
}

export type SettingName = keyof typeof definitions;
export const settingNames = Object.keys(definitions).filter(isSettingName);

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(definitions, name);
}
