import type { components } from '@octokit/openapi-types';

type Schemas = components['schemas'];

type Partially<T> = T extends readonly (infer Item)[]
  ? readonly Partially<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]?: Partially<T[Key]> }
    : T;

/** The part of one of GitHub's own response types that the fake answers: a wrong name or type does not compile. */
export type RestShape<Name extends keyof Schemas> = Partially<Schemas[Name]>;
