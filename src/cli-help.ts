import { flagNames } from './cli-arguments.ts';
import { definitions } from './core/settings/definitions.ts';

/** What `postil --help` prints. */
export function helpText(version: string): string {
  const width = Math.max(...flagNames.map((name) => name.length));
  const flags = flagNames.map((name) => {
    const { description, default: initial } = definitions[name];
    const said = initial === '' ? '' : ` [${initial.split('\n').join(', ')}]`;
    return `  --${name.padEnd(width)}  ${description}${said}`;
  });
  return `Postil ${version}: reviews the commits between two revisions of the repository you are in.

  postil review --base HEAD~1            the last commit
  postil review --base origin/main       this branch
  postil replay FILE                     a recorded review again, from its transcript
  postil replay                          the demonstration
  postil init                            writes a workflow, a config file and a rule at its root; nothing that is there is touched
  postil rules                           lists the rules of this repository and runs their examples
  postil learn                           proposes standing answers from what people turned down, as a patch

  --base ${''.padEnd(width - 5)}   Revision to compare with; the diff starts where head left it.
  --head ${''.padEnd(width - 5)}   Revision to review. [HEAD]
  --directory ${''.padEnd(width - 10)}   Any folder of the repository. [.]
  --no-agent ${''.padEnd(width - 9)}   One model call per batch: --profile=follow-up --allow-follow-up=false.

With OPENAI_API_KEY, or POSTIL_API_KEY and POSTIL_BASE_URL, in the environment a model reviews; without a key the pattern
rules do. Uncommitted changes are no part of a review. Nothing is written anywhere but where you name a file.

Settings, also as POSTIL_… variables and, but for files and addresses, in .postil/config.yml at the base commit:

${flags.join('\n')}

postil learn reads the review threads of merged pull requests with GITHUB_TOKEN, and writes nothing:

  --last ${''.padEnd(width - 5)}   So many pull requests that were merged, 100 at most. [20]
  --since ${''.padEnd(width - 6)}   Those that were merged in so many days instead, such as 30d.
  --pull-request ${''.padEnd(width - 13)}   This one alone instead.
  --repository ${''.padEnd(width - 11)}   owner/name. [that of the remote origin]
  --author ${''.padEnd(width - 7)}   Login that Postil posts as. [github-actions[bot]]

Exit code: 0 fine, 1 findings at or above --fail-on, or with --require-complete
something that was not reviewed, 2 usage or configuration, 3 the review failed.
`;
}
