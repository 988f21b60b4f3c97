import type { Category } from '../findings/finding.ts';
import type { Severity } from '../settings/severity.ts';

/** A rule file: front matter, and a Markdown body that is guidance. With a pattern the rule engine runs it, without a model. */
export type Rule = {
  readonly id: string;
  readonly title: string;
  readonly severity: Severity;
  readonly category: Category;
  /** Globs; empty is every path. */
  readonly paths: readonly string[];
  /** RE2 syntax, matched against single added lines; null when the rule is guidance only. */
  readonly pattern: string | null;
  readonly guidance: string;
  /** Lines that must not match and lines that must: the rule's own tests. */
  readonly good: readonly string[];
  readonly bad: readonly string[];
  readonly origin: 'built-in' | 'repository';
};
