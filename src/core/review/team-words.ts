import type { TeamWords } from '../bundles/render-guidance.ts';
import { memoryFile } from '../memory/memory-patch.ts';
import type { Repository } from '../repository/repository.ts';
import { loadGuidance } from '../rules/guidance-files.ts';
import type { Settings } from '../settings/settings.ts';

export type ReadWords = {
  readonly words: TeamWords;
  /** What was used and what could not be, for people. */
  readonly notes: readonly string[];
};

/** Characters of it: older answers come first in the file, and the newest count. */
const memoryCharacters = 10_000;

/** What the team told its reviewers, at the base commit: a pull request cannot change what it is reviewed by. */
export async function readTeamWords(
  repository: Repository,
  { settings, changedPaths }: { readonly settings: Settings; readonly changedPaths: readonly string[] },
): Promise<ReadWords> {
  const { files, problems } = await loadGuidance(repository, { names: settings.guidance, changedPaths });
  const memory = settings.memory ? await readMemory(repository) : '';
  const used = [...files.map(({ path }) => path), ...(memory === '' ? [] : [memoryFile])];
  const cut =
    memory.length > memoryCharacters ? [`Of ${memoryFile} the last ${memoryCharacters} characters are used.`] : [];
  return {
    words: { files, pathInstructions: settings.pathInstructions, memory: memory.slice(-memoryCharacters) },
    notes: [...(used.length === 0 ? [] : [`Guidance used: ${used.join(', ')}.`]), ...problems, ...cut],
  };
}

async function readMemory(repository: Repository): Promise<string> {
  const content = await repository.readFile(memoryFile, 'base');
  return content.kind === 'text' ? content.text.trim() : '';
}
