import { reasons } from '../errors.ts';
import { inEnglish } from '../messages/languages.ts';
import { type Message, verbatim } from '../messages/message.ts';
import { anyText, exactly, type Infer, oneOf, withOptional } from '../schema.ts';
import type { ToolCall } from './message.ts';
import type { AnswerEnd, Usage } from './model.ts';

/**
 * `review` offers reading tools; `single` and `follow-up` are the calls of a review without any; `final` offers only the finishing tool; `extraction`
 * turns free text into the schema; `verification` checks findings in a fresh conversation; `reflection` scores the run after it was delivered;
 * `embedding` compares documents by meaning for a search.
 */
export const phases = [
  'review',
  'single',
  'follow-up',
  'final',
  'extraction',
  'verification',
  'reflection',
  'embedding',
] as const;
export type Phase = (typeof phases)[number];

export type ToolOutcome = 'ok' | 'failed' | 'denied' | 'unknown-tool' | 'bad-arguments' | 'repeated' | 'refused';

/** What a run of the agent tells while it goes on. Noun, dash, verb. */
export type AgentEvent =
  | {
      readonly type: 'step-start';
      readonly phase: Phase;
      readonly step: number;
      readonly maxSteps: number;
      readonly inputEstimate: number;
    }
  | {
      readonly type: 'step-end';
      readonly phase: Phase;
      readonly step: number;
      readonly milliseconds: number;
      readonly usage: Usage;
      /** US$; null without a price. */
      readonly cost: number | null;
      readonly end: AnswerEnd;
      readonly toolCalls: number;
      /** What the model said beside its calls. Untrusted. */
      readonly text: string;
    }
  | { readonly type: 'tool-start'; readonly step: number; readonly call: ToolCall }
  | {
      readonly type: 'tool-end';
      readonly step: number;
      readonly call: ToolCall;
      readonly outcome: ToolOutcome;
      readonly milliseconds: number;
      /** Characters of the result before it was cut. */
      readonly characters: number;
      readonly cut: boolean;
      /** The answer that the model gets. Untrusted. */
      readonly text: string;
      /** What came of a submission, for people. */
      readonly told?: string;
    }
  /** An answer is under way: after 10 seconds, then every 30. */
  | {
      readonly type: 'call-wait';
      readonly phase: Phase;
      /** Since the attempt began. */
      readonly milliseconds: number;
      /** Written so far; null when the server does not stream, or has not begun. */
      readonly characters: number | null;
    }
  | {
      readonly type: 'call-retry';
      readonly attempt: number;
      readonly waitMilliseconds: number;
      readonly reason: string;
    }
  | { readonly type: 'answer-empty'; readonly attempt: number; readonly maxAttempts: number }
  | { readonly type: 'answer-truncated'; readonly step: number }
  /** An answer made more calls than are taken of one. */
  | { readonly type: 'calls-drop'; readonly step: number; readonly made: number; readonly taken: number }
  | {
      readonly type: 'extraction-start';
      readonly attempt: number;
      readonly maxAttempts: number;
      readonly reason: string;
    }
  | { readonly type: 'limit-reach'; readonly stop: StopReason }
  | { readonly type: 'run-end'; readonly stop: StopReason; readonly steps: number; readonly usage: Usage };

/** Why a run of the agent stopped. The sentence for each is fixed but for a model that failed. */
export type StopReason = Infer<typeof stopSchema>;

const limitReached = exactly({
  reason: { enum: ['limit'] },
  limit: { enum: ['iterations', 'tokens', 'cost', 'time', 'tool-calls'] },
});
const callsRepeated = exactly({ reason: { enum: ['repeated-calls'], description: 'The same call again and again.' } });
const otherStops = [
  exactly({ reason: { enum: ['submitted'] } }),
  exactly({ reason: { enum: ['answered'], description: 'With text instead of the finishing tool.' } }),
  exactly({ reason: { enum: ['empty-answers'] } }),
  exactly({ reason: { enum: ['refused'] }, by: { enum: ['model', 'content-filter'] } }),
  withOptional(exactly({ reason: { enum: ['truncated'] } }), {
    by: { enum: ['reasoning'], description: 'Nothing else was written, also with twice the room.' },
  }),
  exactly({ reason: { enum: ['context-overflow'] } }),
  exactly({ reason: { enum: ['cancelled'] } }),
  withOptional(exactly({ reason: { enum: ['model-failed'] }, message: anyText, hint: anyText }), {
    label: { type: 'string', description: 'The message in a few words.' },
  }),
] as const;

/** Of a call after a limit, which brought nothing either; left out when it delivered. */
const afterLimit = { lastCall: oneOf('reason', [limitReached, callsRepeated, ...otherStops]) } as const;

export const stopSchema = oneOf('reason', [
  withOptional(limitReached, afterLimit),
  withOptional(callsRepeated, afterLimit),
  ...otherStops,
]);

/** Whether a call failed or could not be made: there is no answer then, not even one of no use. */
export function isUnanswered(stop: StopReason): boolean {
  if (stop.reason === 'limit') return stop.limit !== 'iterations';
  return ['cancelled', 'model-failed', 'context-overflow'].includes(stop.reason);
}

/** Says why a conversation stopped, as one sentence. For a failed model it is the server's words and what to do. */
export function stopMessage(stop: StopReason): Message {
  const message = messageWithoutLastCall(stop);
  if (!('lastCall' in stop) || stop.lastCall === undefined) return message;
  const why = stopMessage(stop.lastCall);
  return { code: 'sentences', of: [message, { code: 'stop.last-call', why }] };
}

/** Says the same in a few words, for lists and tables. */
export function stopLabel(stop: StopReason): Message {
  switch (stop.reason) {
    case 'limit':
      return { code: `label.${stop.limit}` };
    case 'refused':
      return { code: stop.by === 'model' ? 'label.refused' : 'label.content-filter' };
    case 'model-failed':
      return stop.label === undefined ? { code: 'label.model-failed' } : verbatim(stop.label);
    default:
      return { code: `label.${stop.reason}` };
  }
}

function messageWithoutLastCall(stop: StopReason): Message {
  switch (stop.reason) {
    case 'limit':
      return { code: `stop.${stop.limit}` };
    case 'refused':
      return { code: stop.by === 'model' ? 'stop.refused' : 'stop.content-filter' };
    case 'truncated':
      return { code: stop.by === 'reasoning' ? 'stop.truncated-reasoning' : 'stop.truncated' };
    case 'model-failed':
      return verbatim([...reasons(stop.message), ...reasons(stop.hint)].join(' '));
    default:
      return { code: `stop.${stop.reason}` };
  }
}

/** The sentence in English, for a log. */
export function sentenceFor(stop: StopReason): string {
  return inEnglish(stopMessage(stop));
}
