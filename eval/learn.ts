import { defineCommand, directory, directoryIn, flag, matching } from '../src/cli/command.ts';

export const learn = defineCommand({
  name: 'learn',
  about:
    'Propose standing answers from declined findings of merged pull requests, as a patch on stdout. Needs GITHUB_TOKEN.',
  flags: [
    flag(
      'last N',
      'The last N merged pull requests, at most 100. [20]',
      matching('a number from 1 to 100', /^(?:[1-9]\d?|100)$/),
    ),
    flag('repository NAME', 'owner/name. [that of the remote origin]', matching('owner/name', /^[\w-]+\/[\w.-]+$/)),
    flag(
      'author LOGIN',
      'Login that Postil posts as. [github-actions[bot]]',
      matching('a login, such as github-actions[bot]', /^[\w-]+(?:\[bot\])?$/),
    ),
    directory,
  ],
  read: (given) => ({
    directory: directoryIn(given),
    repository: given.text('repository'),
    author: given.text('author') ?? 'github-actions[bot]',
    last: Number(given.text('last') ?? 20),
  }),
  // GitHub's client is large.
  run: async (asked) => (await import(/* webpackMode: "eager" */ './propose-answers.ts')).learn(asked),
});
