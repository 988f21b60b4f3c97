import { estimateTokenCount } from 'tokenx';
import { imagesOf, type Message } from './message.ts';
import type { ModelRequest, ToolDefinition, Usage } from './model.ts';

/** Longest text that is counted whole: 200,000 characters take up to 60 ms. */
const wholeCharacters = 200_000;
const sampleCharacters = 10_000;
const samples = 20;
/** tokenx counts a run of spaces as nothing; no tokenizer packs more than this into a token for long. */
const maxCharactersPerToken = 16;
/** Role, separators and ids of a message or a tool. */
const tokensPerItem = 8;

/** Tokens of a text, estimated: within about 7 % on code. Longer texts than 200,000 characters are sampled. */
export function estimateTokens(text: string): number {
  const tokens = text.length <= wholeCharacters ? estimateTokenCount(text) : estimateFromSamples(text);
  return Math.max(tokens, Math.ceil(text.length / maxCharactersPerToken));
}

/** Estimates whole requests. Messages and tools are remembered by identity: a round costs only what it added. */
export function requestEstimator(estimateText: (text: string) => number): RequestEstimator {
  const known = new WeakMap<object, number>();
  return ({ messages, tools }) => {
    let tokens = 0;
    for (const item of [...messages, ...tools]) {
      const itemTokens = known.get(item) ?? estimateText(textOf(item)) + tokensPerItem + imageTokens(item);
      known.set(item, itemTokens);
      tokens += itemTokens;
    }
    return tokens;
  };
}

export type RequestEstimator = (request: Pick<ModelRequest, 'messages' | 'tools'>) => number;

function estimateFromSamples(text: string): number {
  const stride = (text.length - sampleCharacters) / (samples - 1);
  let tokens = 0;
  for (let index = 0; index < samples; index += 1) {
    const start = Math.floor(index * stride);
    tokens += estimateTokenCount(text.slice(start, start + sampleCharacters));
  }
  return Math.ceil((tokens / (samples * sampleCharacters)) * text.length);
}

function imageTokens(item: Message | ToolDefinition): number {
  if ('parameters' in item) return 0;
  return imagesOf(item).reduce((sum, { tokens }) => sum + tokens, 0);
}

function textOf(item: Message | ToolDefinition): string {
  if ('parameters' in item) return JSON.stringify([item.name, item.description, item.parameters]);
  if (item.role !== 'assistant') return item.text;
  // The provider's own items are what is sent again: they also hold the reasoning.
  if (item.raw !== null && item.raw !== undefined) return JSON.stringify(item.raw);
  return [item.text, ...item.toolCalls.map((call) => `${call.name} ${call.arguments}`)].join('\n');
}

/** The size of a model call in tokens: the estimate of its prompt, and the most it may write. */
export type CallSize = { readonly input: number; readonly output: number };

/** Estimates of prompts are a few per cent off on code. */
const margin = 1.15;
/** A ratio of reported to estimated input is believed at once when it rises, and forgotten slowly. */
const memory = 0.8;

/** How far estimates of this run's prompts were off, learned from what the provider reports. */
export function estimateRatio() {
  let factor = 1;
  return {
    /** Tokens of a prompt, by what is known. */
    corrected: (input: number) => Math.ceil(input * factor),
    /** What to set aside for a call. */
    reserved: ({ input, output }: CallSize): CallSize => ({ input: Math.ceil(input * factor * margin), output }),
    learn: (call: CallSize, usage: Usage) => {
      if (usage.estimated || usage.input === 0 || call.input === 0) return;
      const ratio = usage.input / call.input;
      factor = Math.max(1, ratio, memory * factor + (1 - memory) * ratio);
    },
  };
}
