import { imagesOf } from '../../core/agent/message.ts';
import type { ModelRequest } from '../../core/agent/model.ts';
import type { ModelStep } from '../../core/events.ts';
import type { Dialect } from './dialect.ts';
import {
  asksForResponses,
  isUnknown,
  lacksImages,
  lacksResponses,
  lacksTools,
  mentions,
  quotes,
  refusesReplay,
  refusesSchema,
  refusesStream,
  type ServerWords,
} from './refusals.ts';

/** What was sent, and what the server said to it. */
export type Refusal = { readonly words: ServerWords; readonly dialect: Dialect; readonly request: ModelRequest };

export type Step = {
  /** Each is taken at most once in a run. */
  readonly step: ModelStep;
  /** What changes, for people. */
  readonly change: string;
  readonly dialect: Dialect;
};

type Rung = {
  readonly step: ModelStep;
  readonly change: string;
  readonly applies: (refusal: Refusal) => boolean;
  readonly adjust: (refusal: Refusal) => Partial<Dialect> | null;
};

/** The first step that answers the server's own words and changes what was sent; null when there is none left. */
export function nextStep(refusal: Refusal, taken: ReadonlySet<ModelStep>): Step | null {
  if (!refusing.has(refusal.words.status)) return null;
  for (const { step, change, applies, adjust } of ladder) {
    if (taken.has(step) || !applies(refusal)) continue;
    const adjusted = adjust(refusal);
    if (adjusted !== null) return { step, change, dialect: { ...refusal.dialect, ...adjusted } };
  }
  return null;
}

/** Statuses that refuse a request as it is. 500 and 501 are how llama.cpp refuses tools; 413 and 429 never are. */
const refusing: ReadonlySet<number> = new Set([400, 404, 405, 422, 500, 501]);

