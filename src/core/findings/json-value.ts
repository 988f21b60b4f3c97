export type JsonObject = { readonly [name: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The first of these properties that the object has itself and that is not null; null when there is none. */
export function firstOf(object: JsonObject, ...names: readonly string[]): unknown {
  for (const name of names) {
    const value = Object.hasOwn(object, name) ? object[name] : null;
    if (value !== null && value !== undefined) return value;
  }
  return null;
}
