import { defineCommand, directory, directoryIn } from './command.ts';

export const rules = defineCommand({
  name: 'rules',
  about: 'List the rules of this repository and run their examples.',
  flags: [directory],
  read: (given) => ({ directory: directoryIn(given) }),
  run: async (asked) => (await import(/* webpackMode: "eager" */ './folder.ts')).listRules(asked.directory),
});
