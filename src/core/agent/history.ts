import type { RequestEstimator } from './estimate.ts';
import { imagesOf, type Message, type ToolMessage, withoutImages } from './message.ts';

/** The messages of a run: append-only, apart from one shrinking when the context overflows. */
export class History {
  readonly #estimate: RequestEstimator;
  #messages: readonly Message[];
  #shrunk = false;

  constructor(messages: readonly Message[], estimate: RequestEstimator) {
    this.#messages = messages;
    this.#estimate = estimate;
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  append(...messages: readonly Message[]): void {
    this.#messages = [...this.#messages, ...messages];
  }

  /** False when it was shrunk before, or when there is nothing to take out. */
  shrink(): boolean {
    if (this.#shrunk) return false;
    const shrunk = shrinkHistory(this.#messages, (message) => this.#estimate({ messages: [message], tools: [] }));
    if (shrunk === null) return false;
    this.#messages = shrunk;
    this.#shrunk = true;
    return true;
  }
}

/**
 * The history at about half its size, after the model's context overflowed: images go first, all of them, because servers count them
 * each in their own way; then older tool results become one line, oldest first. What else opened the conversation and its last turn
 * stay. Null when there is nothing to take out.
 */
export function shrinkHistory(
  messages: readonly Message[],
  estimate: (message: Message) => number,
): readonly Message[] | null {
  const lastTurn = messages.findLastIndex((message) => message.role === 'assistant');
  let excess = messages.reduce((tokens, message) => tokens + estimate(message), 0) / 2;
  let changed = false;
  const replace = (message: Message, by: Message) => {
    excess -= estimate(message) - estimate(by);
    changed = true;
    return by;
  };
  const bare = messages.map((message) =>
    imagesOf(message).length === 0 ? message : replace(message, withoutImages(message, 'removed to fit the context')),
  );
  const shrunk = bare.map((message, index) => {
    if (message.role !== 'tool' || index > lastTurn || excess <= 0) return message;
    const stub = stubFor(message);
    return estimate(message) > estimate(stub) ? replace(message, stub) : message;
  });
  return changed ? shrunk : null;
}

function stubFor(message: ToolMessage): ToolMessage {
  return { ...message, text: `[result of ${message.name} removed to fit the context; call it again if needed]` };
}
