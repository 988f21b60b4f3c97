import type { Severity } from '../settings/severity.ts';

/** What models call severities (DESIGN section 5). */
const aliases: { readonly [alias: string]: Severity } = {
  blocker: 'critical',
  error: 'warning',
  high: 'warning',
  major: 'warning',
  medium: 'info',
  minor: 'info',
  low: 'info',
  nit: 'nitpick',
  style: 'nitpick',
};

/** The severity that a word stands for; a word without a meaning comes back as it is. */
export function severityWord(word: string): string {
  return Object.hasOwn(aliases, word) ? (aliases[word] ?? word) : word;
}
