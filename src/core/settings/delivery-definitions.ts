import type { Definition } from './definition.ts';

/** Settings of what is posted, and where. */
export const deliveryDefinitions = {
  'review-event': {
    kind: 'choice',
    default: 'comment',
    choices: ['comment', 'request-changes', 'approve'],
    description:
      'Strongest review that Postil may submit. `request-changes` blocks the pull request while findings require it; `approve` may also approve.',
    locked: true,
  },
  name: {
    kind: 'string',
    default: '',
    description: "Name of this reviewer. Postil recognizes its own comments by it. Empty: the workflow's name.",
  },
  mode: {
    kind: 'choice',
    default: 'review-and-post',
    choices: ['review-and-post', 'review', 'post'],
    description:
      'For forks, reviewing and posting can run in two jobs: `review` writes only `review-file`; `post` reads it and posts the review without a model.',
    locked: true,
  },
  'review-file': {
    kind: 'string',
    default: '',
    description: 'Path of the file that passes the review from `mode: review` to `mode: post`.',
    locked: true,
  },
  comments: { kind: 'boolean', default: 'true', description: 'Post a pull request review.' },
  annotations: { kind: 'boolean', default: 'true', description: 'Write check annotations.' },
  'check-run': {
    kind: 'boolean',
    default: 'false',
    description: 'Create a check run whose conclusion follows `fail-on`. Needs `checks: write`.',
  },
  'sticky-comment': {
    kind: 'boolean',
    default: 'true',
    description: 'Keep one summary comment on the pull request up to date.',
  },
  incremental: {
    kind: 'boolean',
    default: 'true',
    description:
      'After a push, review only what changed since the last reviewed commit. Needs the summary comment (`sticky-comment`).',
  },
  'dry-run': { kind: 'boolean', default: 'false', description: 'Do everything except write to GitHub.' },
} as const satisfies { readonly [name: string]: Definition };
