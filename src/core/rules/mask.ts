import type { Skippable } from './rule.ts';
import type { Span } from './scan-lines.ts';

/** The line with spaces in place of what a rule skips: columns stay where they are. */
export function masked(line: string, spans: readonly Span[], skip: readonly Skippable[]): string {
  let result = '';
  let copied = 0;
  for (const { from, to, kind } of spans) {
    if (!skip.includes(kind)) continue;
    result += line.slice(copied, from) + ' '.repeat(to - from);
    copied = to;
  }
  return copied === 0 ? line : result + line.slice(copied);
}
