import { defineCommand, directory, directoryIn } from './command.ts';

export const init = defineCommand({
  name: 'init',
  about: 'Write a workflow, a config file and a rule to the root of the repository. Files that exist stay as they are.',
  flags: [directory],
  read: (given) => ({ directory: directoryIn(given) }),
  run: async (asked) => (await import(/* webpackMode: "eager" */ './folder.ts')).initialise(asked.directory),
});
