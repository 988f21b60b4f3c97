import type { ChangedFile, Hunk } from '../pull-request/changed-file.ts';
import { addedRuns } from './added-runs.ts';
import { type SecretFinder, secretFinder } from './find-secrets.ts';
import type { Rule } from './rule.ts';

/** Each of them is looked for in every text from then on. A file that is full of them must not leave the others without. */
const maxSecrets = 1_000;
const maxOfFile = 100;

/**
 * The credentials that rules with an entropy find in a diff: at most 100 of a file and 1,000 in all. Of every line, as the removed ones and those around a change are
 * shown and quoted, too.
 */
export function secretsIn(rules: readonly Rule[], files: readonly ChangedFile[]): readonly string[] {
  const finder = secretFinder(rules);
  const secrets = new Set<string>();
  for (const file of files) {
    const own = new Set<string>();
    for (const hunk of file.hunks) {
      if (own.size < maxOfFile) for (const secret of secretsOf(hunk, { file, finder })) own.add(secret);
    }
    for (const secret of [...own].slice(0, maxOfFile)) secrets.add(secret);
    if (secrets.size >= maxSecrets) break;
  }
  return [...secrets].slice(0, maxSecrets);
}

type Finding = { readonly file: ChangedFile; readonly finder: SecretFinder };

function secretsOf(hunk: Hunk, { file, finder }: Finding): readonly string[] {
  const lines = hunk.lines.map(bare);
  const blocks = blocksOf(hunk);
  return [...new Set([file.path, file.oldPath])].flatMap((path) => [
    ...finder.inLines(path, lines),
    ...blocks.flatMap((block) => finder.inBlock(path, block)),
  ]);
}

/** What rules over lines read: the added lines as where they are raised, and both sides, where more stands below each other. */
function blocksOf(hunk: Hunk): readonly (readonly string[])[] {
  const side = (sign: string) => hunk.lines.filter((line) => line.startsWith(' ') || line.startsWith(sign)).map(bare);
  return [...[...addedRuns(hunk)].map(({ lines }) => lines), side('+'), side('-')];
}

/** Without the sign of the diff. */
function bare(line: string): string {
  return line.endsWith('\r') ? line.slice(1, -1) : line.slice(1);
}
