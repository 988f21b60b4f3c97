import type { History, TextMatches, TextQuery, TextSearch } from '../../../src/core/repository/repository.ts';
import { readingTools } from '../../../src/core/tools/reading-tools.ts';
import type { Sources } from '../../../src/core/tools/sources.ts';
import { MemoryRepository } from '../../fakes/memory-repository.ts';

/** Calls a tool as the loop does: the arguments are parsed first. Answers with the result or with the error's text. */
export async function callTool(sources: Partial<Sources>, name: string, call: object): Promise<string> {
  const tool = readingTools({ ...emptySources, ...sources }).find((each) => each.name === name);
  if (tool === undefined) throw new Error(`${name} is not offered`);
  const parsed = tool.parse(call);
  if (!parsed.ok) throw new Error(parsed.problems.join('; '));
  try {
    const result = await tool.run(parsed.value, new AbortController().signal);
    return typeof result === 'string' ? result : result.text;
  } catch (error) {
    if (error instanceof Error && error.name === 'ToolError') return `ToolError: ${error.message}`;
    throw error;
  }
}

export const emptySources: Sources = {
  repository: new MemoryRepository({}),
  search: null,
  history: null,
  files: [],
  offerDiff: false,
  isDenied: () => null,
};

/** A search that answers with these matches and keeps what it was asked. */
export class ScriptedSearch implements TextSearch {
  readonly queries: TextQuery[] = [];
  readonly #answer: TextMatches;

  constructor(answer: TextMatches) {
    this.#answer = answer;
  }

  async search(query: TextQuery): Promise<TextMatches> {
    this.queries.push(query);
    return this.#answer;
  }
}

/** A history in which every line and every path has what is given. */
export function historyOf(history: Partial<History>): History {
  return { blame: async () => [], log: async () => ({ entries: [], shallow: false }), ...history };
}

export function lines(count: number): string {
  return Array.from({ length: count }, (_line, index) => `line ${index + 1}\n`).join('');
}
