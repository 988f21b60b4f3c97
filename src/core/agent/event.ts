import { reasons } from '../errors.ts';
import { anyText, exactly, type Infer, oneOf, withOptional } from '../schema.ts';
import { english, type Sentence } from '../words/say.ts';
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

/** The one sentence that log and summary show for a stop reason. For a failed model it is the server's words and what to do. */
export function sentenceFor(stop: StopReason): string {
  const { sentence } = wordsFor(stop);
  if (!('lastCall' in stop) || stop.lastCall === undefined) return sentence;
  return `${sentence} ${english('The last call returned nothing either: {why}', { why: sentenceFor(stop.lastCall) })}`;
}

/** The same in a few words, for lists and tables. */
export function labelFor(stop: StopReason): string {
  return wordsFor(stop).label;
}

type Words = { readonly label: string; readonly sentence: string };

function wordsFor(stop: StopReason): Words {
  switch (stop.reason) {
    case 'limit':
      return limits[stop.limit];
    case 'refused':
      return stop.by === 'model'
        ? { label: english('the model refused'), sentence: english('The model refused to answer.') }
        : {
            label: english('content filter'),
            sentence: english("The provider's content filter stopped the answer."),
          };
    case 'truncated':
      return {
        label: english('output limit'),
        sentence:
          stop.by === 'reasoning'
            ? english("The model's answer was cut off at the output limit: its reasoning used up all of it.")
            : english("The model's answer was cut off at the output limit."),
      };
    case 'model-failed':
      return {
        label: stop.label ?? english('the model failed'),
        sentence: [...reasons(stop.message), ...reasons(stop.hint)].join(' '),
      };
    default:
      return others[stop.reason];
  }
}

const limits = {
  iterations: { label: 'iteration limit', sentence: 'Iteration limit reached.' },
  tokens: { label: 'token limit', sentence: 'Token limit reached.' },
  cost: { label: 'cost limit', sentence: 'Cost limit reached.' },
  time: { label: 'time limit', sentence: 'Time limit reached.' },
  'tool-calls': { label: 'tool call limit', sentence: 'Tool call limit reached.' },
} as const satisfies Readonly<Record<string, Readonly<Record<'label' | 'sentence', Sentence>>>>;

const others = {
  submitted: { label: 'reviewed', sentence: 'The model submitted its answer.' },
  answered: {
    label: 'the model submitted nothing',
    sentence: 'The model ended with text instead of submitting its answer.',
  },
  'repeated-calls': {
    label: 'the model repeated itself',
    sentence: 'The model made the same tool call again and again.',
  },
  'empty-answers': { label: 'empty answers', sentence: 'The model kept giving empty answers.' },
  'context-overflow': {
    label: "too long for the model's context",
    sentence: "The conversation does not fit the model's context.",
  },
  cancelled: { label: 'cancelled', sentence: 'The run was cancelled.' },
} as const satisfies Readonly<Record<string, Readonly<Record<'label' | 'sentence', Sentence>>>>;
