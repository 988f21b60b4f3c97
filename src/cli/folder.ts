import { join, resolve } from 'node:path';
import { folderRules, listFolder, repositoryRoot, writeStarterFiles } from '../adapters/files/folder.ts';
import { actionReference, repositoryAddress } from '../core/addresses.ts';
import { UserError } from '../core/errors.ts';
import { visibleLine } from '../core/report/text.ts';
import { describeRules, loadRules } from '../core/rules/load-rules.ts';
import { starterFiles, starterWorkflow } from '../core/team/starter.ts';
import { eventPolicyNote } from '../run/event-policy.ts';

/**
 * `postil rules`: lists the rules of the repository that a folder lies in and runs their examples; those of the folder itself where
 * there is no repository. Gives the exit code: 1 when one does not hold.
 */
export async function listRules(directory: string, tell = print): Promise<number> {
  const folder = (await repositoryRoot(directory)) ?? resolve(directory);
  const loaded = await loadRules(folderRules(folder));
  tell(`Built-in rules, and those of ${visibleLine(folder)}:\n\n${describeRules(loaded, visibleLine)}`);
  return loaded.problems.length === 0 ? 0 : 1;
}

/**
 * `postil init`: writes what is missing, and never over what is there. At the root of the repository, as GitHub looks for workflows
 * nowhere else; in the folder itself where a repository is still to be made.
 */
export async function initialise({ directory, action = null }: Start, tell = print): Promise<number> {
  const root = await repositoryRoot(directory);
  const folder = root ?? resolve(directory);
  const results = await writeStarterFiles(folder, starterFiles(action)).catch((cause: unknown) => {
    throw new UserError(`The files could not be written to ${folder}.`, { hint: 'Check --directory.', cause });
  });
  tell(`In ${visibleLine(folder)}:\n`);
  for (const { path, written } of results) tell(`${written ? 'written' : 'left as it is'}: ${path}\n`);
  const workflows = (await listFolder(join(folder, workflowFolder))).map((name) => `${workflowFolder}/${name}`);
  const note = await eventPolicyNote(workflows, folderRules(folder));
  if (note !== null) tell(`Note: ${visibleLine(`${note.found} ${note.todo}`)}\n`);
  const first = root === null ? 'make this folder the root of a repository (git init), ' : '';
  tell(
    `Next: ${first}put the key into the secret OPENAI_API_KEY, and commit these files: rules and config count once they are committed, at the base of what is reviewed.\n`,
  );
  const isWritten = results.some(({ path, written }) => written && path === starterWorkflow);
  tell(referenceHint({ action, isWritten }));
  return 0;
}

const workflowFolder = '.github/workflows';

type Start = {
  readonly directory: string;
  /** What the workflow uses, such as `acme/reviewer@` and a full commit hash. */
  readonly action?: string | null;
};

/** The next step for the action that the workflow uses; empty where there is none. */
function referenceHint({ action, isWritten }: { readonly action: string | null; readonly isWritten: boolean }): string {
  if (action !== null) return isWritten ? '' : `${starterWorkflow} was there before: put ${action} into it yourself.\n`;
  if (!isWritten || repositoryAddress() !== null) return '';
  return `In ${starterWorkflow}, ${actionReference()} stands for a copy of Postil: push your clone of Postil to a repository of yours, and put its owner and full commit hash there (\`git rev-parse HEAD\` in the clone prints it). \`postil init --action OWNER/REPO@SHA\` writes it for you.\n`;
}

function print(text: string): void {
  process.stdout.write(text);
}
