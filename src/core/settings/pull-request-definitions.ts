import { globsProblem } from './formats.ts';
import { labelRulesProblem, readLabelRules } from './label-rules.ts';
import type { Definition } from './setting.ts';

/** Settings of which pull requests are reviewed. */
export const filterDefinitions = {
  'trigger-label': {
    group: 'files',
    kind: 'string',
    keepsFindings: true,
    description: 'Review only pull requests with this label. Empty: all of them.',
  },
  'ignore-labels': {
    group: 'files',
    kind: 'list',
    keepsFindings: true,
    description: 'Labels whose pull requests are skipped, one per line. `*` stands for any text.',
  },
  'ignore-titles': {
    group: 'files',
    kind: 'list',
    keepsFindings: true,
    description:
      'Texts in titles of pull requests that are skipped, one per line, in upper or lower case. `[skip postil]` always is one.',
  },
  'base-branches': {
    group: 'files',
    kind: 'list',
    keepsFindings: true,
    description:
      'Base branches whose pull requests are reviewed: globs, one per line, such as `release/**`. In a stack its base counts, too. Empty: all of them.',
    problem: globsProblem,
  },
} as const satisfies { readonly [name: string]: Definition };

/** Settings of what Postil keeps up to date on the pull request itself. */
export const upkeepDefinitions = {
  labels: {
    group: 'findings',
    kind: 'list',
    keepsFindings: true,
    description:
      'Labels that Postil sets and removes, one per line, each with its condition: `needs-security-review: security >= warning`, `size/XL: changed > 1000`.',
    pairs: true,
    problem: labelRulesProblem,
    read: readLabelRules,
  },
  describe: {
    group: 'findings',
    kind: 'boolean',
    keepsFindings: true,
    default: 'false',
    description:
      'Write the walkthrough into the description of the pull request, where that is empty or already holds it. Needs `walkthrough`.',
  },
} as const satisfies { readonly [name: string]: Definition };
