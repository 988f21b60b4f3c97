import type { ModelAnswer } from './model.ts';

/**
 * What an answer says, without what the model thought aloud before it, which some servers leave in the text. Thoughts that were
 * cut before they ended are no answer (FAILURES M11).
 */
export function spokenText({ message, end }: Pick<ModelAnswer, 'message' | 'end'>): string {
  const text = withoutThoughts(message.text);
  return end === 'length' && /^\s*<think>/.test(text) ? '' : text;
}

/** What a model drafts while it thinks is neither a call nor an answer. */
export function withoutThoughts(text: string): string {
  return text.replace(/^\s*<think>[\s\S]*?<\/think>/, '');
}
