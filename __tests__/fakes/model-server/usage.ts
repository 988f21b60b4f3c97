import { at } from '../json.ts';
import type { NormalisedRequest } from './normalise.ts';

export type Counted = { readonly input: number; readonly cached: number };

/** Counts four characters a token, and finds the longest prefix that an earlier request had, as a provider's cache does. */
export class TokenCounter {
  readonly #seen: string[] = [];

  count(request: NormalisedRequest): Counted {
    const text = serialised(request.body);
    const shared = Math.max(0, ...this.#seen.map((earlier) => sharedPrefix(earlier, text)));
    this.#seen.push(text);
    return { input: tokensOf(text), cached: cachedTokens(shared) };
  }
}

export function tokensOf(text: string): number {
  return Math.ceil(text.length / 4);
}

/** Caching begins at 1,024 tokens and grows by 128. */
function cachedTokens(characters: number): number {
  const tokens = Math.floor(characters / 4);
  return tokens < 1024 ? 0 : tokens - (tokens % 128);
}

/** What the model reads, in the order in which it reads it. */
function serialised(body: unknown): string {
  const parts = [at(body, 'tools'), at(body, 'instructions'), at(body, 'messages') ?? at(body, 'input')];
  // Without the closing bracket, so that a longer history begins with the whole of a shorter one.
  return parts.map((part) => JSON.stringify(part ?? '', withoutPixels).replace(/]$/, '')).join('\n');
}

/** An image is not paid by its letters: its end stands for it, padded to the 85 tokens of a low detail. */
function withoutPixels(_name: string, value: unknown): unknown {
  return typeof value === 'string' && value.startsWith('data:image/') ? value.slice(-40).padStart(340, '#') : value;
}

function sharedPrefix(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  let index = 0;
  while (index < length && one.charCodeAt(index) === other.charCodeAt(index)) index += 1;
  return index;
}
