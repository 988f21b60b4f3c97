import { docsAddress, schemaAddress } from '../text.ts';
/** What `postil init` writes: a workflow, a config file and a rule to begin with. */
export const starterFiles: readonly { readonly path: string; readonly text: string }[] = [
  {
    path: '.github/workflows/postil.yml',
    text: `# Pull requests from forks get no secrets: ${docsAddress}/forks.md
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
      - uses: postil/postil@v0 # better: the full commit hash
        with:
          name: Postil
          api-key: \${{ secrets.OPENAI_API_KEY }}
          state-key: \${{ secrets.POSTIL_STATE_KEY }}
          skip-kinds: lock-files images
`,
  },
  {
    path: '.postil/config.yml',
    text: `# yaml-language-server: $schema=${schemaAddress}
# Read at the base commit of each pull request. All settings: ${docsAddress}/inputs.md
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
