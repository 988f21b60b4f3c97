import type { Spend, ToolResult } from '../../../src/core/agent/tool.ts';
import type { History, TextMatches, TextQuery, TextSearch } from '../../../src/core/repository/repository.ts';
import { readingTools } from '../../../src/core/tools/reading-tools.ts';
import type { Sources, Tool } from '../../../src/core/tools/sources.ts';
import { MemoryRepository } from '../../fakes/memory-repository.ts';

/** Calls one of the reading tools. Answers with the result or with the error's text. */
export async function callTool(sources: Partial<Sources>, name: string, call: object): Promise<string> {
  const tool = readingTools({ ...emptySources, ...sources }).find((each) => each.name === name);
  if (tool === undefined) throw new Error(`${name} is not offered`);
  try {
    const result = await resultOf(tool, call);
    return typeof result === 'string' ? result : result.text;
  } catch (error) {
    if (error instanceof Error && error.name === 'ToolError') return `ToolError: ${error.message}`;
    throw error;
  }
}

/** Calls a tool as the loop does: the arguments are parsed first. */
export async function resultOf(
  tool: Tool,
  call: object,
  { signal = new AbortController().signal, spend }: { signal?: AbortSignal; spend?: Spend } = {},
): Promise<ToolResult> {
  const parsed = tool.parse(call);
  if (!parsed.ok) throw new Error(parsed.problems.join('; '));
  return parsed.value.run(signal, spend);
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
