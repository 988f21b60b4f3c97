import type { Price } from '../agent/price.ts';
import type { Pricing } from './settings.ts';

/** Stands for every model without a line of its own. */
const everyModel = '*';

export type ParsedPricing = { readonly pricing: Pricing; readonly problems: readonly string[] };

/** Lines such as `input=1.25,cached=0.125,output=10`, US$ per million tokens, each with a model's name and a colon before it or for all models. */
export function parsePricing(lines: readonly string[]): ParsedPricing {
  const pricing = new Map<string, Price>();
  const problems: string[] = [];
  for (const line of lines) {
    const { model = everyModel, parts = '' } = linePattern.exec(line)?.groups ?? {};
    const price = parsePrice(parts);
    if (typeof price === 'string') problems.push(`${JSON.stringify(line)}: ${price}`);
    else pricing.set(model.trim(), price);
  }
  return { pricing: Object.fromEntries(pricing), problems };
}

/** What a model costs; null when no line says it. */
export function priceOf(pricing: Pricing, model: string): Price | null {
  const named = Object.entries(pricing).find(([name]) => name === model);
  return named?.[1] ?? Object.entries(pricing).find(([name]) => name === everyModel)?.[1] ?? null;
}

/** What a model costs by a line of its own: one for all models would be far off for a model of another kind. */
export function ownPriceOf(pricing: Pricing, model: string): Price | null {
  return Object.entries(pricing).find(([name]) => name === model)?.[1] ?? null;
}

// The name of a model may hold a colon itself, as at Ollama.
const linePattern = /^(?:(?<model>.+?)\s*:\s*)?(?<parts>[a-z]+\s*=.*)$/i;
const names = ['input', 'cached', 'output'];

/** A price, or what is wrong with it. */
function parsePrice(text: string): Price | string {
  const parts = new Map<string, number>();
  for (const part of text.split(',')) {
    const { name = '', amount = '' } =
      /^\s*(?<name>[a-z]+)\s*=\s*\$?(?<amount>\d+(?:\.\d+)?|\.\d+)\s*$/i.exec(part)?.groups ?? {};
    if (!names.includes(name.toLowerCase()))
      return `${JSON.stringify(part.trim())} is not input=…, cached=… or output=… with a number`;
    parts.set(name.toLowerCase(), Number(amount));
  }
  const input = parts.get('input');
  const output = parts.get('output');
  if (input === undefined || output === undefined) return 'input=… and output=… are both needed';
  return { input, cached: parts.get('cached') ?? input, output };
}
