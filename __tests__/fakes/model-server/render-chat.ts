import type { ChatCompletion } from 'openai/resources/chat/completions';
import type { MessageAnswer } from './script.ts';
import { type Counted, tokensOf } from './usage.ts';

export type Rendering = {
  readonly answer: MessageAnswer;
  readonly model: string;
  readonly counted: Counted | null;
  /** A new unique number for each id. */
  readonly nextId: () => string;
  readonly signed: boolean;
};

/** The answer as Chat Completions sends it. */
export function renderChat({ answer, model, counted, nextId, signed }: Rendering): object {
  const toolCalls = answer.calls.map((one) => ({
    id: one.id ?? `call_${nextId()}`,
    type: 'function' as const,
    function: { name: one.name, arguments: argumentsText(one.arguments) },
    ...(signed ? { extra_content: { google: { thought_signature: `sig-${nextId()}` } } } : {}),
  }));
  const refused = answer.end === 'refusal';
  return {
    id: `chatcmpl-${nextId()}`,
    object: 'chat.completion',
    created: 1_790_000_000,
    model,
    choices: [
      {
        index: 0,
        logprobs: null,
        finish_reason: finishReason(answer),
        message: {
          role: 'assistant',
          content: refused ? null : answer.text,
          refusal: refused ? (answer.text ?? 'I cannot help with that.') : null,
          ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
        },
      },
    ],
    ...(counted === null ? {} : { usage: chatUsage(answer, counted) }),
  } satisfies ChatCompletion;
}

export function argumentsText(argumentsOfCall: unknown): string {
  return typeof argumentsOfCall === 'string' ? argumentsOfCall : JSON.stringify(argumentsOfCall);
}

export function outputTokens(answer: MessageAnswer): number {
  const texts = answer.calls.map((one) => one.name + argumentsText(one.arguments));
  return tokensOf((answer.text ?? '') + texts.join(''));
}

function finishReason(answer: MessageAnswer): 'stop' | 'length' | 'tool_calls' | 'content_filter' {
  if (answer.end === 'length') return 'length';
  if (answer.end === 'content-filter') return 'content_filter';
  return answer.calls.length > 0 ? 'tool_calls' : 'stop';
}

function chatUsage(answer: MessageAnswer, counted: Counted) {
  const completion = outputTokens(answer);
  return {
    prompt_tokens: counted.input,
    completion_tokens: completion,
    total_tokens: counted.input + completion,
    prompt_tokens_details: { cached_tokens: counted.cached },
    completion_tokens_details: { reasoning_tokens: 0 },
  };
}
