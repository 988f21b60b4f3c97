import { ToolError } from '../errors.ts';
import type { Passage } from '../knowledge/by-words.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import { shown } from '../repository/shown.ts';
import { exactly } from '../schema.ts';
import { defineTool, type Noting, nameOf, noteShown, type Tool } from './sources.ts';

/** Of a query. */
const mostCharacters = 1_000;

const nothing = 'Nothing in the documents is relevant to that. Other words may be; the code decides.';

/** Passages of the team's documents, numbered, with where they stand. */
export function searchKnowledge(knowledge: Knowledge, sources: Noting = {}): Tool {
  return defineTool({
    name: 'search_knowledge',
    description: "Find the 3 best passages in the team's documents for a few words.",
    parameters: exactly({ query: { type: 'string' } }),
    path: null,
    run: async ({ query }, _signal, spend) => {
      if (query.trim() === '') throw new ToolError('The query is empty: give a few words to look for.');
      const asked = shown([query.slice(0, mostCharacters)])[0]?.text ?? '';
      const { passages, notes } = await knowledge.search(asked, spend);
      for (const { path } of passages) await noteShown(sources, path);
      const answers = passages.length === 0 ? [nothing] : passages.map(numbered);
      return [...answers, ...notes.map((note) => `(${note})`)].join('\n\n');
    },
  });
}

function numbered({ path, startLine, endLine, text }: Passage, index: number): string {
  return `[${index + 1}] ${nameOf(path)}:${startLine}-${endLine}\n${text}`;
}
