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
    flag(
      'since DAYS',
      'Those merged within so many days instead, such as 30d.',
      matching('a number of days, such as 30d', /^[1-9]\d{0,2}d$/),
    ),
    flag('pull-request N', 'This one instead.', matching('a number', /^[1-9]\d{0,8}$/)),
    flag('repository NAME', 'owner/name. [that of the remote origin]', matching('owner/name', /^[\w-]+\/[\w.-]+$/)),
    flag(
      'author LOGIN',
      'Login that Postil posts as. [github-actions[bot]]',
      matching('a login, such as github-actions[bot]', /^[\w-]+(?:\[bot\])?$/),
    ),
    directory,
  ],
  read: (given) => {
    const { text } = given;
    const choices = ['pull-request', 'since', 'last'].filter((name) => text(name) !== null);
    if (choices.length > 1) return `'--${choices.join("' and '--")}' contradict each other: give one of them.`;
    const number = (name: string) => (text(name) === null ? null : Number.parseInt(text(name) ?? '', 10));
    return {
      directory: directoryIn(given),
      repository: text('repository'),
      author: text('author') ?? 'github-actions[bot]',
      pullRequest: number('pull-request'),
      sinceDays: number('since'),
      last: number('last') ?? 20,
    };
  },
  // GitHub's client is large.
  run: async (asked) => (await import(/* webpackMode: "eager" */ './propose-answers.ts')).learn(asked),
});