/** The order matters: words of an upper rung may contain those of a lower. */
const ladder: readonly Rung[] = [
  {
    step: 'without-images',
    change: 'sending no images, because the model takes text alone',
    applies: ({ words }) => lacksImages(words),
    adjust: ({ dialect, request }) =>
      dialect.images && request.messages.some((message) => imagesOf(message).length > 0) ? { images: false } : null,
  },
  {
    step: 'responses-api',
    change: 'using the Responses API instead of Chat Completions',
    applies: ({ words, dialect }) => dialect.api === 'chat' && dialect.apiMaySwitch && asksForResponses(words),
    adjust: () => ({ api: 'responses', promptCacheKey: true }),
  },
  {
    step: 'chat-completions',
    change: 'using Chat Completions instead of the Responses API',
    applies: ({ words, dialect }) => dialect.api === 'responses' && dialect.apiMaySwitch && lacksResponses(words),
    adjust: () => ({ api: 'chat' }),
  },
  {
    step: 'reasoning-none',
    change: "sending reasoning effort 'none'",
    applies: ({ words }) => /set reasoning_effort to 'none'/i.test(words.all),
    adjust: ({ dialect }) => (dialect.reasoningEffort === 'none' ? null : { reasoningEffort: 'none' }),
  },
  {
    step: 'no-reasoning-effort',
    change: 'not sending the reasoning effort',
    applies: ({ words }) => mentions(words, 'reasoning_effort') || quotes(words, 'reasoning'),
    adjust: ({ dialect }) => (dialect.reasoningEffort === null ? null : { reasoningEffort: null }),
  },
  {
    step: 'no-stream-usage',
    change: 'not asking for the usage at the end of a stream',
    applies: ({ words }) => mentions(words, 'stream_options') || mentions(words, 'include_usage'),
    adjust: ({ dialect }) =>
      dialect.api === 'chat' && dialect.stream && dialect.streamUsage ? { streamUsage: false } : null,
  },
  {
    step: 'no-stream',
    change: 'not streaming',
    applies: ({ words }) => refusesStream(words),
    adjust: ({ dialect }) => (dialect.stream ? { stream: false } : null),
  },
  {
    step: 'fewer-output-tokens',
    change: 'asking for no more output tokens than the server allows',
    applies: ({ words }) => !/unsupported parameter/i.test(words.message),
    adjust: ({ words, request, dialect }) => {
      const clamp = clampFrom(words.message, Math.min(request.maxOutputTokens, dialect.outputTokensClamp ?? Infinity));
      return clamp === null ? null : { outputTokensClamp: clamp };
    },
  },
  {
    step: 'max-tokens',
    change: 'sending max_tokens instead of max_completion_tokens',
    applies: ({ words, dialect }) => dialect.api === 'chat' && mentions(words, 'max_completion_tokens'),
    adjust: ({ dialect }) => (dialect.tokensParameter === 'max_tokens' ? null : { tokensParameter: 'max_tokens' }),
  },
  {
    step: 'no-temperature',
    change: 'not sending the temperature',
    applies: ({ words }) => mentions(words, 'temperature'),
    adjust: ({ dialect }) => (dialect.temperature === null ? null : { temperature: null }),
  },
  {
    step: 'no-parallel-calls',
    change: 'not sending parallel_tool_calls',
    applies: ({ words }) => mentions(words, 'parallel_tool_calls'),
    adjust: ({ dialect }) => (dialect.parallelToolCalls ? { parallelToolCalls: false } : null),
  },
  {
    step: 'no-cache-breakpoint',
    change: 'not sending prompt_cache_breakpoint',
    applies: ({ words }) => mentions(words, 'prompt_cache_breakpoint'),
    adjust: ({ dialect }) => (dialect.cacheBreakpoints ? { cacheBreakpoints: false } : null),
  },
  {
    step: 'no-cache-key',
    change: 'not sending prompt_cache_key',
    applies: ({ words }) => mentions(words, 'prompt_cache_key'),
    adjust: ({ dialect }) => (dialect.promptCacheKey ? { promptCacheKey: false } : null),
  },
  {
    step: 'no-encrypted-reasoning',
    change: 'not asking for encrypted reasoning',
    applies: ({ words }) => quotes(words, 'include') || /encrypted[ _]content/i.test(words.all),
    adjust: ({ dialect }) =>
      dialect.api === 'responses' && dialect.encryptedReasoning ? { encryptedReasoning: false } : null,
  },
  {
    step: 'plain-replay',
    change: "sending earlier answers as plain messages, without the server's own fields",
    applies: ({ words }) => refusesReplay(words),
    adjust: ({ dialect, request }) =>
      dialect.verbatimReplay && request.messages.some((message) => message.role === 'assistant')
        ? { verbatimReplay: false }
        : null,
  },
  {
    step: 'no-store',
    change: 'not sending store',
    applies: ({ words }) => quotes(words, 'store') && !refusesReplay(words),
    adjust: ({ dialect }) => (dialect.api === 'responses' && dialect.store ? { store: false } : null),
  },
  {
    step: 'no-strict',
    change: 'not sending strict',
    applies: ({ words }) => quotes(words, 'strict') && isUnknown(words),
    adjust: ({ dialect }) => (dialect.strict !== null && dialect.nativeTools ? { strict: null } : null),
  },
  {
    step: 'loose-schemas',
    change: 'not asking for strict tool schemas',
    applies: ({ words }) => quotes(words, 'strict') || refusesSchema(words),
    adjust: ({ dialect }) => (dialect.strict && dialect.nativeTools ? { strict: false } : null),
  },
  {
    step: 'text-calls',
    change: 'calling tools in text, because the server does not offer function calling',
    applies: ({ words }) => lacksTools(words) || refusesSchema(words),
    adjust: ({ dialect, request }) => (dialect.nativeTools && request.tools.length > 0 ? { nativeTools: false } : null),
  },
  {
    step: 'free-choice',
    change: 'leaving the choice of the tool to the model',
    applies: ({ words, request }) => request.toolChoice !== 'auto' && /tool[ _]choice/i.test(words.all),
    adjust: ({ dialect }) => (dialect.forcedToolChoice && dialect.nativeTools ? { forcedToolChoice: false } : null),
  },
];

/** Fewer output tokens than this make no review: then the prompt is what has to shrink. */
const smallestUseful = 256;
const smallestRoom = 1024;

/**
 * The output tokens to ask for instead of `requested`, from the limit that the server named; null when the
 * message is about something else.
 */
function clampFrom(message: string, requested: number): number | null {
  return roomInContext(message, requested) ?? statedLimit(message, requested);
}

// "maximum context length is 8192 tokens … 300 input tokens": a quarter of the window serves later, longer prompts too.
function roomInContext(message: string, requested: number): number | null {
  const window = /context (?:length|window|size)\D{0,40}(\d+)/i.exec(message)?.[1];
  const input = /(?<!\d)(\d+) (?:input tokens|in the messages|of text input|tokens in the prompt)/i.exec(message)?.[1];
  if (window === undefined || input === undefined) return null;
  const room = Number(window) - Number(input);
  if (room < smallestRoom) return null;
  return below(Math.min(room, Math.floor(Number(window) / 4)), requested);
}

// The limit is the largest number below the one that was sent: "too large: 20000 … at most 16384", "range is [1, 8192]".
function statedLimit(message: string, requested: number): number | null {
  if (!/max_(completion_|output_)?tokens|output tokens/i.test(message)) return null;
  if (!/large|at most|maximum|less than|<=|>|range|exceed|above/i.test(message)) return null;
  if (/context length/i.test(message)) return null;
  const numbers = [...message.matchAll(/(?<![\w.-])\d{2,}(?![\w-])/g)].map((found) => Number(found[0]));
  const limit = Math.max(...numbers.filter((number) => number < requested), 0);
  return below(limit, requested);
}

function below(limit: number, requested: number): number | null {
  return limit >= smallestUseful && limit < requested ? limit : null;
}
