import type { Response } from 'openai/resources/responses/responses';
import { argumentsText, outputTokens, type Rendering } from './render-chat.ts';
import type { MessageAnswer } from './script.ts';
import type { Counted } from './usage.ts';

const thinking = 64;

/** The answer as the Responses API sends it: a reasoning item first, encrypted only where it was asked for. */
export function renderResponses(
  { answer, model, counted, nextId }: Rendering,
  { reasoning, encrypted }: { readonly reasoning: boolean; readonly encrypted: boolean },
) {
  const thought = {
    type: 'reasoning' as const,
    id: `rs_${nextId()}`,
    summary: [],
    ...(encrypted ? { encrypted_content: `gAAAAA${nextId()}` } : {}),
  };
  const output = [
    ...(reasoning ? [thought] : []),
    ...(answer.text === null ? [] : [messageItem(answer, `msg_${nextId()}`)]),
    ...answer.calls.map((one) => ({
      type: 'function_call' as const,
      id: `fc_${nextId()}`,
      call_id: one.id ?? `call_${nextId()}`,
      name: one.name,
      arguments: argumentsText(one.arguments),
      status: 'completed' as const,
    })),
  ];
  const cut = { length: 'max_output_tokens', 'content-filter': 'content_filter', refusal: null } as const;
  const reason = answer.end === undefined ? null : cut[answer.end];
  return {
    id: `resp_${nextId()}`,
    object: 'response' as const,
    created_at: 1_790_000_000,
    model,
    status: reason === null ? 'completed' : 'incomplete',
    error: null,
    incomplete_details: reason === null ? null : { reason },
    instructions: null,
    metadata: {},
    output,
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    ...(counted === null ? {} : { usage: responsesUsage({ answer, counted, thoughts: reasoning ? thinking : 0 }) }),
  } satisfies Omit<Response, 'output_text' | 'access_programs'>;
}

function messageItem(answer: MessageAnswer, id: string) {
  const text = answer.text ?? '';
  const content =
    answer.end === 'refusal'
      ? { type: 'refusal' as const, refusal: text }
      : { type: 'output_text' as const, text, annotations: [], logprobs: [] };
  const status = answer.end === 'length' ? ('incomplete' as const) : ('completed' as const);
  return { type: 'message' as const, id, role: 'assistant' as const, status, content: [content] };
}

function responsesUsage({ answer, counted, thoughts }: { answer: MessageAnswer; counted: Counted; thoughts: number }) {
  const written = outputTokens(answer) + thoughts;
  return {
    input_tokens: counted.input,
    input_tokens_details: { cached_tokens: counted.cached, cache_write_tokens: 0 },
    output_tokens: written,
    output_tokens_details: { reasoning_tokens: thoughts },
    total_tokens: counted.input + written,
  };
}
