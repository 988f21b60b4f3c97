import { isObject } from './json.ts';

type Fields = { readonly [name: string]: unknown };

/** A body with fields that the user adds: objects are merged, everything else is replaced. Keys keep their order, for the cache. */
export function withExtra(body: object, extra: Fields): Fields {
  const merged: { [name: string]: unknown } = { ...body };
  for (const [name, value] of Object.entries(extra)) {
    const held = merged[name];
    merged[name] = isObject(held) && isObject(value) ? withExtra(held, value) : value;
  }
  return merged;
}
