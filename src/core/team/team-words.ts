import type { Repository } from '../repository/repository.ts';
import type { Rule } from '../rules/rule.ts';
import type { Settings } from '../settings/settings.ts';
import { lastLines, plural } from '../text.ts';
import { fitGuidance, loadGuidance, readTeamFile } from './guidance.ts';
import { memoryFile } from './learn.ts';
import type { TeamWords } from './render-guidance.ts';

export type ReadWords = {
  readonly words: TeamWords;
  /** What was used and what could not be, for people. */
  readonly notes: readonly string[];
};

type TeamWordsRequest = {
  readonly settings: Pick<Settings, 'guidance' | 'pathInstructions' | 'memory'>;
  readonly changedPaths: readonly string[];
  readonly rules: readonly Rule[];
  /** Why the model may not read a path; null when it may. */
  readonly isDenied: (path: string) => string | null;
};

/** Characters of it: older answers come first in the file, and the newest count. */
const memoryCharacters = 10_000;

/** The team's guidance for reviewers, at the base commit: a pull request cannot change what it is reviewed by. */
export async function readTeamWords(
  repository: Repository,
  { settings, changedPaths, rules, isDenied }: TeamWordsRequest,
): Promise<ReadWords> {
  const { files, problems, left } = await loadGuidance(repository, {
    names: settings.guidance,
    changedPaths,
    isDenied,
  });
  const asked = { rules, pathInstructions: settings.pathInstructions };
  const { problems: unfit, ...fitted } = fitGuidance(asked, { changedPaths, left });
  const memory = settings.memory ? await readMemory(repository, isDenied) : noAnswers;
  const words = { files, ...fitted, memory: lastLines(memory.text, memoryCharacters) };
  const cut =
    memory.text.length > memoryCharacters
      ? [`Only the last lines of ${memoryFile} are used, at most ${memoryCharacters} characters.`]
      : [];
  return {
    words,
    notes: [...usedNote(words), ...problems, ...unfit, ...memory.problems, ...cut],
  };
}

function usedNote({ files, memory, rules, pathInstructions }: TeamWords): readonly string[] {
  const asked = pathInstructions.length;
  const used = [
    ...files.map(({ path }) => path),
    ...(memory === '' ? [] : [memoryFile]),
    ...rules.map(({ id }) => `rule ${id}`),
    ...(asked === 0 ? [] : [plural(asked, 'path instruction')]),
  ];
  return used.length === 0 ? [] : [`Guidance used: ${used.join(', ')}.`];
}

type Answers = { readonly text: string; readonly problems: readonly string[] };
const noAnswers: Answers = { text: '', problems: [] };

async function readMemory(repository: Repository, isDenied: TeamWordsRequest['isDenied']): Promise<Answers> {
  const file = await readTeamFile(repository, { path: memoryFile, isDenied });
  if (file.kind === 'text') return { text: file.text.trim(), problems: [] };
  return file.kind === 'missing' ? noAnswers : { text: '', problems: [`${memoryFile} is ignored: ${file.reason}.`] };
}
