import { Ajv, type AnySchemaObject, type ErrorObject, type ValidateFunction } from 'ajv';

type TypeName = 'string' | 'integer' | 'number' | 'boolean' | 'null' | 'object' | 'array';

/** The part of JSON Schema that Postil writes: all of it is accepted by strict function calling. */
export type Schema = {
  readonly type?: TypeName | readonly TypeName[];
  readonly enum?: readonly (string | number | boolean | null)[];
  readonly description?: string;
  readonly properties?: { readonly [name: string]: Schema } | undefined;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema | undefined;
  readonly items?: Schema | undefined;
  /** Objects told apart by the value of one property, which `discriminator` names. */
  readonly oneOf?: readonly Schema[] | undefined;
  readonly discriminator?: { readonly propertyName: string };
  readonly minimum?: number;
  readonly maximum?: number;
  /** Bounds for files that we read back; strict function calling refuses these three. */
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  /** Of the names in an object with `additionalProperties`: one could be that of a prototype. */
  readonly propertyNames?: Schema;
  /** Checks an object as no other keyword can, with the bounds that stand beside it. */
  readonly check?: (value: object, bounds: Pick<Schema, 'maxLength' | 'maxItems'>) => boolean;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
};

/** An object in which every property is there, and no other. */
export function exactly<const P extends { readonly [name: string]: Schema }>(properties: P) {
  const required = Object.keys(properties).filter((name): name is Extract<keyof P, string> => name in properties);
  return { type: 'object', additionalProperties: false, required, properties } as const;
}

/** The same object with properties that may be left out. */
export function withOptional<const R extends readonly string[], P extends Properties, const O extends Properties>(
  schema: {
    readonly type: 'object';
    readonly additionalProperties: false;
    readonly required: R;
    readonly properties: P;
  },
  optional: O,
) {
  return { ...schema, properties: { ...schema.properties, ...optional } };
}

type Properties = { readonly [name: string]: Schema };

/** One of several objects, told apart by the value of this property. */
export function oneOf<const B extends readonly Schema[]>(propertyName: string, branches: B) {
  return { type: 'object', discriminator: { propertyName }, required: [propertyName], oneOf: branches } as const;
}

export const objectOrNull = { type: ['object', 'null'] } as const;
export const anyText = { type: 'string' } as const;
export const textOrNull = { type: ['string', 'null'] } as const;
export const yesOrNo = { type: 'boolean' } as const;
export const count = { type: 'integer', minimum: 0 } as const;
export const countOrNull = { type: ['integer', 'null'], minimum: 0 } as const;
/** Only there where it is so. */
export const onlyTrue = { enum: [true] } as const;
/** US$. */
export const costOrNull = { type: ['number', 'null'], description: 'US$; null without `pricing`.' } as const;

export function listOf<const S extends Schema>(items: S, description = '') {
  return { type: 'array', items, ...(description === '' ? {} : { description }) } as const;
}

type Scalars = { string: string; integer: number; number: number; boolean: boolean; null: null };

type OfType<T, S> = T extends keyof Scalars
  ? Scalars[T]
  : T extends 'array'
    ? S extends { items: infer I }
      ? readonly Infer<I>[]
      : readonly unknown[]
    : T extends 'object'
      ? ObjectOf<S>
      : never;

type ObjectOf<S> = S extends { properties: infer P }
  ? Joined<
      { readonly [K in keyof P & RequiredOf<S>]: Infer<P[K]> } & {
        readonly [K in Exclude<keyof P, RequiredOf<S>>]?: Infer<P[K]>;
      }
    >
  : S extends { additionalProperties: infer A extends Schema }
    ? { readonly [name: string]: Infer<A> }
    : { readonly [name: string]: unknown };

/** Shown as one object where an error tells of it. */
type Joined<B> = B extends infer T ? { [K in keyof T]: T[K] } : never;

type RequiredOf<S> = S extends { required: readonly (infer R)[] } ? R : never;

/** The TypeScript type of the values that a schema accepts. */
export type Infer<S> = S extends { examples: readonly (infer T)[] }
  ? T
  : S extends { oneOf: readonly (infer B)[] }
    ? Infer<B> | (S extends { type: readonly unknown[] } ? null : never)
    : S extends { enum: readonly (infer E)[] }
      ? E
      : S extends { type: readonly (infer T)[] }
        ? OfType<T, S>
        : S extends { type: infer T }
          ? OfType<T, S>
          : unknown;

export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * One schema gives the type and the parser. The validator is compiled at its first use. `firstProblem` tells that one alone: a hostile file of
 * megabytes must not make a problem of every byte.
 */
export function parserFor<const S extends Schema>(
  schema: S,
  { firstProblem = false }: { firstProblem?: boolean } = {},
): (value: unknown) => Parsed<Infer<S>> {
  let validate: ValidateFunction<Infer<S>> | undefined;
  return (value) => {
    validate ??= compiler(!firstProblem).compile<Infer<S>>(schema);
    if (validate(value)) return { ok: true, value };
    const errors = validate.errors ?? [];
    return { ok: false, problems: (firstProblem ? errors.slice(0, 1) : errors).map(problem) };
  };
}

const compilers = new Map<boolean, Ajv>();

/** One for all, made at its first use. Checking our own typed schemas against the schema of schemas took longer than all else. */
function compiler(allErrors: boolean): Ajv {
  const known = compilers.get(allErrors);
  if (known !== undefined) return known;
  const made = new Ajv({
    allErrors,
    allowUnionTypes: true,
    strict: false,
    discriminator: true,
    meta: false,
    validateSchema: false,
    // A validator runs a few times in a job: that does not pay for optimising it.
    code: { optimize: false },
  });
  made.addKeyword({
    keyword: 'check',
    type: 'object',
    validate: (check: NonNullable<Schema['check']>, value: object, schema: AnySchemaObject = {}) =>
      check(value, { maxLength: schema['maxLength'], maxItems: schema['maxItems'] }),
    error: { message: 'is not of the form that this version of Postil writes' },
  });
  compilers.set(allErrors, made);
  return made;
}

function problem(error: ErrorObject): string {
  const place = error.instancePath === '' ? 'the value' : error.instancePath.slice(1).replaceAll('/', '.');
  if (error.keyword === 'enum') return `${place} must be one of ${error.params['allowedValues'].join(', ')}`;
  if (error.keyword === 'additionalProperties') {
    return `${place} has an unknown property ${JSON.stringify(error.params['additionalProperty']).slice(0, 100)}`;
  }
  return `${place} ${error.message ?? 'is not valid'}`;
}
