import { readJsonText } from '../bounded.ts';
import type { Agent, AgentRun } from './agent.ts';
import type { CallSize, Membership, Refusal } from './budget.ts';
import { type RequestEstimator, requestEstimator } from './estimate.ts';
import type { StopReason } from './event.ts';
import { imagesOf, type Message, type ToolCall, type ToolMessage, withoutImages } from './message.ts';
import { Meter } from './meter.ts';
import type { ModelRequest } from './model.ts';

/** Tokens for what the loop itself adds before a last call: answers that say "not run", the budget note, the request to answer. */
export const ownWords = 1_000;

/** What a call offers: every tool, as an iteration does; or the finishing tool alone, as a last call does, which may use what was kept for it. */
type Offer = 'every tool' | 'the last';

/** One run while it goes on: what it said and heard, what it used, what it holds of the budget, and what was forgiven so far. */
export type Conversation = {
  readonly granted: true;
  readonly agent: Agent;
  readonly meter: Meter;
  readonly member: Membership;
  readonly repeatedCalls: RepeatedCalls;
  readonly estimate: RequestEstimator;
  messages: readonly Message[];
  offer: Offer;
  /** Answered calls that may still follow in this offer. */
  callsLeft: number;
  submitted: boolean;
  text: string | null;
  /** The context overflowed, and older results were taken out. */
  shrunk: boolean;
  /** Iterations, and last calls, may write twice as much since reasoning ate it all. */
  raised: { readonly step: boolean; readonly last: boolean };
  /** A call in text that could not be read was corrected. */
  corrected: boolean;
  emptyAnswers: number;
  /** Submissions in a row that were cut at the output limit and brought nothing new. */
  cutsInVain: number;
  continued: boolean;
  nudged: boolean;
  /** The first part of a text that was cut and is being continued. */
  unfinishedText: string;
};

/** Where a conversation begins, and what its first call offers. */
export type Start = Pick<AgentRun, 'messages' | 'metrics'> & { readonly offer: Offer };

/** Joins the budget, which may refuse. */
export function openConversation(agent: Agent, { messages, metrics, offer }: Start): Conversation | Refusal {
  const raised = { step: false, last: false };
  const estimate = requestEstimator(agent.estimateTokens);
  const sizeWith = (offer: Offer) => sizeOf({ estimate }, requestOf({ agent, messages, raised, offer }));
  const { price } = agent;
  const opening = offer === 'the last' ? null : sizeWith(offer);
  const member = agent.budget.enter({ opening, lastCall: sizeWith('the last'), price });
  if (!member.granted) return member;
  return {
    granted: true,
    agent,
    meter: new Meter(agent.meter, metrics),
    member,
    repeatedCalls: new RepeatedCalls(),
    estimate,
    messages,
    offer,
    callsLeft: 0,
    submitted: false,
    text: null,
    shrunk: false,
    raised,
    corrected: false,
    emptyAnswers: 0,
    cutsInVain: 0,
    continued: false,
    nudged: false,
    unfinishedText: '',
  };
}

/** What the next call sends. */
export function requestOf(at: Pick<Conversation, 'agent' | 'messages' | 'offer' | 'raised'>): ModelRequest {
  const { agent, messages, offer, raised } = at;
  const { tools, finish, limits } = agent;
  const alone = offer === 'the last';
  const room = alone ? limits.lastOutputTokens : limits.stepOutputTokens;
  return {
    messages,
    tools: alone ? [finish] : [...tools, finish],
    toolChoice: offer === 'every tool' ? 'auto' : { tool: finish.name },
    maxOutputTokens: (alone ? raised.last : raised.step) ? 2 * room : room,
  };
}

export function sizeOf({ estimate }: Pick<Conversation, 'estimate'>, request: ModelRequest): CallSize {
  return { input: estimate(request), output: request.maxOutputTokens };
}

/** What the last call takes once these messages were added, and those tokens of an answer. */
export function lastCallSize(
  conversation: Conversation,
  added: { messages?: readonly Message[]; outputTokens?: number },
): CallSize {
  const messages = [...conversation.messages, ...(added.messages ?? [])];
  const { input, output } = sizeOf(conversation, requestOf({ ...conversation, messages, offer: 'the last' }));
  return { input: input + (added.outputTokens ?? 0) + ownWords, output };
}

export function append(conversation: Conversation, ...messages: readonly Message[]): void {
  conversation.messages = [...conversation.messages, ...messages];
}

export function tell(conversation: Conversation, text: string): void {
  append(conversation, { role: 'user', text });
}

export function runOf({ messages, submitted, text, meter }: Conversation, stop: StopReason): AgentRun {
  return { messages, stop, submitted, text, metrics: meter.metrics };
}

/** Once, after the context overflowed. False when it was done before, or when there is nothing to take out. */
export function shrink(conversation: Conversation): boolean {
  if (conversation.shrunk) return false;
  const tokensOf = (message: Message) => conversation.estimate({ messages: [message], tools: [] });
  const shrunk = shrinkHistory(conversation.messages, tokensOf);
  if (shrunk === null) return false;
  conversation.messages = shrunk;
  conversation.shrunk = true;
  return true;
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

const windowSize = 12;
/** From this many equal calls among the last 12 on, the answer warns. */
export const warnAt = 3;
/** At this many the run stops. */
export const stopAt = 6;

/** Notices when a model makes the same call again and again: same name, same arguments in any order of their keys. */
export class RepeatedCalls {
  readonly #recent: string[] = [];

  /** Notes a call and says how many of the last 12, itself included, were equal to it. */
  note(call: ToolCall): number {
    const key = `${call.name} ${canonical(call.arguments)}`;
    this.#recent.push(key);
    if (this.#recent.length > windowSize) this.#recent.shift();
    return this.#recent.filter((other) => other === key).length;
  }
}

function canonical(json: string): string {
  const read = readJsonText(json);
  // Where it is no JSON, the text itself has to do.
  return read.ok ? JSON.stringify(read.value, sortKeys) : json;
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
