import type { Submission, SubmittedFinding } from '../../../src/core/findings/submission.ts';
import type { NormalisedRequest } from './normalise.ts';
import type { StreamFault } from './stream-reply.ts';

/** `arguments` that are text are sent as they are: malformed JSON, or cut in the middle. `id` overrules the server's own. */
export type ScriptedCall = { readonly name: string; readonly arguments: unknown; readonly id?: string };

export type MessageAnswer = {
  readonly kind: 'message';
  readonly text: string | null;
  readonly calls: readonly ScriptedCall[];
  readonly end?: 'length' | 'content-filter' | 'refusal';
  /** Milliseconds before the answer comes. */
  readonly latency?: number;
  /** What goes wrong in the middle, when the client asked for a stream. */
  readonly streamFault?: StreamFault;
};

export type Answer =
  | MessageAnswer
  | {
      readonly kind: 'fault';
      readonly status: number;
      readonly body: unknown;
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'broken'; readonly how: 'reset' | 'hang' };

/** A list is used up in order; a function is asked each time. `turn` counts this script's answers from 0. */
export type Answers = readonly Answer[] | ((request: NormalisedRequest, turn: number) => Answer | Promise<Answer>);

export type Refusable =
  | 'temperature'
  | 'max_completion_tokens'
  | 'max_tokens'
  | 'parallel_tool_calls'
  | 'strict'
  | 'tool_choice'
  | 'tools'
  | 'responses'
  | 'chat'
  | 'chat-tools-with-reasoning'
  | 'stream'
  | 'stream_options'
  | 'images';

export type ModelOptions = {
  readonly answers?: Answers;
  /** Scripts for bundles that are reviewed in parallel: the first whose `when` holds answers, `answers` all others. */
  readonly bundles?: readonly { readonly when: (request: NormalisedRequest) => boolean; readonly answers: Answers }[];
  /** Answers to verifications; without any, a verifier that leaves everything as it is. */
  readonly verification?: Answers;
  readonly rejects?: readonly Refusable[];
  /** As a server without keys, which takes any text for one. */
  readonly takesAnyKey?: boolean;
  /** Output tokens a request may ask for. */
  readonly maxOutput?: number;
  /** Input tokens that fit, as the server counts them. */
  readonly contextWindow?: number;
  /** Input tokens beyond which it cuts a prompt without a word, and counts the rest. */
  readonly countsAtMost?: number;
  /** Milliseconds before every answer. */
  readonly latency?: number;
  /** The only model that exists; any does by default. */
  readonly model?: string;
  /** False: a Responses model that does not reason, so that nothing has to be replayed. */
  readonly reasoning?: boolean;
  /** Gemini's demand: every tool call comes with a signature that must come back. Chat only. */
  readonly thoughtSignatures?: boolean;
  /** A server that answers whole, whatever it is asked. */
  readonly ignoresStream?: boolean;
  /** False: a server that does not report usage. */
  readonly usage?: boolean;
  /** How `/embeddings` answers; without it the server has no such endpoint. */
  readonly embeddings?: EmbeddingsScript;
};

/** A vector for a text, or a fault in place of the whole answer. `turn` counts requests from 0. */
export type EmbeddingsScript = (text: string, turn: number) => readonly number[] | Answer;

export type ModelScript = Answers | ModelOptions;

/** One tool call. */
export function call(name: string, argumentsOfCall: unknown): MessageAnswer {
  return { kind: 'message', text: null, calls: [{ name, arguments: argumentsOfCall }] };
}

/** Several tool calls in one answer. */
export function calls(...scripted: readonly ScriptedCall[]): MessageAnswer {
  return { kind: 'message', text: null, calls: scripted };
}

/** Text and no tool call. */
export function say(text: string): MessageAnswer {
  return { kind: 'message', text, calls: [] };
}

export type ScriptedFinding = Pick<SubmittedFinding, 'path'> & Partial<SubmittedFinding>;

/** A call of `submit_review`, strictly valid: what the test does not care about is filled in. */
export function submit(findings: readonly ScriptedFinding[], overrides: Partial<Submission> = {}): MessageAnswer {
  const submission = {
    files_review: findings.map((finding) => ({ ...plainFinding, ...finding })),
    non_specific_review: null,
    approval:
      findings.length === 0
        ? { approved: true, rationale: 'Nothing to mend.', action: 'APPROVE' }
        : { approved: false, rationale: 'Mend this first.', action: 'REQUEST_CHANGES' },
    ...overrides,
  } satisfies Submission;
  return call('submit_review', submission);
}

const plainFinding = {
  quote: null,
  lines: null,
  side: 'RIGHT',
  evidence: 'Traced in the file.',
  title: 'Something goes wrong',
  review: 'It goes wrong when it is called.',
  severity: 'warning',
  category: 'bug',
  suggestion: null,
  rule_id: null,
  same_as: null,
  confidence: 0.9,
} as const;

/** An HTTP answer that is no model answer. A text body is sent as it is. */
export function fault(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return { kind: 'fault', status, body, headers };
}

export function broken(how: 'reset' | 'hang'): Answer {
  return { kind: 'broken', how };
}
