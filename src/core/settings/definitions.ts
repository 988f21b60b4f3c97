import { fileKinds, isFileKind } from '../pull-request/file-kinds.ts';
import { withoutEnd } from '../text.ts';
import { conversationDefinitions } from './conversation-definitions.ts';
import { fileDefinitions } from './files.ts';
import { globsProblem } from './formats.ts';
import {
  contextDefinitions,
  costDefinitions,
  deliveryDefinitions,
  endpointDefinitions,
  verificationDefinitions,
} from './more-definitions.ts';
import { filterDefinitions, upkeepDefinitions } from './pull-request-definitions.ts';
import { type Definition, severities } from './setting.ts';
import { configProblem, usualConfig } from './shared-config.ts';

const profileNames = ['offline', 'follow-up', 'quick', 'balanced', 'thorough', 'deep'] as const;

/** What a profile decides. `offline` makes no model call; `follow-up` one per batch without reading tools, and at most one more. */
type Profile = {
  readonly maxIterations: number;
  /** Whether findings are checked in a call of their own. */
  readonly verify: boolean;
  /** Independent reviews of everything. */
  readonly passes: number;
  readonly filesPerBatch: number;
};

export const profiles: { readonly [name in (typeof profileNames)[number]]: Profile } = {
  offline: { maxIterations: 0, verify: false, passes: 1, filesPerBatch: 30 },
  'follow-up': { maxIterations: 0, verify: false, passes: 1, filesPerBatch: 10 },
  quick: { maxIterations: 3, verify: false, passes: 1, filesPerBatch: 30 },
  balanced: { maxIterations: 8, verify: true, passes: 1, filesPerBatch: 30 },
  thorough: { maxIterations: 15, verify: true, passes: 1, filesPerBatch: 30 },
  deep: { maxIterations: 25, verify: true, passes: 3, filesPerBatch: 30 },
};

/** The model that reviews when none is named. */
const defaultModel = 'gpt-6.1-terra';
const openAiBaseUrl = 'https://api.openai.com/v1';

