import type { Definition } from './definition.ts';

/** Settings of what is posted, and where. */
export const deliveryDefinitions = {
  'review-event': {
    kind: 'choice',
    default: 'comment',
    choices: ['comment', 'request-changes', 'approve'],
    description:
      'The strongest event a review may have. `request-changes` blocks while findings ask for it; `approve` may approve as well.',
    locked: true,
  },
  name: {
    kind: 'string',
    default: '',
    description: "Name of this reviewer, by which it knows its own comments. Empty: the workflow's name.",
  },
  mode: {
    kind: 'choice',
    default: 'review-and-post',
    choices: ['review-and-post', 'review', 'post'],
    description:
      '`review` writes `review-file` and nothing to GitHub; `post` reads it and posts without a model: two jobs, for forks.',
    locked: true,
  },
  'review-file': {
    kind: 'string',
    default: '',
    description: 'File that hands a review from `mode: review` to `mode: post`.',
    locked: true,
  },
  comments: { kind: 'boolean', default: 'true', description: 'Post a pull request review.' },
  annotations: { kind: 'boolean', default: 'true', description: 'Write check annotations.' },
  'check-run': {
    kind: 'boolean',
    default: 'false',
    description: 'Make a check run of its own, whose conclusion follows `fail-on`. Needs `checks: write`.',
  },
  'sticky-comment': {
    kind: 'boolean',
    default: 'true',
    description: 'Keep one summary comment on the pull request, updated in place.',
  },
  incremental: {
    kind: 'boolean',
    default: 'true',
    description: 'On a push, review what changed since the last reviewed commit. Needs the sticky comment.',
  },
  'dry-run': { kind: 'boolean', default: 'false', description: 'Do everything but write to GitHub.' },
} as const satisfies { readonly [name: string]: Definition };
