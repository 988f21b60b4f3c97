import { closest, distance } from 'fastest-levenshtein';
import { reasons } from '../errors.ts';
import type { PolicyDecision } from './agent.ts';
import { type Conversation, stopAt, warnAt } from './conversation.ts';
import type { StopReason, ToolOutcome } from './event.ts';
import type { ImagePart, ToolCall } from './message.ts';
import type { ModelAnswer } from './model.ts';
import { formatTextToolCall, malformedCall } from './text-tool-calls.ts';
import { type FinishingTool, isJson, parseArguments, type ReadyCall } from './tool.ts';
import { withTimeLimit } from './waiting.ts';

/** The answer to a call, as the model reads it. */
export type CallResult = {
  readonly outcome: ToolOutcome;
  readonly text: string;
  readonly images?: readonly ImagePart[];
  /** For people. */
  readonly told?: string;
  /** It was to be run, and the time was over before. */
  readonly notRun?: true;
};

/** What is done about a call: decided for a whole turn, in call order, before anything runs. */
type Action = {
  readonly run: () => Promise<CallResult> | CallResult;
  /** It runs a tool, which the metrics count. */
  readonly counts: boolean;
  /** Arguments of the finishing tool that could be read: `asOne` gives them to it. */
  readonly finishes?: { readonly value: unknown };
  /** Follows the answer, whatever was cut of it. */
  readonly warning?: string;
  readonly stop?: StopReason;
};

export type PlannedCall = Action & { readonly call: ToolCall };

type Turn = {
  readonly calls: readonly ToolCall[];
  /** True when the answer ended at the output limit: its last call may be half a call. */
  readonly cut: boolean;
};

export function planTurn(
  conversation: Conversation,
  turn: Turn,
): { calls: readonly PlannedCall[]; stop: StopReason | null } {
  const { finish } = conversation.agent;
  let stop: StopReason | null = null;
  const plan = (call: ToolCall): Action => {
    if (isMalformed(call)) return answer('bad-arguments', correctMalformed(conversation));
    if (call.name === finish.name) return planFinish(conversation, { call, turn });
    return stop === null ? planReading(conversation, { call, turn }) : notRun('refused', 'the tools are closed now');
  };
  const calls = turn.calls.map((call): PlannedCall => {
    const action = plan(call);
    stop ??= action.stop ?? null;
    return { call, ...action };
  });
  return { calls: asOne(conversation, calls), stop };
}

/** Several calls of the finishing tool are one: what an answer says first or last must not hide the rest. */
function asOne(conversation: Conversation, calls: readonly PlannedCall[]): readonly PlannedCall[] {
  const { finish } = conversation.agent;
  const own = calls.filter(({ call }) => call.name === finish.name);
  const [first, ...others] = own.flatMap(({ finishes }) => finishes ?? []);
  if (first === undefined) return calls;
  const also = others.map(({ value }) => value);
  // One that could not be read may hold what nobody knows.
  const isWhole = own.every(({ finishes }) => finishes !== undefined);
  const run = async (): Promise<CallResult> => {
    // Not limited in time: it takes in what the model found, also when the run is being cancelled.
    const { done, ...taken } = await finish.finish(first.value, also);
    conversation.submitted = done && isWhole;
    return { outcome: done ? 'ok' : 'refused', ...taken };
  };
  return calls.map((planned) => (planned.finishes === first ? { ...planned, counts: true, run } : planned));
}

function planFinish(conversation: Conversation, { call, turn }: { call: ToolCall; turn: Turn }): Action {
  const { agent, offer } = conversation;
  const { finish } = agent;
  if (offer === 'every tool' && turn.calls.some((other) => other.name !== call.name)) {
    return notRun('refused', `call ${call.name} alone, after you have read the other results`);
  }
  if (turn.cut && !isJson(call.arguments)) {
    return finish.takeCut === undefined
      ? cutCall(call)
      : { counts: false, run: () => takeCut(conversation, { call, finish }) };
  }
  const parsed = parseArguments(call, finish);
  if (!parsed.ok) return answer('bad-arguments', parsed.problem);
  return { ...answer('ok', 'taken with the first call.'), finishes: { value: parsed.value } };
}

