import { defineTool, type Tool } from '../agent/tool.ts';
import type { Knowledge } from '../context/knowledge.ts';
import { ToolError } from '../errors.ts';

/** Passages of the team's documents, numbered, with where they stand. */
export function searchKnowledge(knowledge: Knowledge): Tool {
  return defineTool({
    name: 'search_knowledge',
    description:
      "Find passages in the team's documents (guides, decisions, README) at the base commit: conventions, reasons, how things are meant to work. Give a few words; the 3 best passages come back.",
    parameters: {
      type: 'object',
      additionalProperties: false,
      required: ['query'],
      properties: { query: { type: 'string' } },
    },
    run: async ({ query }) => {
      if (query.trim() === '') throw new ToolError('The query is empty: give a few words to look for.');
      const passages = await knowledge.search(query.slice(0, 1_000));
      if (passages.length === 0)
        return 'Nothing in the documents is relevant to that. Other words may be; the code decides.';
      return passages
        .map(({ path, startLine, endLine, text }, index) => `[${index + 1}] ${path}:${startLine}-${endLine}\n${text}`)
        .join('\n\n');
    },
  });
}
