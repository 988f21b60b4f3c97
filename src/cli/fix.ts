import { readWorkTreeFile, writeFixedFile } from '../adapters/files/work-tree.ts';
import { findWorkTree } from '../adapters/git/checkout.ts';
import { UserError } from '../core/errors.ts';
import { placeOf } from '../core/findings/finding.ts';
import { type Fixes, patchOf, planFixes, withSuggestion } from '../core/findings/fixes.ts';
import type { ReviewRecord } from '../core/review/sink.ts';
import type { Severity } from '../core/settings/setting.ts';
import { plural } from '../core/text.ts';

export type FixRequest = {
  /** The suggestions of findings that are so severe, or more. */
  readonly severity: Severity;
  /** They are printed as a patch, and nothing is changed. */
  readonly isDry: boolean;
};

/** Known before anything is reviewed. @throws UserError */
export async function requireFiles(directory: string): Promise<string> {
  const root = await findWorkTree(directory);
  if (root !== null) return root;
  const hint = 'Leave out --fix, or name a folder of a work tree with --directory.';
  throw new UserError(`There are no files to fix: ${directory} is in no work tree.`, { hint });
}

type FixContext = FixRequest & {
  /** Of the work tree. */
  readonly root: string;
  /** The patch. */
  readonly print: (text: string) => void;
  /** A line for people. */
  readonly say: (text: string) => void;
};

/** Applies what the review suggests, or prints it, and says what became of each. Gives false where a file could not be written. */
export async function fix({ placed }: ReviewRecord, context: FixContext): Promise<boolean> {
  const { root, severity, isDry, print, say } = context;
  const paths = [...new Set(withSuggestion(placed).map(({ path }) => path))];
  const read = paths.map(async (path) => [path, await readWorkTreeFile(root, path)] as const);
  const planned = planFixes(placed, { severity, files: new Map(await Promise.all(read)) });
  if (isDry) print(patchOf(planned.files));
  const done = isDry ? planned : await written(planned, root);
  const { applied, left } = done;
  const [some, none, rest] = isDry
    ? ['The patch holds', 'The patch is empty', 'Not in it']
    : ['Applied', 'No suggestion was applied', 'Not applied'];
  if (applied.length + left.length === 0) say('Nothing to fix: no finding has a suggestion.');
  if (applied.length > 0) say(`${some} ${plural(applied.length, 'suggestion')}:`);
  for (const finding of applied) say(`- ${placeOf(finding)} ${finding.title}`);
  if (left.length > 0) say(`${applied.length === 0 ? none : rest}:`);
  for (const { finding, reason } of left) say(`- ${placeOf(finding)} ${finding.title}: ${reason}`);
  return done.left.length === planned.left.length;
}

/** With those that could not be written among what is left. */
async function written({ files, applied, left }: Fixes, root: string): Promise<Fixes> {
  const problems = new Map<string, string>();
  for (const file of files) {
    const problem = await writeFixedFile(root, file);
    if (problem !== null) problems.set(file.path, problem);
  }
  const lost = applied.flatMap((finding) => {
    const reason = problems.get(finding.path);
    return reason === undefined ? [] : [{ finding, reason }];
  });
  return { files, applied: applied.filter(({ path }) => !problems.has(path)), left: [...left, ...lost] };
}
