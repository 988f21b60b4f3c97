import { defineCommand, directory, directoryIn, flag, matching } from './command.ts';

/** A branch or a tag is refused: whoever may write to that repository can move it. */
const action = flag(
  'action OWNER/REPO@SHA',
  'What the workflow uses: your copy of Postil at a full commit hash.',
  matching(
    'OWNER/REPO@SHA with a full commit hash, which `git rev-parse HEAD` prints in your clone of Postil',
    /^[A-Za-z\d][\w-]*(?:\/\.?\w[\w.-]*)+@(?:[\da-f]{40}|[\da-f]{64})$/,
  ),
);

export const init = defineCommand({
  name: 'init',
  about: 'Write a workflow, a config file and a rule to the root of the repository. Files that exist stay as they are.',
  flags: [action, directory],
  read: (given) => ({ directory: directoryIn(given), action: given.text('action') }),
  run: async (asked) => (await import(/* webpackMode: "eager" */ './folder.ts')).initialise(asked),
});
