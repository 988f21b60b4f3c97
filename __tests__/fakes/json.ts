export type JsonObject = { readonly [name: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Follows names and indexes into parsed JSON; undefined where the way ends. */
export function at(value: unknown, ...way: readonly (string | number)[]): unknown {
  let current = value;
  for (const step of way) {
    if (Array.isArray(current) && typeof step === 'number') current = current[step];
    else if (isObject(current) && typeof step === 'string') current = current[step];
    else return undefined;
  }
  return current;
}

export function textAt(value: unknown, ...way: readonly (string | number)[]): string {
  const found = at(value, ...way);
  return typeof found === 'string' ? found : '';
}

export function listAt(value: unknown, ...way: readonly (string | number)[]): readonly unknown[] {
  const found: unknown = at(value, ...way);
  return Array.isArray(found) ? found : [];
}

/** Null instead of an exception for text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
