import type { ReasoningEffort } from 'openai/resources/shared';
import type { Dialect } from './dialect.ts';

/** The effort to send; null is not sent. Servers know more words than the SDK: theirs to refuse. */
export function effortOf({ reasoningEffort }: Dialect): ReasoningEffort {
  return isEffort(reasoningEffort) ? reasoningEffort : null;
}

function isEffort(word: string | null): word is NonNullable<ReasoningEffort> {
  return word !== null && word !== '';
}
