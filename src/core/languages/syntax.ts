/** What a definition is; words that people of most languages know. */
export type DefinitionKind =
  | 'function'
  | 'method'
  | 'class'
  | 'interface'
  | 'struct'
  | 'trait'
  | 'enum'
  | 'type'
  | 'module'
  | 'constant'
  | 'variable'
  | 'field'
  | 'macro';

/** Lines are 1-based and inclusive. */
export type Definition = {
  readonly name: string;
  readonly kind: DefinitionKind;
  /** What it stands in, outermost first, such as `Cart.total`; null at the top of the file. */
  readonly container: string | null;
  readonly startLine: number;
  /** Where its head ends and its body begins; `endLine` when it has no body. */
  readonly signatureEndLine: number;
  readonly endLine: number;
  /** It only declares what has its body elsewhere, as the headers of C and C++ do. */
  readonly prototype?: true;
};

/** A name used: not where it is defined, and not a parameter or local variable. */
export type Reference = {
  readonly name: string;
  readonly line: number;
  /** It is called, or an object is made of it. */
  readonly call: boolean;
  /** It stands behind a dot: whose member it is, only types would tell. */
  readonly member: boolean;
};

export type ImportedName = {
  /** As the imported file calls it; `default` and `*` as in ECMAScript. */
  readonly name: string;
  /** As this file calls it. */
  readonly local: string;
};

export type Import = {
  /** As written, without quotes: `./tax.ts`, `..models.order`, `example.com/shop/tax`, `com.shop.Tax`. */
  readonly source: string;
  /** Empty when the language does not say, or the whole is imported. */
  readonly names: readonly ImportedName[];
  readonly line: number;
};

export type FileSyntax = {
  /** Such as `typescript`; files of one language can define what others of it use. */
  readonly language: string;
  /** In the order of the file; outer ones before what they hold. */
  readonly definitions: readonly Definition[];
  readonly references: readonly Reference[];
  readonly imports: readonly Import[];
};

export type SourceFile = { readonly path: string; readonly text: string };

/** Parses source files. Never throws, whatever the text. */
export interface Syntax {
  /** The language of a path, by its name alone; null when no parser knows it. */
  languageOf(path: string): string | null;
  /** Null for an unknown language, when `milliseconds` are over, and when most of the text is no code of its language. */
  parse(file: SourceFile, limits: { milliseconds: number }): Promise<FileSyntax | null>;
}
