import { closest, distance } from 'fastest-levenshtein';
import { reasons } from '../errors.ts';
import type { PolicyDecision, RequestedCall } from './agent.ts';
import type { StopReason, ToolOutcome } from './event.ts';
import type { ToolCall } from './message.ts';
import type { ModelAnswer } from './model.ts';
import { type Patience, type Session, stopAt, warnAt } from './session.ts';
import { formatTextToolCall, malformedCall } from './text-tool-calls.ts';
import { isJson, parseArguments, type Tool } from './tool.ts';

/** What is done about a call: decided for a whole turn, in call order, before anything runs. */
export type PlannedCall = { readonly call: ToolCall } & (
  | { readonly action: 'run'; readonly tool: Tool; readonly value: unknown; readonly warning: string | null }
  /** `also`: the arguments of further calls; `isWhole`: none of them was unreadable. */
  | { readonly action: 'finish'; readonly value: unknown; readonly also: readonly unknown[]; readonly isWhole: boolean }
  | { readonly action: 'take-cut'; readonly takeCut: (argumentsText: string) => Promise<string | null> }
  | NotRun
);

type NotRun = { readonly action: 'answer'; readonly outcome: ToolOutcome; readonly text: string };

type Turn = {
  readonly calls: readonly ToolCall[];
  /** True when the answer ended at the output limit: its last call may be half a call. */
  readonly cut: boolean;
};

export function planTurn(session: Session, turn: Turn): { calls: readonly PlannedCall[]; stop: StopReason | null } {
  let stop: StopReason | null = null;
  const calls = turn.calls.map((call): PlannedCall => {
    if (isMalformed(call)) return { call, ...answer('bad-arguments', correctMalformed(session)) };
    if (call.name === session.agent.finish.name) return { call, ...planFinish(session, { call, turn }) };
    const planned =
      stop === null ? planReading(session, { call, turn }) : notRun('refused', 'the tools are closed now');
    if (planned.action === 'answer') stop ??= planned.stop ?? null;
    return { call, ...planned };
  });
  return { calls: asOne(calls, session.agent.finish.name), stop };
}

/** Several calls of the finishing tool are one: what an answer says first or last must not hide the rest. */
function asOne(calls: readonly PlannedCall[], finish: string): readonly PlannedCall[] {
  const isWhole = calls.every(({ call, action }) => call.name !== finish || action === 'finish');
  const [first, ...others] = calls.filter((planned) => planned.action === 'finish');
  const also = others.map(({ value }) => value);
  return calls.map((planned) => {
    if (planned === first) return { ...first, also, isWhole };
    return planned.action === 'finish'
      ? { call: planned.call, ...answer('ok', 'taken with the first call.') }
      : planned;
  });
}

function planFinish(session: Session, { call, turn }: { call: ToolCall; turn: Turn }) {
  if (session.reading && turn.calls.some((other) => other.name !== call.name)) {
    return notRun('refused', `call ${call.name} alone, after you have read the other results`);
  }
  const { finish } = session.agent;
  if (turn.cut && !isJson(call.arguments)) {
    if (finish.takeCut === undefined) return cutCall(call);
    return { action: 'take-cut', takeCut: finish.takeCut.bind(finish) } as const;
  }
  const parsed = parseArguments(call, finish);
  if (!parsed.ok) return answer('bad-arguments', parsed.problem);
  return { action: 'finish', value: parsed.value, also: [], isWhole: true } as const;
}

function planReading(session: Session, { call, turn }: { call: ToolCall; turn: Turn }) {
  const { agent, repeatedCalls } = session;
  if (!session.reading) return notRun('refused', `only ${agent.finish.name} is offered now`);
  if (turn.cut && !isJson(call.arguments)) return cutCall(call);
  const equalCalls = repeatedCalls.note(call);
  if (equalCalls >= stopAt) {
    const text = `this is the same call for the ${equalCalls}th time, and its result does not change`;
    return { ...notRun('repeated', text), stop: { reason: 'repeated-calls' } } as const;
  }
  const tool = agent.tools.find((candidate) => candidate.name === call.name);
  if (tool === undefined) return answer('unknown-tool', unknownTool(session, call.name));
  const parsed = parseArguments(call, tool);
  if (!parsed.ok) return answer('bad-arguments', parsed.problem);
  const decision = decide(session, { name: call.name, arguments: parsed.value });
  if (!decision.allowed) {
    const denied = answer('denied', `${call.name} was denied: ${decision.reason}`);
    return decision.exhausted === true
      ? ({ ...denied, stop: { reason: 'limit', limit: 'tool-calls' } } as const)
      : denied;
  }
  const warning = equalCalls >= warnAt ? warningAfter(equalCalls) : null;
  return { action: 'run', tool, value: parsed.value, warning } as const;
}

function decide({ agent }: Session, call: RequestedCall): PolicyDecision {
  try {
    return agent.policy(call);
  } catch (error) {
    // Fails closed: a policy that cannot decide has not allowed anything.
    return { allowed: false, reason: `the policy could not decide. ${reasons(error).join(' ')}` };
  }
}

function answer(outcome: ToolOutcome, text: string): NotRun & { readonly stop?: StopReason } {
  return { action: 'answer', outcome, text };
}

function notRun(outcome: ToolOutcome, reason: string): NotRun & { readonly stop?: StopReason } {
  return answer(outcome, `not run: ${reason}.`);
}

function cutCall(call: ToolCall) {
  return answer('bad-arguments', cutText(call));
}

export function cutText(call: ToolCall): string {
  return `your call was cut: ${call.name} reached the output limit. Call it again, shorter.`;
}

function unknownTool({ agent }: Session, name: string): string {
  const names = [...agent.tools, agent.finish].map((tool) => tool.name);
  // A name from the model can be of any length, and the distance takes its square.
  const asked = name.slice(0, 100);
  const nearest = closest(asked, names);
  const guess = distance(asked, nearest) <= nearest.length / 2 ? ` Did you mean ${nearest}?` : '';
  return `There is no tool ${JSON.stringify(asked)}.${guess} The tools are ${names.join(', ')}.`;
}

function warningAfter(equalCalls: number): string {
  return `[the same call for the ${equalCalls === warnAt ? '3rd' : `${equalCalls}th`} time: its result does not change. Use it, or look elsewhere; at ${stopAt} the tools are closed]`;
}

/**
 * The answer as the loop takes it. A call in text that cannot be read is corrected once in a run; from then on, what stands in
 * one is text.
 */
export function withMalformedAsText(answer: ModelAnswer, patience: Patience): ModelAnswer {
  const { message } = answer;
  const malformed = message.toolCalls.filter(isMalformed);
  if (malformed.length === 0 || !patience.corrected) return answer;
  const toolCalls = message.toolCalls.filter((call) => !isMalformed(call));
  const text = [message.text, ...malformed.map((call) => call.arguments)].filter((part) => part !== '').join('\n');
  const end = answer.end === 'tool-calls' && toolCalls.length === 0 ? 'end' : answer.end;
  return { ...answer, message: { ...message, text, toolCalls }, end };
}

function isMalformed(call: ToolCall): boolean {
  return call.name === malformedCall;
}

/** The correction, which counts as given. */
function correctMalformed({ agent, patience }: Session): string {
  patience.corrected = true;
  const example = formatTextToolCall({ name: agent.finish.name, arguments: '{}' });
  return `Your call could not be read. Write the name and the arguments as one JSON object, such as ${example}, and nothing after it.`;
}
