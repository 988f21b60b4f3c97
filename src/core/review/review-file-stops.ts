import type { StopReason } from '../agent/event.ts';

const plain = {
  submitted: { reason: 'submitted' },
  answered: { reason: 'answered' },
  iterations: { reason: 'limit', limit: 'iterations' },
  tokens: { reason: 'limit', limit: 'tokens' },
  cost: { reason: 'limit', limit: 'cost' },
  time: { reason: 'limit', limit: 'time' },
  'tool-calls': { reason: 'limit', limit: 'tool-calls' },
  'repeated-calls': { reason: 'repeated-calls' },
  'empty-answers': { reason: 'empty-answers' },
  'refused-by-model': { reason: 'refused', by: 'model' },
  'refused-by-content-filter': { reason: 'refused', by: 'content-filter' },
  truncated: { reason: 'truncated' },
  'truncated-by-reasoning': { reason: 'truncated', by: 'reasoning' },
  'context-overflow': { reason: 'context-overflow' },
  cancelled: { reason: 'cancelled' },
} as const satisfies { readonly [word: string]: StopReason };

type PlainWord = keyof typeof plain;
type StopWord = PlainWord | 'model-failed';

/** One word for each way a batch's run can stop, so that no combination on the wire is without a meaning. */
export const stopWords: readonly StopWord[] = [...Object.keys(plain).filter(isPlain), 'model-failed'];

export type StopOnWire = { readonly word: StopWord; readonly message: string; readonly hint: string };

export function stopOnWire(stop: StopReason): StopOnWire {
  if (stop.reason === 'model-failed') return { word: stop.reason, message: stop.message, hint: stop.hint };
  const lastCall = stop.reason === 'limit' || stop.reason === 'repeated-calls' ? stop.lastCall : undefined;
  return { word: wordOf(stop), message: lastCall ?? '', hint: '' };
}

export function stopOf({ word, message, hint }: StopOnWire): StopReason {
  if (word === 'model-failed') return { reason: word, message, hint };
  const stop: StopReason = plain[word];
  const followed = stop.reason === 'limit' || stop.reason === 'repeated-calls';
  return followed && message !== '' ? { ...stop, lastCall: message } : stop;
}

function wordOf(stop: Exclude<StopReason, { reason: 'model-failed' }>): PlainWord {
  if (stop.reason === 'limit') return stop.limit;
  if (stop.reason === 'truncated') return stop.by === 'reasoning' ? 'truncated-by-reasoning' : stop.reason;
  if (stop.reason !== 'refused') return stop.reason;
  return stop.by === 'model' ? 'refused-by-model' : 'refused-by-content-filter';
}

function isPlain(word: string): word is PlainWord {
  return Object.hasOwn(plain, word);
}
