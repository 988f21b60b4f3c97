import { defaultGuidance } from '../pull-request/file-kinds.ts';
import {
  bodyProblem,
  globsProblem,
  headersProblem,
  parsePricing,
  pathInstructionsProblem,
  queryProblem,
  readBody,
  readHeaders,
  readPathInstructions,
  readQuery,
} from './formats.ts';
import type { Definition } from './setting.ts';

/** Settings of how the model's server is spoken to. */
export const endpointDefinitions = {
  'reasoning-effort': {
    group: 'server',
    kind: 'string',
    description: "Reasoning effort of the model, such as `low` or `high`. Empty: the model's default.",
  },
  stream: {
    group: 'server',
    kind: 'boolean',
    keepsFindings: true,
    default: 'true',
    description: 'Stream the answers where the server supports it. The log then shows progress.',
  },
  'extra-headers': {
    group: 'server',
    kind: 'list',
    keepsFindings: true,
    description: 'Extra HTTP headers for the model server, one per line: `Name: value`. Values are masked in logs.',
    locked: true,
    problem: headersProblem,
    read: readHeaders,
  },
  'extra-query': {
    group: 'server',
    kind: 'list',
    description: 'Extra query parameters for the model server, one per line: `name=value`.',
    locked: true,
    problem: queryProblem,
    read: readQuery,
  },
  'extra-body': {
    group: 'server',
    kind: 'string',
    description: 'Extra fields for the body of every model call, as a JSON object.',
    locked: true,
    problem: ([text = '']) => bodyProblem(text),
    read: ([text = '']) => readBody(text),
  },
} as const satisfies { readonly [name: string]: Definition };

/** Settings of what a review may cost. */
export const costDefinitions = {
  'max-cost': {
    group: 'limits',
    kind: 'number',
    keepsFindings: true,
    minimum: 0.001,
    maximum: 100_000,
    description:
      'Cost limit of the whole run in US$. Needs `pricing`. A call starts only when the rest of the limit covers it. Empty: no limit.',
    limit: true,
  },
  pricing: {
    group: 'limits',
    kind: 'list',
    keepsFindings: true,
    description:
      'US$ per million tokens: `input=1,cached=0.05,output=5`. For one model only: `name: input=…`. One per line.',
    locked: true,
    problem: (lines) => parsePricing(lines).problems[0] ?? null,
    read: (lines) => parsePricing(lines).pricing,
  },
} as const satisfies { readonly [name: string]: Definition };

/** Settings of how findings are checked. */
export const verificationDefinitions = {
  verify: {
    group: 'depth',
    kind: 'choice',
    default: 'auto',
    choices: ['auto', 'true', 'false'],
    description:
      'Verify findings in a separate model call before posting them. `auto` verifies in the profiles `balanced`, `thorough` and `deep`.',
  },
  'verify-model': {
    group: 'depth',
    kind: 'string',
    description: 'Model that verifies the findings, at the same `base-url`. Empty: the same as `model`.',
  },
  passes: {
    group: 'depth',
    kind: 'integer',
    default: '0',
    minimum: 0,
    maximum: 5,
    description:
      'Number of independent reviews of each batch. A finding of only one of them is kept when verification confirms it. 0 uses the number of the profile: 3 in `deep`, otherwise 1.',
    limit: true,
  },
  reflect: {
    group: 'written',
    kind: 'boolean',
    keepsFindings: true,
    default: 'false',
    description:
      'Ask the model to assess the run in one more call after delivery. The answer goes to `report-file` and `transcript-file`.',
  },
} as const satisfies { readonly [name: string]: Definition };
/** Settings of what the model sees beside the diff. */
export const contextDefinitions = {
  'allow-follow-up': {
    group: 'depth',
    kind: 'boolean',
    default: 'true',
    description:
      'In the profile `follow-up`, let the model ask once for more lines of the changed files or the code around them.',
  },
  'max-follow-up-tokens': {
    group: 'depth',
    kind: 'integer',
    default: '2000',
    minimum: 100,
    maximum: 20_000,
    description: 'Maximum tokens of source code that a follow-up shows.',
    limit: true,
  },
  guidance: {
    group: 'context',
    kind: 'list',
    default: defaultGuidance.join('\n'),
    description:
      'Names of guidance files for reviewers, one per line. Read at the base commit, from the root down to the folders of the changed files. `none` reads no guidance.',
  },
  'path-instructions': {
    group: 'context',
    kind: 'list',
    description: 'Instructions for certain files, one per line: `src/api/**: Every handler checks the session.`',
    pairs: true,
    problem: pathInstructionsProblem,
    read: readPathInstructions,
  },
  memory: {
    group: 'context',
    kind: 'boolean',
    default: 'true',
    description: 'Give the model the answers in `.postil/memory.md`, read at the base commit.',
  },
  knowledge: {
    group: 'context',
    kind: 'list',
    default: 'docs/**\n*.md\n**/adr/**\n**/adrs/**\n**/decisions/**',
    description:
      'Documents that the model may search: globs, one per line. Read at the base commit. `none` turns the search off.',
    problem: globsProblem,
  },
  'embeddings-model': {
    group: 'context',
    kind: 'string',
    description:
      'Embeddings model at the same `base-url`, to search documents by meaning. Empty: search by words only.',
  },
  vision: {
    group: 'context',
    kind: 'boolean',
    default: 'false',
    description:
      'Show the model changed PNG, JPEG, WebP and GIF files before and after the change, and let it open other images. Needs a model that accepts images.',
  },
  'image-detail': {
    group: 'context',
    kind: 'choice',
    default: 'low',
    choices: ['low', 'high'],
    description: 'Resolution of images: `low` costs up to 630 input tokens per image, `high` up to 3,779.',
  },
} as const satisfies { readonly [name: string]: Definition };

