import { anyGlob } from '../repository/linear-glob.ts';
import { languageOf } from './language.ts';
import type { Rule } from './rule.ts';

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
