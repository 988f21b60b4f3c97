import type { Definition } from './setting.ts';

/** Settings of what people may ask for in comments. All of them are the workflow's: nobody widens them from within a pull request. */
export const conversationDefinitions = {
  commands: {
    group: 'conversation',
    kind: 'choice',
    keepsFindings: true,
    default: 'write',
    choices: ['off', 'read', 'write', 'admin'],
    description:
      'Who may give commands in comments, such as `/postil review`: whoever has at least this permission in the repository. `read` is everybody on a public one. Dismissing and pausing always take `write`.',
    locked: true,
  },
  replies: {
    group: 'conversation',
    kind: 'boolean',
    keepsFindings: true,
    default: 'false',
    description: 'Answer replies to findings without a command, once each, to those who may give commands.',
    locked: true,
  },
  'max-commands': {
    group: 'conversation',
    kind: 'integer',
    keepsFindings: true,
    default: '30',
    minimum: 1,
    maximum: 1_000,
    description: 'Answers that this reviewer gives on one pull request at most.',
    locked: true,
  },
  'allow-bots': {
    group: 'conversation',
    kind: 'list',
    keepsFindings: true,
    description: 'Bots that may give commands as if they had `write`, one login per line, such as `my-app[bot]`.',
    locked: true,
  },
  command: {
    group: 'conversation',
    kind: 'string',
    keepsFindings: true,
    description: 'A command for a run that somebody starts by hand, such as `/postil review src/**`.',
    locked: true,
  },
} as const satisfies { readonly [name: string]: Definition };