export const definitions = {
  model: { group: 'common', kind: 'string', default: defaultModel, description: 'Model that reviews the change.' },
  'base-url': {
    group: 'common',
    kind: 'string',
    default: openAiBaseUrl,
    description: 'Base URL of the model API. Must use https, except on loopback and private hosts.',
    locked: true,
    keepsFindings: true,
    read: ([url = '']) => withoutEnd(url, /\//),
  },
  api: {
    group: 'server',
    kind: 'choice',
    keepsFindings: true,
    default: 'auto',
    choices: ['auto', 'responses', 'chat'],
    description:
      'API of the model server. `auto` uses Responses for OpenAI and Chat Completions elsewhere, and switches when the server does not support it.',
    locked: true,
  },
  ...endpointDefinitions,
  profile: {
    group: 'common',
    kind: 'choice',
    default: 'thorough',
    choices: profileNames,
    description:
      'Depth of the review, cheapest first. `offline`: only the pattern rules, without a model. `follow-up`: one model call per batch, and a second one when the model asks for more lines. `quick`: at most 3 iterations per batch. `balanced`: at most 8, and findings are verified. `thorough`: at most 15, verified. `deep`: at most 25, the same in three passes.',
  },
  'max-iterations': {
    group: 'depth',
    kind: 'integer',
    default: '0',
    minimum: 0,
    maximum: 25,
    description:
      'Maximum iterations per batch. An iteration is one model call that offers the reading tools. 0 uses the number of the profile.',
    limit: true,
  },
  'max-tokens': {
    group: 'limits',
    kind: 'integer',
    keepsFindings: true,
    minimum: 256,
    maximum: 128_000,
    description: 'Maximum output tokens per model call. Empty: 4,096 or 16,384, depending on API and model.',
    limit: true,
  },
  'max-total-tokens': {
    group: 'limits',
    kind: 'integer',
    keepsFindings: true,
    default: '500000',
    minimum: 1_000,
    maximum: 1_000_000_000,
    description: 'Maximum tokens of the whole run: input (cached included) plus output.',
    limit: true,
  },
  ...costDefinitions,
  'timeout-minutes': {
    group: 'limits',
    kind: 'number',
    keepsFindings: true,
    default: '15',
    minimum: 0.1,
    maximum: 360,
    description:
      'Time limit of the whole run, in minutes. The last 15 % of it, at least 60 seconds, is kept for delivering the results.',
    limit: true,
  },
  temperature: {
    group: 'server',
    kind: 'number',
    minimum: 0,
    maximum: 2,
    description:
      'Sampling temperature. Empty: 0.2 for Chat Completions on hosts other than OpenAI, otherwise not sent.',
  },
  concurrency: {
    group: 'limits',
    kind: 'integer',
    keepsFindings: true,
    default: '4',
    minimum: 1,
    maximum: 16,
    description: 'Number of batches that are reviewed at the same time.',
    limit: true,
  },
  'files-per-batch': {
    group: 'limits',
    kind: 'integer',
    keepsFindings: true,
    default: '0',
    minimum: 0,
    maximum: 100,
    description: 'Maximum files per batch. 0 uses the number of the profile: 10 in `follow-up`, otherwise 30.',
  },
  'batch-tokens': {
    group: 'limits',
    kind: 'integer',
    keepsFindings: true,
    default: '0',
    minimum: 0,
    maximum: 24_000,
    description:
      'Maximum tokens of diff per batch, for models with a small context: a quarter of it leaves room for what the model reads. 0 uses 5 % of `max-total-tokens`, between 2,000 and 24,000.',
  },
  include: {
    group: 'files',
    kind: 'list',
    description:
      'Files to review: globs, one per line. Lock files and vendored, minified or generated files that it names are read, too. Empty: all files.',
    problem: globsProblem,
  },
  exclude: {
    group: 'common',
    kind: 'list',
    description: 'Files to leave out: globs, one per line. The pattern rules skip them too.',
    problem: globsProblem,
  },
  'skip-kinds': {
    group: 'files',
    kind: 'list',
    description: `Kinds of files that need no review, separated by lines, commas or spaces: ${fileKinds.join(', ')}. The model does not read these kinds. A changed file of a kind that is not named here prevents an approval and the outcome \`clean\`.`,
    problem: (items) => {
      const unknown = wordsOf(items).find((item) => !isFileKind(item));
      return unknown === undefined ? null : `some of ${fileKinds.join(', ')}, and not ${unknown}`;
    },
    read: (items) => wordsOf(items).filter(isFileKind),
  },
  'skip-authors': {
    group: 'files',
    kind: 'list',
    keepsFindings: true,
    default: 'dependabot[bot]\nrenovate[bot]',
    description:
      'Authors whose pull requests are skipped, one per line, as long as they wrote every commit. `none` reviews all authors, as a gate with `require-complete` needs.',
  },
  'review-drafts': {
    group: 'files',
    kind: 'boolean',
    keepsFindings: true,
    default: 'false',
    description: 'Also review draft pull requests.',
  },
  ...filterDefinitions,
  'min-severity': {
    group: 'findings',
    kind: 'choice',
    keepsFindings: true,
    default: 'info',
    choices: severities,
    description: 'Findings below this severity appear only in the summary; the command line counts them.',
  },
  'min-confidence': {
    group: 'findings',
    kind: 'number',
    keepsFindings: true,
    default: '0',
    minimum: 0,
    maximum: 1,
    description:
      "Findings below this confidence appear only in the summary. A model's own confidence is a weak signal.",
  },
  'max-comments': {
    group: 'findings',
    kind: 'integer',
    keepsFindings: true,
    default: '15',
    minimum: 0,
    maximum: 100,
    description: 'Maximum review comments, most important first. The others appear only in the summary.',
  },
  'fail-on': {
    group: 'common',
    kind: 'choice',
    keepsFindings: true,
    default: 'never',
    choices: ['never', ...[...severities].reverse()],
    description: 'Fail when a finding is at least this severe.',
  },
  'require-complete': {
    group: 'findings',
    kind: 'boolean',
    keepsFindings: true,
    default: 'false',
    description: 'Fail when any part of the change was not reviewed, whatever the reason.',
  },
  ...verificationDefinitions,
  ...deliveryDefinitions,
  ...upkeepDefinitions,
  ...conversationDefinitions,
  language: {
    group: 'findings',
    kind: 'string',
    default: 'English',
    description:
      'Language of the model, and of all that Postil writes on a pull request: German, French, Spanish, Portuguese, Japanese, Chinese. In others, Postil itself writes English.',
  },
  ...contextDefinitions,
  'deny-paths': {
    group: 'files',
    kind: 'list',
    description:
      'Files that the model may not read: globs, one per line. Added to the built-in list (`.env`, keys, credentials). A line with blanks or commas counts as one glob and as several, and is an error where it matches no file.',
    problem: globsProblem,
  },
  ...fileDefinitions,
  'pull-request': {
    group: 'other',
    kind: 'integer',
    keepsFindings: true,
    minimum: 1,
    maximum: 2_147_483_647,
    description: 'Number of the pull request to review. Empty: the pull request of the event.',
    locked: true,
  },
  config: {
    group: 'other',
    kind: 'string',
    default: usualConfig,
    description:
      'Path of the config file, read at the base commit. Or the one of another repository, with rules and guidance beside it: `owner/repository@ref:path`, where `ref` is a tag or a full commit hash.',
    locked: true,
    problem: configProblem,
  },
} as const satisfies { readonly [name: string]: Definition };

/** Items of a list of single words, which may share a line. */
function wordsOf(items: readonly string[]): readonly string[] {
  return items.flatMap((item) => item.split(/[\s,]+/)).filter((word) => word !== '');
}

export type SettingName = keyof typeof definitions;
export const settingNames = Object.keys(definitions).filter(isSettingName);

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(definitions, name);
}
