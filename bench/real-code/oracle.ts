/** Where something is defined: the line of its name. 1-based. */
export type Target = { readonly path: string; readonly line: number; readonly name: string };

/** Lines of a file, 1-based and inclusive. */
export type Lines = { readonly path: string; readonly start: number; readonly end: number };

/** Who knows, without any of Postil's code, what a reader of some lines has to look up. */
export type Oracle = {
  /** Such as `Universal Ctags 5.9.0`. */
  readonly provenance: string;
  /** The bodies of functions, without their heads. */
  readonly bodies: readonly Lines[];
  /** The package's own definitions of names that these lines use, outside of themselves. */
  uses(lines: Lines): readonly Target[];
  /** Lines elsewhere that call the functions whose bodies these lines are in; null where it cannot tell. */
  readonly callers: ((lines: Lines) => readonly Target[]) | null;
};