/** Settings of what is posted, and where. */
export const deliveryDefinitions = {
  'review-event': {
    group: 'findings',
    kind: 'choice',
    keepsFindings: true,
    default: 'comment',
    choices: ['comment', 'request-changes', 'approve'],
    description:
      'Strongest review that Postil may submit. `request-changes` blocks the pull request when the model asks for changes and has a finding, until a complete review leaves no warning or critical finding open. `approve` may also approve.',
    locked: true,
  },
  name: {
    group: 'findings',
    kind: 'string',
    keepsFindings: true,
    description: "Name of this reviewer. Postil recognizes its own comments by it. Empty: the workflow's name.",
  },
  mode: {
    group: 'other',
    kind: 'choice',
    keepsFindings: true,
    default: 'review-and-post',
    choices: ['review-and-post', 'plan', 'review', 'post'],
    description:
      'A review in several jobs. For forks two: `review` writes only `review-file`; `post` reads it and posts without a model. For large changes `plan` comes first: it divides the change into shards, one `review` job each.',
    locked: true,
  },
  shard: {
    group: 'other',
    kind: 'string',
    keepsFindings: true,
    description:
      'For `mode: review`: which part of the plan this job reviews, such as `3/8`: an item of the output `shards`.',
    locked: true,
  },
  'max-shards': {
    group: 'limits',
    kind: 'integer',
    keepsFindings: true,
    default: '16',
    minimum: 1,
    maximum: 256,
    description: 'For `mode: plan`: most jobs that a review is divided over. What the run may take is divided with it.',
    limit: true,
  },
  'shard-tokens': {
    group: 'limits',
    kind: 'integer',
    keepsFindings: true,
    default: '1000000',
    minimum: 1_000,
    maximum: 1_000_000_000,
    description:
      'For `mode: plan`: tokens that one job is for, as estimated. A million takes about five minutes; a job takes half a minute to start.',
  },
  comments: {
    group: 'findings',
    keepsFindings: true,
    kind: 'boolean',
    default: 'true',
    description: 'Post a pull request review.',
  },
  annotations: {
    group: 'findings',
    kind: 'choice',
    keepsFindings: true,
    default: 'true',
    choices: ['true', 'false', 'auto'],
    description: 'Write check annotations. `auto` leaves out findings that have a comment on their lines.',
  },
  'check-run': {
    group: 'findings',
    kind: 'boolean',
    keepsFindings: true,
    default: 'false',
    description: 'Create a check run whose conclusion follows `fail-on`. Needs `checks: write`.',
  },
  walkthrough: {
    group: 'findings',
    kind: 'boolean',
    keepsFindings: true,
    default: 'true',
    description:
      'Ask the model for one line about each group of related files: what changes and what it checked. Shown in the summary comment, the job summary and the reports.',
  },
  incremental: {
    group: 'findings',
    kind: 'boolean',
    keepsFindings: true,
    default: 'true',
    description: 'Review only what was not reviewed before with the same content.',
  },
  'late-findings': {
    group: 'findings',
    kind: 'choice',
    keepsFindings: true,
    default: 'auto',
    choices: ['auto', 'warning', 'critical', 'all'],
    description:
      'From which severity on a finding gets a comment that a later reading makes on unchanged code. `auto`: warning at the second reading of a file, critical from the third on. Never above `fail-on`; rules are always raised.',
  },
  'dry-run': {
    group: 'findings',
    kind: 'boolean',
    keepsFindings: true,
    default: 'false',
    description: 'Do everything except write to GitHub.',
  },
} as const satisfies { readonly [name: string]: Definition };
