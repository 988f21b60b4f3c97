import type { Definition } from './definition.ts';
import { pathInstructionsProblem } from './path-instructions.ts';

/** Names of guidance where nobody chose any. */
export const defaultGuidance: readonly string[] = ['AGENTS.md', 'REVIEW.md'];

/** Settings of what the model sees beside the diff. */
export const contextDefinitions = {
  'allow-follow-up': {
    kind: 'boolean',
    default: 'true',
    description:
      'In the profile `follow-up`, let the model ask once for more lines of the changed files or the code around them.',
  },
  'max-follow-up-tokens': {
    kind: 'integer',
    default: '2000',
    minimum: 100,
    maximum: 20_000,
    description: 'Maximum tokens of source code that a follow-up shows.',
    limit: true,
  },
  guidance: {
    kind: 'list',
    default: defaultGuidance.join('\n'),
    description:
      'Names of guidance files for reviewers, one per line. Read at the base commit, from the root down to the folders of the changed files. `none` reads no guidance.',
  },
  'path-instructions': {
    kind: 'list',
    default: '',
    description: 'Instructions for certain files, one per line: `src/api/**: Every handler checks the session.`',
    pairs: true,
    problem: pathInstructionsProblem,
  },
  memory: {
    kind: 'boolean',
    default: 'true',
    description: 'Give the model the answers in `.postil/memory.md`, read at the base commit.',
  },
  knowledge: {
    kind: 'list',
    default: 'docs/**\n*.md\n**/adr/**\n**/adrs/**\n**/decisions/**',
    description:
      'Documents that the model may search: globs, one per line. Read at the base commit. `none` turns the search off.',
  },
  'embeddings-model': {
    kind: 'string',
    default: '',
    description:
      'Embeddings model at the same `base-url`, to search documents by meaning. Empty: search by words only.',
  },
  vision: {
    kind: 'boolean',
    default: 'false',
    description:
      'Show the model changed PNG, JPEG, WebP and GIF files before and after the change, and let it open other images. Needs a model that accepts images.',
  },
  'image-detail': {
    kind: 'choice',
    default: 'low',
    choices: ['low', 'high'],
    description: 'Resolution of images: `low` costs up to 630 input tokens per image, `high` up to 3,779.',
  },
} as const satisfies { readonly [name: string]: Definition };
