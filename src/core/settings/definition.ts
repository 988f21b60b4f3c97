export type SettingKind = 'string' | 'integer' | 'number' | 'boolean' | 'list' | 'choice';

/** One setting: the source of the parser, of the config file's JSON Schema, of action.yml's inputs and of the flags. */
export type Definition = {
  readonly kind: SettingKind;
  /** As a person writes it; '' is "not set". */
  readonly default: string;
  readonly description: string;
  readonly choices?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  /** Only from inputs, flags or environment: a repository may not choose where the key goes or what is written where. */
  readonly locked?: true;
  /** The config file may lower it, never raise it. */
  readonly limit?: true;
  /** A list in which YAML may also write an item as `name: text`, without quotes. */
  readonly pairs?: true;
  /** For text of a form of its own: what is allowed, when the items are not; null when they are. */
  readonly problem?: (items: readonly string[]) => string | null;
};
