import { at, listAt } from '../every-pair.ts';
import type { Outcome } from '../loopback.ts';
import { bad, jsonReply, type NormalisedRequest, type Problem } from './normalise.ts';

export type Fault = {
  readonly kind: 'fault';
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
};

/** What a scripted fault sends. */
export function faultReply(answer: Fault): Outcome {
  if (typeof answer.body !== 'string') {
    const reply = jsonReply(answer.status, answer.body);
    return { ...reply, headers: { ...reply.headers, ...answer.headers } };
  }
  return { status: answer.status, headers: { 'content-type': 'text/html', ...answer.headers }, body: answer.body };
}

export type PoorServer = {
  readonly rejects?: readonly Refusable[];
  /** Output tokens a request may ask for. */
  readonly maxOutput?: number;
  /** The only model that exists; any does by default. */
  readonly model?: string;
};

/** What a poorer server refuses, in the words seen in the wild. */
export function refusalOf(request: NormalisedRequest, options: PoorServer): Problem | null {
  if (options.model !== undefined && request.model !== options.model) {
    const words = `The model \`${request.model}\` does not exist or you do not have access to it.`;
    return { ...bad(words, { code: 'model_not_found' }), status: 404 };
  }
  for (const one of options.rejects ?? []) {
    const problem = refusals[one](request);
    if (problem !== null) return problem;
  }
  return outputProblem(request, options.maxOutput);
}

export type Refusable = keyof typeof refusals;

const refusals = {
  // The endpoint is refused before a request is looked at.
  responses: () => null,
  temperature: (request) => {
    const temperature = at(request.body, 'temperature');
    if (temperature === undefined) return null;
    if (request.api === 'responses') return unsupported('temperature');
    return bad(
      `Unsupported value: 'temperature' does not support ${temperature} with this model. Only the default (1) value is supported.`,
    );
  },
  max_completion_tokens: (request) =>
    has(request, 'max_completion_tokens') ? bad('Unrecognized request argument supplied: max_completion_tokens') : null,
  parallel_tool_calls: (request) => (has(request, 'parallel_tool_calls') ? unsupported('parallel_tool_calls') : null),
  strict: (request) => {
    const chat = request.api === 'chat';
    const index = listAt(request.body, 'tools').findIndex(
      (tool) => at(tool, ...(chat ? ['function'] : []), 'strict') !== undefined,
    );
    if (index === -1) return null;
    const param = chat ? `tools[${index}].function.strict` : `tools[${index}].strict`;
    return bad(`Unknown parameter: '${param}'.`, { param });
  },
  tool_choice: (request) =>
    request.toolChoice === null || request.toolChoice === 'auto' || request.toolChoice === 'none'
      ? null
      : bad(`${request.model} does not support this tool_choice`),
  tools: (request) =>
    request.tools.length === 0
      ? null
      : bad(`registry.ollama.ai/library/${request.model}:latest does not support tools`),
  'chat-tools-with-reasoning': (request) =>
    request.api === 'chat' && request.tools.length > 0
      ? bad(
          `Function tools with reasoning_effort are not supported for ${request.model} in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.`,
        )
      : null,
  stream: (request) =>
    at(request.body, 'stream') === true
      ? bad('Your organization must be verified to stream this model.', { param: 'stream' })
      : null,
  images: (request) => {
    if (request.images.length === 0) return null;
    return bad(
      request.api === 'chat'
        ? 'Invalid content type. image_url is only supported by certain models.'
        : 'this model does not support image input',
    );
  },
  stream_options: (request) =>
    has(request, 'stream_options') ? bad('Unrecognized request argument supplied: stream_options') : null,
} satisfies Readonly<Record<string, (request: NormalisedRequest) => Problem | null>>;

function outputProblem(request: NormalisedRequest, maxOutput: number | undefined): Problem | null {
  const asked = request.maxOutputTokens;
  if (maxOutput === undefined || asked === null || asked <= maxOutput) return null;
  if (request.api === 'responses') {
    return bad(
      `Invalid 'max_output_tokens': integer above maximum value. Expected a value <= ${maxOutput}, but got ${asked} instead.`,
    );
  }
  return bad(
    `max_tokens is too large: ${asked}. This model supports at most ${maxOutput} completion tokens, whereas you provided ${asked}.`,
  );
}

function unsupported(parameter: string): Problem {
  return bad(`Unsupported parameter: '${parameter}' is not supported with this model.`, { param: parameter });
}

function has(request: NormalisedRequest, parameter: string): boolean {
  return at(request.body, parameter) !== undefined;
}
