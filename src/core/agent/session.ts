import { readJsonText } from '../bounded.ts';
import type { Agent, AgentRun } from './agent.ts';
import type { CallSize, Membership, Refusal } from './budget.ts';
import { type RequestEstimator, requestEstimator } from './estimate.ts';
import type { StopReason } from './event.ts';
import { imagesOf, type Message, type ToolCall, type ToolMessage, withoutImages } from './message.ts';
import { type AgentMetrics, Meter } from './meter.ts';
import type { ModelRequest } from './model.ts';

/** Tokens for what the loop itself adds before a last call: answers that say "not run", the budget note, the request to answer. */
export const ownWords = 1_000;

/** One run while it goes on: what it said and heard, what it used, what it holds of the budget. */
export type Session = {
  readonly granted: true;
  readonly agent: Agent;
  readonly history: History;
  readonly meter: Meter;
  readonly member: Membership;
  readonly repeatedCalls: RepeatedCalls;
  readonly patience: Patience;
  readonly sizeOf: (request: ModelRequest) => CallSize;
  /** Offers the reading tools only because the server has them in its cache: the finishing tool is asked for. */
  readonly finishing: boolean;
  /** Iterations go on: reading tools are offered. Off for the last call. */
  reading: boolean;
  /** Answered calls that offered a reading tool. */
  iterations: number;
  submitted: boolean;
  text: string | null;
};

/** What the loop forgives, and how often it already did. */
export type Patience = {
  /** Tokens that the next iteration may write: raised once when reasoning ate them all. */
  stepOutputTokens: number;
  /** The same for the last calls. */
  lastOutputTokens: number;
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

/** Joins the budget, which may refuse. `toolsOffered: false` opens a conversation for a last call alone, `finishing` one that asks for it at once. */
export function openSession(
  agent: Agent,
  start: {
    messages: readonly Message[];
    metrics: AgentMetrics;
    toolsOffered: boolean;
    finishing?: boolean;
  },
): Session | Refusal {
  const estimate = requestEstimator(agent.estimateTokens);
  const sizeOf = (request: ModelRequest) => ({ input: estimate(request), output: request.maxOutputTokens });
  const patience = {
    stepOutputTokens: agent.limits.stepOutputTokens,
    lastOutputTokens: agent.limits.lastOutputTokens,
    corrected: false,
    emptyAnswers: 0,
    cutsInVain: 0,
    continued: false,
    nudged: false,
    unfinishedText: '',
  };
  const opening = start.toolsOffered ? sizeOf(stepRequest(agent, { messages: start.messages, patience })) : null;
  const lastCall = sizeOf(lastRequest(agent, { messages: start.messages, patience }));
  const member = agent.budget.enter({ opening, lastCall, price: agent.price });
  if (!member.granted) return member;
  return {
    granted: true,
    agent,
    history: new History(start.messages, estimate),
    meter: new Meter(agent.meter, start.metrics),
    member,
    repeatedCalls: new RepeatedCalls(),
    patience,
    sizeOf,
    finishing: start.finishing === true,
    reading: start.toolsOffered,
    iterations: 0,
    submitted: false,
    text: null,
  };
}

/** What the next call sends: an iteration offers every tool, any other call the finishing tool alone. */
export function nextRequest(session: Session): ModelRequest {
  const { agent, history, patience } = session;
  if (session.reading) {
    const request = stepRequest(agent, { messages: history.messages, patience });
    return session.finishing ? { ...request, toolChoice: { tool: agent.finish.name } } : request;
  }
  return lastRequest(agent, { messages: history.messages, patience });
}

/** What the last call takes once these messages were added, and those tokens of an answer. */
export function lastCallSize(
  session: Session,
  added: { messages: readonly Message[]; outputTokens: number },
): CallSize {
  const { agent, history, patience } = session;
  const messages = [...history.messages, ...added.messages];
  const { input, output } = session.sizeOf(lastRequest(agent, { messages, patience }));
  return { input: input + added.outputTokens + ownWords, output };
}

export function runOf(session: Session, stop: StopReason): AgentRun {
  return {
    messages: session.history.messages,
    stop,
    submitted: session.submitted,
    text: session.text,
    metrics: session.meter.metrics,
  };
}

type At = { readonly messages: readonly Message[]; readonly patience: Patience };

function stepRequest(agent: Agent, at: At): ModelRequest {
  return {
    messages: at.messages,
    tools: [...agent.tools, agent.finish],
    toolChoice: 'auto',
    maxOutputTokens: at.patience.stepOutputTokens,
  };
}

function lastRequest(agent: Agent, at: At): ModelRequest {
  return {
    messages: at.messages,
    tools: [agent.finish],
    toolChoice: { tool: agent.finish.name },
    maxOutputTokens: at.patience.lastOutputTokens,
  };
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

/** The messages of a run: append-only, apart from one shrinking when the context overflows. */
class History {
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
