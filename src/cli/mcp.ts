import { pageName } from '../core/addresses.ts';
import { defineCommand, directory, directoryIn } from './command.ts';

export const mcp = defineCommand({
  name: 'mcp',
  about: 'Serve a coding agent over stdio: it can ask for reviews of your changes and about them.',
  flags: [directory],
  more: [`How clients start it: ${pageName('mcp.md')}`],
  read: (given) => ({ directory: directoryIn(given) }),
  run: async (asked) => (await import(/* webpackMode: "eager" */ './mcp-tools.ts')).serve(asked.directory),
});
