import { reasons } from '../errors.ts';
import type { StopReason } from './event.ts';

/** The one sentence that log and summary show for a stop reason. For a failed model it goes on with the server's words and what to do. */
export function sentenceFor(stop: StopReason): string {
  switch (stop.reason) {
    case 'submitted':
      return 'The model submitted its answer.';
    case 'answered':
      return 'The model ended with text instead of submitting its answer.';
    case 'limit':
      return withLastCall(limitSentences[stop.limit], stop.lastCall);
    case 'repeated-calls':
      return withLastCall('The model made the same tool call again and again.', stop.lastCall);
    case 'empty-answers':
      return 'The model kept giving empty answers.';
    case 'refused':
      return stop.by === 'model' ? 'The model refused to answer.' : "The provider's content filter stopped the answer.";
    case 'truncated':
      return stop.by === 'reasoning'
        ? "The model's answer was cut off at the output limit: its reasoning used up all of it."
        : "The model's answer was cut off at the output limit.";
    case 'context-overflow':
      return "The conversation does not fit the model's context.";
    case 'cancelled':
      return 'The run was cancelled.';
    case 'model-failed':
      return ['The model could not answer.', ...reasons(stop.message), ...reasons(stop.hint)].join(' ');
  }
}

function withLastCall(limit: string, lastCall: string | undefined): string {
  return lastCall === undefined ? limit : `${limit} The last call returned nothing either: ${lastCall}`;
}

const limitSentences = {
  iterations: 'Iteration limit reached.',
  tokens: 'Token limit reached.',
  cost: 'Cost limit reached.',
  time: 'Time limit reached.',
  'tool-calls': 'Tool call limit reached.',
} as const;
