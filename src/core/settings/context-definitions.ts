import type { Definition } from './definition.ts';
import { pathInstructionsProblem } from './path-instructions.ts';

/** Names of guidance where nobody chose any. */
export const defaultGuidance: readonly string[] = ['AGENTS.md', 'REVIEW.md'];

/** Settings of what the model is told beside the diff. */
export const contextDefinitions = {
  'allow-follow-up': {
    kind: 'boolean',
    default: 'true',
    description:
      'In profile `follow-up`: let the model ask once for lines of the changed files or the code around them, and look again.',
  },
  'max-follow-up-tokens': {
    kind: 'integer',
    default: '2000',
    minimum: 100,
    maximum: 20_000,
    description: 'Tokens of source that a follow-up shows.',
    limit: true,
  },
  guidance: {
    kind: 'list',
    default: defaultGuidance.join('\n'),
    description:
      "Names of files with the team's words to reviewers, one a line, looked for from the root down to the changed files at the base commit. `none` for none.",
  },
  'path-instructions': {
    kind: 'list',
    default: '',
    description: 'What to look at in some files, one a line: `src/api/**: Every handler checks the session.`',
    pairs: true,
    problem: pathInstructionsProblem,
  },
  memory: {
    kind: 'boolean',
    default: 'true',
    description: "Give the model the team's standing answers in `.postil/memory.md`, read at the base commit.",
  },
  knowledge: {
    kind: 'list',
    default: 'docs/**\n*.md\n**/adr/**\n**/adrs/**\n**/decisions/**',
    description: 'Globs of documents that the model may search, one a line, read at the base commit. `none` for none.',
  },
  'embeddings-model': {
    kind: 'string',
    default: '',
    description:
      'Model at the same `base-url` that compares documents with what is searched by meaning. Empty: by words alone.',
  },
  vision: {
    kind: 'boolean',
    default: 'false',
    description:
      'Show the model changed PNG, JPEG, WebP and GIF files before and after, and let it ask for others. Needs a model that takes images.',
  },
  'image-detail': {
    kind: 'choice',
    default: 'low',
    choices: ['low', 'high'],
    description:
      'How closely the model looks at an image: `low` costs up to 630 input tokens each, `high` up to 3,779.',
  },
} as const satisfies { readonly [name: string]: Definition };
