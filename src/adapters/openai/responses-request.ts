import type {
  FunctionTool,
  ResponseCreateParams,
  ResponseInputContent,
  ResponseInputItem,
} from 'openai/resources/responses/responses';
import type { ImagePart } from '../../core/agent/image-part.ts';
import type { AssistantMessage, Message, UserMessage } from '../../core/agent/message.ts';
import type { ToolDefinition } from '../../core/agent/model.ts';
import { dataUrl } from './data-url.ts';
import type { Dialect } from './dialect.ts';
import { effortOf } from './effort.ts';
import { verbatimItems } from './raw.ts';
import type { SpokenRequest } from './spoken-request.ts';
import { wireSchema } from './wire-schema.ts';

/** The SDK demands `strict`, which not every compatible server knows. */
type ResponsesTool = Omit<FunctionTool, 'strict'> & { readonly strict?: boolean };
type ResponsesBody = Omit<ResponseCreateParams, 'tools'> & { readonly tools?: readonly ResponsesTool[] };

/**
 * The body of `POST /responses`. System texts stay items where they stand, not `instructions`: so the input only ever
 * grows at its end, whatever the caller appends, and its prefix stays in the server's cache.
 */
export function responsesRequest(request: SpokenRequest): ResponsesBody {
  const { dialect } = request;
  const effort = effortOf(dialect);
  return {
    model: request.model,
    input: request.messages.flatMap((message) => inputItems(message, dialect)),
    ...(request.tools.length === 0 ? {} : toolParameters(request)),
    max_output_tokens: request.maxOutputTokens,
    ...(dialect.temperature === null ? {} : { temperature: dialect.temperature }),
    ...(effort === null ? {} : { reasoning: { effort } }),
    ...(dialect.promptCacheKey ? { prompt_cache_key: request.cacheKey } : {}),
    // The default is to keep the text of private repositories on the server.
    ...(dialect.store ? { store: false } : {}),
    ...(dialect.stream ? { stream: true } : {}),
    ...(dialect.encryptedReasoning ? { include: ['reasoning.encrypted_content'] } : {}),
  } satisfies ResponsesBody;
}

function toolParameters({ tools, dialect, forcedTool }: SpokenRequest) {
  return {
    tools: tools.map((tool) => responsesTool(tool, dialect)),
    ...(dialect.parallelToolCalls ? { parallel_tool_calls: true } : {}),
    ...(forcedTool === null ? {} : { tool_choice: { type: 'function', name: forcedTool } }),
  } satisfies Partial<ResponsesBody>;
}

function responsesTool(tool: ToolDefinition, dialect: Dialect): ResponsesTool {
  return {
    type: 'function',
    name: tool.name,
    description: tool.description,
    parameters: wireSchema(tool.parameters),
    // Left out it would mean true, to a server that knows it.
    ...(dialect.strict === null ? {} : { strict: dialect.strict }),
  };
}

function inputItems(message: Message, dialect: Dialect): readonly ResponseInputItem[] {
  if (message.role === 'tool') {
    return [{ type: 'function_call_output', call_id: message.callId, output: message.text }];
  }
  if (message.role === 'user') return [{ role: 'user', content: userContent(message) }];
  if (message.role === 'system') return [{ role: 'system', content: message.text }];
  return (dialect.verbatimReplay ? verbatimItems(message) : null) ?? rebuilt(message);
}

function userContent({ text, images = [] }: UserMessage): string | ResponseInputContent[] {
  return images.length === 0 ? text : [{ type: 'input_text', text }, ...images.map(inputImage)];
}

function inputImage(image: ImagePart): ResponseInputContent {
  return { type: 'input_image', image_url: dataUrl(image), detail: image.detail };
}

function rebuilt(message: AssistantMessage): readonly ResponseInputItem[] {
  const calls = message.toolCalls.map(
    (call) =>
      ({
        type: 'function_call',
        call_id: call.id,
        name: call.name,
        arguments: call.arguments,
      }) satisfies ResponseInputItem,
  );
  if (message.text === '') return calls;
  return [{ role: 'assistant', content: message.text }, ...calls];
}