async function takeCut(
  conversation: Conversation,
  { call, finish }: { call: ToolCall; finish: FinishingTool },
): Promise<CallResult> {
  const text = (await finish.takeCut?.(call.arguments)) ?? null;
  conversation.cutsInVain = text === null ? conversation.cutsInVain + 1 : 0;
  const told = 'cut at the output limit';
  return text === null
    ? { outcome: 'bad-arguments', text: cutText(call), told }
    : { outcome: 'refused', text, told: `${told}, its complete findings are kept` };
}

function planReading(conversation: Conversation, { call, turn }: { call: ToolCall; turn: Turn }): Action {
  const { agent, repeatedCalls, offer } = conversation;
  if (offer !== 'every tool') return notRun('refused', `only ${agent.finish.name} is offered now`);
  if (turn.cut && !isJson(call.arguments)) return cutCall(call);
  const equalCalls = repeatedCalls.note(call);
  if (equalCalls >= stopAt) {
    const text = `this is the same call for the ${equalCalls}th time, and its result does not change`;
    return { ...notRun('repeated', text), stop: { reason: 'repeated-calls' } };
  }
  const tool = agent.tools.find((candidate) => candidate.name === call.name);
  if (tool === undefined) return answer('unknown-tool', unknownTool(conversation, call.name));
  const parsed = parseArguments(call, tool);
  if (!parsed.ok) return answer('bad-arguments', parsed.problem);
  const decision = decide(conversation, parsed.value);
  if (!decision.allowed) {
    const denied = answer('denied', `${call.name} was denied: ${decision.reason}`);
    return decision.because === 'calls' ? { ...denied, stop: { reason: 'limit', limit: 'tool-calls' } } : denied;
  }
  const warning = equalCalls >= warnAt ? { warning: warningAfter(equalCalls) } : {};
  return { counts: true, run: () => read(conversation, parsed.value), ...warning };
}

function decide({ agent }: Conversation, { path }: ReadyCall): PolicyDecision {
  try {
    return agent.policy(path);
  } catch (error) {
    // Fails closed: a policy that cannot decide has not allowed anything.
    return { allowed: false, because: 'policy', reason: `the policy could not decide. ${reasons(error).join(' ')}` };
  }
}

async function read({ agent, meter }: Conversation, ready: ReadyCall): Promise<CallResult> {
  const { clock, signal, budget } = agent;
  let ran = false;
  const timed = await withTimeLimit({ clock, milliseconds: budget.softDeadline - clock.now(), signal }, (until) => {
    ran = true;
    return ready.run(until, (used) => meter.countAttempt({ phase: 'embedding', ...used }));
  });
  if (timed.ended === 'done') {
    return { outcome: 'ok', ...(typeof timed.value === 'string' ? { text: timed.value } : timed.value) };
  }
  const reason = timed.ended === 'time' ? 'the time is used up' : 'the run was cancelled';
  if (ran) return { outcome: 'failed', text: `given up: ${reason}.` };
  return { outcome: 'failed', text: `not run: ${reason}.`, notRun: true };
}

function answer(outcome: ToolOutcome, text: string): Action {
  return { counts: false, run: () => ({ outcome, text }) };
}

function notRun(outcome: ToolOutcome, reason: string): Action {
  return answer(outcome, `not run: ${reason}.`);
}

function cutCall(call: ToolCall): Action {
  return answer('bad-arguments', cutText(call));
}

function cutText(call: ToolCall): string {
  return `your call was cut: ${call.name} reached the output limit. Call it again, shorter.`;
}

function unknownTool({ agent }: Conversation, name: string): string {
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
export function withMalformedAsText(answer: ModelAnswer, { corrected }: Pick<Conversation, 'corrected'>): ModelAnswer {
  const { message } = answer;
  const malformed = message.toolCalls.filter(isMalformed);
  if (malformed.length === 0 || !corrected) return answer;
  const toolCalls = message.toolCalls.filter((call) => !isMalformed(call));
  const text = [message.text, ...malformed.map((call) => call.arguments)].filter((part) => part !== '').join('\n');
  const end = answer.end === 'tool-calls' && toolCalls.length === 0 ? 'end' : answer.end;
  return { ...answer, message: { ...message, text, toolCalls }, end };
}

function isMalformed(call: ToolCall): boolean {
  return call.name === malformedCall;
}

/** The correction, which counts as given. */
function correctMalformed(conversation: Conversation): string {
  conversation.corrected = true;
  const example = formatTextToolCall({ name: conversation.agent.finish.name, arguments: '{}' });
  return `Your call could not be read. Write the name and the arguments as one JSON object, such as ${example}, and nothing after it.`;
}
