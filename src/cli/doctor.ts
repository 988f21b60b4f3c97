import { defineCommand, directory, directoryIn } from './command.ts';

export const doctor = defineCommand({
  name: 'doctor',
  about: 'Check git, key, repository, configuration, proxy and model server, and say what to do. One tiny model call.',
  flags: [directory],
  read: (given) => ({ directory: directoryIn(given) }),
  run: async (asked) => (await import(/* webpackMode: "eager" */ './examine.ts')).examine(asked.directory),
});
