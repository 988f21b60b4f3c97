import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionContentPart,
  ChatCompletionCreateParams,
  ChatCompletionFunctionTool,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import type { ImagePart } from '../../core/agent/image-part.ts';
import type { AssistantMessage, Message, UserMessage } from '../../core/agent/message.ts';
import type { ToolDefinition } from '../../core/agent/model.ts';
import { dataUrl } from './data-url.ts';
import type { Dialect } from './dialect.ts';
import { effortOf } from './effort.ts';
import { verbatimChat } from './raw.ts';
import type { SpokenRequest } from './spoken-request.ts';
import { wireSchema } from './wire-schema.ts';

/** The body of `POST /chat/completions`. What the server refused before is left out. */
export function chatRequest(request: SpokenRequest): ChatCompletionCreateParams {
  const { dialect } = request;
  const effort = effortOf(dialect);
  return {
    model: request.model,
    messages: request.messages.map((message) => chatMessage(message, dialect)),
    ...(request.tools.length === 0 ? {} : toolParameters(request)),
    ...{ [dialect.tokensParameter]: request.maxOutputTokens },
    ...(dialect.temperature === null ? {} : { temperature: dialect.temperature }),
    ...(effort === null ? {} : { reasoning_effort: effort }),
    ...(dialect.promptCacheKey ? { prompt_cache_key: request.cacheKey } : {}),
    ...(dialect.stream ? streaming(dialect) : {}),
  } satisfies ChatCompletionCreateParams;
}

function streaming({ streamUsage }: Dialect) {
  return { stream: true, ...(streamUsage ? { stream_options: { include_usage: true } } : {}) } as const;
}

function toolParameters({ tools, dialect, forcedTool }: SpokenRequest) {
  return {
    tools: tools.map((tool) => chatTool(tool, dialect)),
    ...(dialect.parallelToolCalls ? { parallel_tool_calls: true } : {}),
    ...(forcedTool === null ? {} : { tool_choice: { type: 'function', function: { name: forcedTool } } }),
  } satisfies Partial<ChatCompletionCreateParams>;
}

function chatTool(tool: ToolDefinition, dialect: Dialect): ChatCompletionFunctionTool {
  return {
    type: 'function',
    function: {
      name: tool.name,
      description: tool.description,
      parameters: wireSchema(tool.parameters),
      ...(dialect.strict ? { strict: true } : {}),
    },
  };
}

function chatMessage(message: Message, dialect: Dialect): ChatCompletionMessageParam {
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.callId, content: message.text };
  if (message.role === 'user') return { role: 'user', content: userContent(message) };
  if (message.role === 'system') return { role: 'system', content: message.text };
  return (dialect.verbatimReplay ? verbatimChat(message) : null) ?? rebuilt(message);
}

function userContent({ text, images = [] }: UserMessage): string | ChatCompletionContentPart[] {
  return images.length === 0 ? text : [{ type: 'text', text }, ...images.map(imagePart)];
}

function imagePart(image: ImagePart): ChatCompletionContentPart {
  return { type: 'image_url', image_url: { url: dataUrl(image), detail: image.detail } };
}

function rebuilt(message: AssistantMessage): ChatCompletionAssistantMessageParam {
  if (message.toolCalls.length === 0) return { role: 'assistant', content: message.text };
  return {
    role: 'assistant',
    content: message.text === '' ? null : message.text,
    tool_calls: message.toolCalls.map((call) => ({
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: call.arguments },
    })),
  };
}
