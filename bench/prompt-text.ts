import { at, listAt } from '../__tests__/fakes/every-pair.ts';
import type { NormalisedRequest } from '../__tests__/fakes/model-server/normalise.ts';
import { estimateTokens } from '../src/core/agent/estimate.ts';

/** What a provider reads of a request of Chat Completions, in its order: the tools, then the conversation as it was sent. */
export function promptText({ body }: NormalisedRequest): string {
  // Without the closing bracket: a longer conversation begins with the whole of a shorter one.
  return `${toolsText(body)}\n${JSON.stringify(at(body, 'messages')).replace(/]$/, '')}`;
}

/** Tokens of what is the same in every request: tools with their descriptions and schemas, and the instructions. */
export function overheadTokens({ body, messages }: NormalisedRequest): number {
  const instructions = messages.flatMap(({ role, text }) => (role === 'system' ? [text] : []));
  return estimateTokens(toolsText(body)) + estimateTokens(instructions.join('\n'));
}

/** Tokens of a whole request. Messages are counted by their text: a provider does not bill the JSON around them. */
export function promptTokens(request: NormalisedRequest): number {
  const conversation = request.messages
    .filter(({ role }) => role !== 'system')
    .map(({ text, calls }) => [text, ...calls.map((call) => JSON.stringify(call))].join('\n'));
  return overheadTokens(request) + estimateTokens(conversation.join('\n'));
}

function toolsText(body: unknown): string {
  return JSON.stringify(listAt(body, 'tools'));
}
