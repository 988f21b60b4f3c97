import { folderRules } from './adapters/files/folder-rules.ts';
import { writeStarterFiles } from './adapters/files/starter-files.ts';
import { explain, UserError } from './core/errors.ts';
import { visibleLine } from './core/report/invisible.ts';
import { describeRules } from './core/rules/describe-rules.ts';
import { loadRules } from './core/rules/load-rules.ts';
import { starterFiles } from './core/rules/starter.ts';

/** `postil rules`: lists the rules of a folder and runs their examples. Gives the exit code: 1 when one does not hold. */
export async function listRules(directory: string): Promise<number> {
  const loaded = await loadRules(folderRules(directory));
  process.stdout.write(describeRules(loaded, visibleLine));
  return loaded.problems.length === 0 ? 0 : 1;
}

/** `postil init`: writes what is missing, and never over what is there. */
export async function initialise(directory: string): Promise<number> {
  const results = await writeStarterFiles(directory, starterFiles).catch((cause: unknown) => {
    throw new UserError(`The files could not be written to ${directory}. ${explain(cause)}`, {
      hint: 'Check --directory.',
      cause,
    });
  });
  for (const { path, written } of results) {
    process.stdout.write(`${written ? 'written' : 'left as it is'}: ${path}\n`);
  }
  process.stdout.write('Next: put the key into the secret OPENAI_API_KEY, and commit these files.\n');
  return 0;
}
