import type { Schema } from '../schema.ts';

type Properties = { readonly [name: string]: Schema };

/** An object in which every property is there, and no other. */
export function exactly<const P extends Properties>(properties: P) {
  const required = Object.keys(properties).filter((name): name is Extract<keyof P, string> => name in properties);
  return { type: 'object', additionalProperties: false, required, properties } as const;
}

export function listOf<const S extends Schema>(items: S, maxItems: number) {
  return { type: 'array', items, maxItems } as const;
}

// Without a maximum `1e999` would be a number.
export const count = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER } as const;
/** Milliseconds. */
export const time = { type: 'number', minimum: 0, maximum: Number.MAX_SAFE_INTEGER } as const;
/** US$. */
export const cost = { type: ['number', 'null'], minimum: 0, maximum: 1_000_000_000 } as const;
