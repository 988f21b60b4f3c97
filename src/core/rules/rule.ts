import type { Category } from '../findings/finding.ts';
import type { SecretGroup } from '../repository/secret-kinds.ts';
import type { Severity } from '../settings/severity.ts';

/** Parts of a file that a rule may pass over. */
export const skippable = ['comments', 'strings', 'fences'] as const;
export type Skippable = (typeof skippable)[number];

/** A rule file: front matter, and a Markdown body that is guidance. With a pattern the rule engine runs it, without a model. */
export type Rule = {
  readonly id: string;
  readonly title: string;
  readonly severity: Severity;
  readonly category: Category;
  /** Globs; empty is every path. */
  readonly paths: readonly string[];
  /** Names as `language.ts` lists them; empty is every file, also those of no known language. */
  readonly languages: readonly string[];
  /** RE2 syntax, matched against added lines; null when the rule is guidance only. */
  readonly pattern: string | null;
  /** The rule also finds the credentials of this group that Postil knows; null for none. */
  readonly secrets: SecretGroup | null;
  /** One finding per file, which names the other lines. */
  readonly oncePerFile: boolean;
  /** The pattern reads runs of added lines, and not one line at a time. */
  readonly multiLine: boolean;
  /** What the pattern does not see. */
  readonly skip: readonly Skippable[];
  /** Set, the pattern captures a credential: only one of at least this many bits a character counts, and it is shown nowhere. */
  readonly entropy: number | null;
  /** Characters that such a credential has at least. */
  readonly minLength: number;
  /** Of one run; the others are counted in the last one. */
  readonly maxFindings: number;
  readonly guidance: string;
  /** Code that must not match and code that must: the rule's own tests. */
  readonly good: readonly Example[];
  readonly bad: readonly Example[];
  readonly origin: 'built-in' | 'repository';
};

/** Whether a rule can be run without a model. */
export function hasPattern({ pattern, secrets }: Pick<Rule, 'pattern' | 'secrets'>): boolean {
  return pattern !== null || secrets !== null;
}

/** Whether what a rule finds are credentials, which are shown nowhere. */
export function isAboutSecrets({ entropy, secrets }: Pick<Rule, 'entropy' | 'secrets'>): boolean {
  return entropy !== null || secrets !== null;
}

/** A line, or a whole block where the rule is `multi-line`. */
export type Example = {
  readonly text: string;
  /** Of the block that it stands in; null when that names none. */
  readonly language: string | null;
};
