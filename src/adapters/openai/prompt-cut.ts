import { estimateTokenCount } from 'tokenx';
import type { Message } from '../../core/agent/message.ts';
import type { ModelRequest } from '../../core/agent/model.ts';
import type { Usage } from '../../core/agent/usage.ts';

/** Below this many tokens the estimate is too rough to accuse a server. */
const smallestPrompt = 2000;

/**
 * Watches for servers that silently cut a prompt at their context, as Ollama does (FAILURES M7). Returns the sentence to
 * warn with, at most once.
 */
export function watchForCutPrompts(): (request: ModelRequest, usage: Usage | null) => string | null {
  // A history only grows: each message is estimated once.
  const estimates = new WeakMap<Message, number>();
  let warned = false;
  return ({ messages }, usage) => {
    if (warned || usage === null) return null;
    const estimate = messages.reduce((sum, message) => sum + estimateOf(message, estimates), 0);
    if (estimate < smallestPrompt || usage.input * 2 >= estimate) return null;
    warned = true;
    return `the server counted ${usage.input} prompt tokens where about ${estimate} were sent`;
  };
}

function estimateOf(message: Message, estimates: WeakMap<Message, number>): number {
  const known = estimates.get(message);
  if (known !== undefined) return known;
  const calls = message.role === 'assistant' ? message.toolCalls.map((call) => call.arguments) : [];
  const estimate = estimateTokenCount([message.text, ...calls].join('\n'));
  estimates.set(message, estimate);
  return estimate;
}
