import { at, isObject, listAt } from '../json.ts';

/** Why a schema is not one that strict function calling takes, in OpenAI's words; null when it is. */
export function strictSchemaProblem(schema: unknown, context: readonly string[] = []): string | null {
  if (!isObject(schema)) return `${place(context)}schema must be an object.`;
  for (const keyword of Object.keys(schema)) {
    if (!permitted.has(keyword)) return `${place(context)}'${keyword}' is not permitted.`;
  }
  const types = [at(schema, 'type')].flat();
  return (
    (types.includes('object') ? objectProblem(schema, context) : null) ??
    (types.includes('array') ? itemsProblem(schema, context) : null) ??
    firstProblem(listAt(schema, 'anyOf'), [...context, 'anyOf']) ??
    typeProblem(schema, context)
  );
}

const permitted = new Set([
  'type',
  'description',
  'title',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'enum',
  'const',
  'anyOf',
  '$ref',
  '$defs',
  'pattern',
  'format',
  'multipleOf',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minItems',
  'maxItems',
]);

function objectProblem(schema: unknown, context: readonly string[]): string | null {
  const properties = at(schema, 'properties');
  const names = isObject(properties) ? Object.keys(properties) : [];
  const required = listAt(schema, 'required');
  const missing = names.find((name) => !required.includes(name));
  if (at(schema, 'additionalProperties') !== false) {
    return `${place(context)}'additionalProperties' is required to be supplied and to be false.`;
  }
  if (missing !== undefined) {
    return `${place(context)}'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`;
  }
  const extra = required.find((name) => typeof name !== 'string' || !names.includes(name));
  if (extra !== undefined)
    return `${place(context)}'required' is required to be supplied and to be an array including every key in properties. Extra required key '${extra}' supplied.`;
  for (const name of names) {
    const problem = strictSchemaProblem(at(properties, name), [...context, 'properties', name]);
    if (problem !== null) return problem;
  }
  return null;
}

function itemsProblem(schema: unknown, context: readonly string[]): string | null {
  const items = at(schema, 'items');
  if (items === undefined) return `${place(context)}array schema missing items.`;
  return strictSchemaProblem(items, [...context, 'items']);
}

function firstProblem(schemas: readonly unknown[], context: readonly string[]): string | null {
  for (const [index, schema] of schemas.entries()) {
    const problem = strictSchemaProblem(schema, [...context, String(index)]);
    if (problem !== null) return problem;
  }
  return null;
}

function typeProblem(schema: unknown, context: readonly string[]): string | null {
  const told = ['type', 'enum', 'anyOf', '$ref', 'const'].some((keyword) => at(schema, keyword) !== undefined);
  return told ? null : `${place(context)}schema must have a 'type' key.`;
}

/** The place as a Python tuple, because that is how the server prints it. */
function place(context: readonly string[]): string {
  const names = context.map((name) => `'${name}'`).join(', ');
  return `In context=(${names}${context.length === 1 ? ',' : ''}), `;
}
