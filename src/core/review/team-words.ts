import type { TeamWords } from '../bundles/render-guidance.ts';
import { memoryFile } from '../memory/memory-patch.ts';
import type { Repository } from '../repository/repository.ts';
import { fitGuidance } from '../rules/fit-guidance.ts';
import { guidanceCharacters, loadGuidance } from '../rules/guidance-files.ts';
import type { Rule } from '../rules/rule.ts';
import type { Settings } from '../settings/settings.ts';

export type ReadWords = {
  readonly words: TeamWords;
  /** What was used and what could not be, for people. */
  readonly notes: readonly string[];
};

type TeamWordsRequest = {
  readonly settings: Pick<Settings, 'guidance' | 'pathInstructions' | 'memory'>;
  readonly changedPaths: readonly string[];
  readonly rules: readonly Rule[];
};

/** Characters of it: older answers come first in the file, and the newest count. */
const memoryCharacters = 10_000;

/** What the team told its reviewers, at the base commit: a pull request cannot change what it is reviewed by. */
export async function readTeamWords(
  repository: Repository,
  { settings, changedPaths, rules }: TeamWordsRequest,
): Promise<ReadWords> {
  const { files, problems } = await loadGuidance(repository, { names: settings.guidance, changedPaths });
  const left = guidanceCharacters - files.reduce((sum, { text }) => sum + text.length, 0);
  const asked = { rules, pathInstructions: settings.pathInstructions };
  const { problems: unfit, ...fitted } = fitGuidance(asked, { changedPaths, left });
  const memory = settings.memory ? await readMemory(repository) : '';
  const words = { files, ...fitted, memory: memory.slice(-memoryCharacters) };
  const cut =
    memory.length > memoryCharacters ? [`Of ${memoryFile} the last ${memoryCharacters} characters are used.`] : [];
  return {
    words,
    notes: [...usedNote(words), ...problems, ...unfit, ...cut],
  };
}

function usedNote({ files, memory, rules, pathInstructions }: TeamWords): readonly string[] {
  const asked = pathInstructions.length;
  const used = [
    ...files.map(({ path }) => path),
    ...(memory === '' ? [] : [memoryFile]),
    ...rules.map(({ id }) => `rule ${id}`),
    ...(asked === 0 ? [] : [`${asked} path instruction${asked === 1 ? '' : 's'}`]),
  ];
  return used.length === 0 ? [] : [`Guidance used: ${used.join(', ')}.`];
}

async function readMemory(repository: Repository): Promise<string> {
  const content = await repository.readFile(memoryFile, 'base');
  return content.kind === 'text' ? content.text.trim() : '';
}
