import type { SubmittedEarlier } from '../../../src/core/findings/earlier.ts';
import type { Submission, SubmittedFinding } from '../../../src/core/findings/submission.ts';
import { at, listAt, textAt } from '../every-pair.ts';
import { bad, type NormalisedRequest, type Problem } from './normalise.ts';
import type { Fault, PoorServer } from './replies.ts';
import type { StreamFault } from './stream.ts';

/** `arguments` that are text are sent as they are: malformed JSON, or cut in the middle. `id` overrules the server's own. */
export type ScriptedCall = { readonly name: string; readonly arguments: unknown; readonly id?: string };

export type MessageAnswer = {
  readonly kind: 'message';
  readonly text: string | null;
  readonly calls: readonly ScriptedCall[];
  readonly end?: 'length' | 'content-filter' | 'refusal';
  /** What goes wrong in the middle, when the client asked for a stream. */
  readonly streamFault?: StreamFault;
};

export type Answer = MessageAnswer | Fault | { readonly kind: 'broken'; readonly how: 'reset' | 'hang' };

/** A list is used up in order; a function is asked each time. `turn` counts this script's answers from 0. */
export type Answers = readonly Answer[] | ((request: NormalisedRequest, turn: number) => Answer | Promise<Answer>);

export type ModelOptions = PoorServer & {
  readonly answers?: Answers;
  /** Scripts for batches that are reviewed in parallel: the first whose `when` holds answers, `answers` all others. */
  readonly batches?: readonly { readonly when: (request: NormalisedRequest) => boolean; readonly answers: Answers }[];
  /** Answers to verifications; without any, a verifier that leaves everything as it is. */
  readonly verification?: Answers;
  /** Input tokens that fit, as the server counts them. */
  readonly contextWindow?: number;
  /** Input tokens beyond which it cuts a prompt without a word, and counts the rest. */
  readonly countsAtMost?: number;
  /** Milliseconds before every answer. */
  readonly latency?: number;
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

/** Evidence in words is accepted too. */
export type ScriptedFinding = Pick<SubmittedFinding, 'path'> &
  Partial<Omit<SubmittedFinding, 'evidence'>> & { readonly evidence?: SubmittedFinding['evidence'] | string };

/** A call of `submit_review`, strictly valid: what the test does not care about is filled in. */
export function submit(
  findings: readonly ScriptedFinding[],
  overrides: Partial<Submission> & { readonly earlier_findings?: readonly SubmittedEarlier[] } = {},
): MessageAnswer {
  const submission = {
    walkthrough: [],
    files_review: findings.map((finding) => ({ ...plainFinding, ...finding })),
    non_specific_review: null,
    approval:
      findings.length === 0
        ? { approved: true, rationale: 'Nothing to mend.', action: 'APPROVE' }
        : { approved: false, rationale: 'Mend this first.', action: 'REQUEST_CHANGES' },
    ...overrides,
  } satisfies ScriptedSubmission;
  return call('submit_review', submission);
}

type ScriptedSubmission = Omit<Submission, 'files_review'> & { readonly files_review: readonly ScriptedFinding[] };

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
  also_at: [],
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

/** Finds the script that a request belongs to and plays its next answer. */
export class ScriptPlayer {
  readonly #options: ModelOptions;
  readonly #turns = new Map<Answers, number>();

  constructor(options: ModelOptions) {
    this.#options = options;
  }

  /** Null when the script has come to its end. */
  async next(request: NormalisedRequest): Promise<Answer | null> {
    const batch = this.#options.batches?.find((one) => one.when(request));
    const answers = batch?.answers ?? this.#options.answers;
    if (answers === undefined) return null;
    const turn = this.#turns.get(answers) ?? 0;
    this.#turns.set(answers, turn + 1);
    return typeof answers === 'function' ? answers(request, turn) : (answers[turn] ?? null);
  }
}

/** Remembers what was reasoned, so that a replay that loses or changes a part of it is refused as the real server does. */
export class ReasoningMemory {
  /** Encrypted content by id of a reasoning item. */
  readonly #encrypted = new Map<string, string>();
  /** The reasoning item that an output item came with, by the output item's id. */
  readonly #reasonOf = new Map<string, string>();

  remember(output: readonly unknown[]): void {
    let reason = '';
    for (const item of output) {
      const id = textAt(item, 'id');
      if (at(item, 'type') === 'reasoning') {
        reason = id;
        this.#encrypted.set(id, textAt(item, 'encrypted_content'));
      } else if (reason !== '') this.#reasonOf.set(id, reason);
    }
  }

  problem(body: unknown): Problem | null {
    const items = listAt(body, 'input');
    for (const [index, item] of items.entries()) {
      const isReasoning = at(item, 'type') === 'reasoning';
      const problem = isReasoning
        ? this.#reasoningProblem(item, items[index + 1])
        : this.#followerProblem(items, index);
      if (problem !== null) return problem;
    }
    return null;
  }

  #reasoningProblem(item: unknown, next: unknown): Problem | null {
    const id = textAt(item, 'id');
    const encrypted = textAt(item, 'encrypted_content');
    if (encrypted === '' || !this.#encrypted.has(id)) {
      const words = `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`;
      return { ...bad(words), status: 404 };
    }
    if (encrypted !== this.#encrypted.get(id)) {
      return bad(`The encrypted content for item ${id} could not be verified.`);
    }
    if (this.#reasonOf.get(textAt(next, 'id')) === id) return null;
    return bad(`Item '${id}' of type 'reasoning' was provided without its required following item.`);
  }

  #followerProblem(items: readonly unknown[], index: number): Problem | null {
    const item = items[index];
    const reason = this.#reasonOf.get(textAt(item, 'id'));
    if (reason === undefined) return null;
    if (items.slice(0, index).some((one) => textAt(one, 'id') === reason)) return null;
    return bad(
      `Item '${textAt(item, 'id')}' of type '${textAt(item, 'type')}' was provided without its required 'reasoning' item: '${reason}'.`,
    );
  }
}

/** Gemini's thought signatures in Chat Completions: what came with a tool call must come back with it, unchanged. */
export class SignatureMemory {
  readonly #signatures = new Map<string, string>();

  remember(completion: unknown): void {
    for (const call of listAt(completion, 'choices', 0, 'message', 'tool_calls')) {
      const signature = signatureOf(call);
      if (signature !== '') this.#signatures.set(textAt(call, 'id'), signature);
    }
  }

  problem(body: unknown): Problem | null {
    for (const [index, message] of listAt(body, 'messages').entries()) {
      for (const call of listAt(message, 'tool_calls')) {
        const expected = this.#signatures.get(textAt(call, 'id'));
        if (expected === undefined || expected === signatureOf(call)) continue;
        const name = textAt(at(call, 'function'), 'name');
        return bad(
          `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly. Additional data, function call \`default_api:${name}\`, position ${index}.`,
        );
      }
    }
    return null;
  }
}

function signatureOf(call: unknown): string {
  return textAt(call, 'extra_content', 'google', 'thought_signature');
}
