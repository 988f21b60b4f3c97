import { type Infer, type Parsed, parserFor, type Schema } from './schema.ts';

/** Writes a text as it is to stand in the file; `place` is such as `filesReview.title`. */
export type WriteText = (text: string, place: string) => string;

/** A value as its file holds it: what its schema names, in snake_case. Words of a closed list and names in maps are written as they are. */
export function encode<const S extends Schema>(schema: S, value: Infer<S>, write: WriteText): unknown {
  return encoded(value, { schema, place: '' }, write);
}

function encoded(value: unknown, { schema, place }: { schema: Schema; place: string }, write: WriteText): unknown {
  if (typeof value === 'string') return schema.enum === undefined ? write(value, place) : value;
  // Clocks count fractions of milliseconds.
  if (typeof value === 'number') return schema.type === 'integer' ? Math.round(value) : value;
  if (Array.isArray(value)) return value.map((item) => encoded(item, { schema: schema.items ?? {}, place }, write));
  if (typeof value !== 'object' || value === null) return value;
  const held = new Map<string, unknown>(Object.entries(value));
  const { properties, additionalProperties } = branchOf(schema, held);
  const inside = (name: string) => (place === '' ? name : `${place}.${name}`);
  if (properties === undefined) {
    const each = typeof additionalProperties === 'object' ? additionalProperties : {};
    return Object.fromEntries(
      [...held].map(([name, item]) => [name, encoded(item, { schema: each, place: inside(name) }, write)]),
    );
  }
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => held.get(name) !== undefined)
      .map(([name, part]) => [fileName(name), encoded(held.get(name), { schema: part, place: inside(name) }, write)]),
  );
}

/** Reads what `encode` wrote, or what somebody made of it, and tells the first problem alone: a file may come from a stranger. */
export function readerFor<const S extends Schema>(schema: S): (value: unknown) => Parsed<Infer<S>> {
  const parse = parserFor(schema, { firstProblem: true });
  return (value) => {
    const parsed = parse(decoded(value, schema));
    return parsed.ok ? parsed : { ok: false, problems: parsed.problems.map(fileName) };
  };
}

/** In the names of the code. A name that the file should not have gets one that no schema has, so it is found. */
function decoded(value: unknown, schema: Schema): unknown {
  if (Array.isArray(value)) return value.map((item) => decoded(item, schema.items ?? {}));
  if (typeof value !== 'object' || value === null) return value;
  const held = Object.entries(value);
  const { properties, additionalProperties } = branchOf(schema, new Map(held));
  if (properties === undefined) {
    const each = typeof additionalProperties === 'object' ? additionalProperties : {};
    return Object.fromEntries(held.map(([name, item]) => [name, decoded(item, each)]));
  }
  const names = new Map(Object.entries(properties).map(([name, part]) => [fileName(name), { name, part }]));
  return Object.fromEntries(
    held.map(([key, item]) => {
      const known = names.get(key);
      return known === undefined ? [fileName(key), item] : [known.name, decoded(item, known.part)];
    }),
  );
}

/** Of several objects the one that the value says it is. */
function branchOf(schema: Schema, held: ReadonlyMap<string, unknown>): Schema {
  const { discriminator, oneOf = [] } = schema;
  if (discriminator === undefined) return schema;
  const { propertyName } = discriminator;
  const is = held.get(propertyName);
  return oneOf.find(({ properties }) => properties?.[propertyName]?.enum?.some((word) => word === is)) ?? schema;
}

/** Such as `start_line` for `startLine`. */
function fileName(name: string): string {
  return name.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Those of these fields that have a value: what is not known is not written. */
export function givenOf<T extends object>(fields: T): { readonly [K in keyof T]?: NonNullable<T[K]> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(entries) as { readonly [K in keyof T]?: NonNullable<T[K]> };
}
