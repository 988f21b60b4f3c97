import type { Schema } from '../../core/schema.ts';

/** A schema as strict function calling takes it: numeric bounds, defaults and examples are checked by ajv only. */
export function wireSchema(schema: Schema): { [key: string]: unknown } {
  const { minimum: _minimum, maximum: _maximum, default: _default, examples: _examples, ...kept } = schema;
  const nested: { [key: string]: unknown } = { ...kept };
  if (schema.items !== undefined) nested['items'] = wireSchema(schema.items);
  if (typeof schema.additionalProperties === 'object') {
    nested['additionalProperties'] = wireSchema(schema.additionalProperties);
  }
  if (schema.properties !== undefined) {
    const entries = Object.entries(schema.properties).map(([name, property]) => [name, wireSchema(property)]);
    nested['properties'] = Object.fromEntries(entries);
  }
  return nested;
}
