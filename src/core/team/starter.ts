import { actionReference, pageName, referenceComment, schemaAddress } from '../addresses.ts';

export const starterWorkflow = '.github/workflows/postil.yml';

type StarterFile = { readonly path: string; readonly text: string };

/** What `postil init` writes: a workflow, a config file and a rule to begin with. `action` is what the workflow uses. */
export function starterFiles(action: string | null = null): readonly StarterFile[] {
  const uses = action ?? `${actionReference()} # ${referenceComment()}`;
  const schema = schemaAddress();
  return [
    {
      path: starterWorkflow,
      text: `# Pull requests from forks get no secrets: ${pageName('forks.md')}
name: Review
on: { pull_request: { types: [opened, synchronize, reopened, ready_for_review] } }
permissions:
  contents: read
  pull-requests: write
  issues: read # this and the next two: linked issues and CI results, in private repositories
  checks: read
  statuses: read
concurrency: { group: "postil-review-\${{ github.event.pull_request.number }}", cancel-in-progress: true }
jobs:
  postil:
    if: github.event.pull_request.head.repo.full_name == github.repository
    runs-on: ubuntu-latest
    steps:
      - uses: ${uses}
        with:
          name: Postil
          api-key: \${{ secrets.OPENAI_API_KEY }}
          state-key: \${{ secrets.POSTIL_STATE_KEY }}
          skip-kinds: lock-files images
`,
    },
    {
      path: '.postil/config.yml',
      text: `${schema === null ? '' : `# yaml-language-server: $schema=${schema}\n`}# Read at the base commit of each pull request. All settings: ${pageName('inputs.md')}
# This file can lower a limit, but not raise it.
# profile: balanced
# exclude: ["**/*.generated.ts"]
# path-instructions:
#   - "src/api/**: Every handler checks the session before it reads the body."
max-comments: 15
`,
    },
    {
      path: '.postil/rules/no-console-log.md',
      text: `---
id: no-console-log
title: "Debug output is left in"
severity: info
category: maintainability
paths:
  - 'src/**/*.{js,ts}'
pattern: '\\bconsole\\.(log|debug)\\('
---
Output for debugging goes before a change is merged: use the logger.

## Good

\`\`\`\`
logger.info('started');
\`\`\`\`

## Bad

\`\`\`\`
console.log('here');
\`\`\`\`
`,
    },
  ];
}
