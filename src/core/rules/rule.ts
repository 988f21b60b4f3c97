import { languageOf } from '../languages/languages.ts';
import type { Skippable } from '../languages/scan-code.ts';
import { anyGlob } from '../repository/path.ts';
import type { SecretGroup } from '../secrets/kinds.ts';
import type { Category, Severity } from '../settings/setting.ts';

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

/** Whether a rule is about a path. Globs without a slash match at any depth; those that start with `!` take paths out again. */
export function appliesTo(rule: Pick<Rule, 'paths' | 'languages'>): (path: string) => boolean {
  const included = rule.paths.filter((glob) => !glob.startsWith('!'));
  const excluded = rule.paths.filter((glob) => glob.startsWith('!')).map((glob) => glob.slice(1));
  const isIncluded = included.length === 0 ? () => true : anyGlob(included);
  const isExcluded = anyGlob(excluded);
  const isSpoken = ofLanguages(rule.languages);
  return (path) => isSpoken(path) && isIncluded(path) && !isExcluded(path);
}

function ofLanguages(languages: readonly string[]): (path: string) => boolean {
  if (languages.length === 0) return () => true;
  return (path) => languages.includes(languageOf(path)?.name ?? '');
}

/** How much of what a pull request can multiply the rules look at. Each that bites is reported in a sentence. */
export const limits = {
  /** Comments `postil-ignore` of a change that are read. Those beyond are not obeyed, so what they would hide is raised. */
  ignoreComments: 1_000,
  /** Characters of a rule and a reason in such a comment: a line may have megabytes, and names are compared. */
  ignoreCharacters: 1_000,
  /** Comments that are not obeyed and named one by one. */
  ignoreNotes: 20,
  /** Guidance files that are read: a repository may have one in each of its folders. */
  guidanceFiles: 100,
} as const;
